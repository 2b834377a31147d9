#pragma once

#include "widgets/plots/timeline/timeline_scene.h"
#include "widgets/session/event_walk.h"

#include <optional>

namespace shardscope
{

// The bar of the predicted messages that follows the chosen one of them, else the first; of a pass it is a
// part. Behind the end it begins anew; nothing: no bar stands for them.
std::optional<TimelineSpot> nextMessage(const TimelineScene& scene, const PredictedMessages& messages,
                                        const std::optional<TimelineSpot>& chosen);

// What the neighbour of a pipeline of `stages` receives of a send, or sends for a receipt or for parts that
// are gathered behind it: their time is the sending's. In a ring of context ranks it is of the same stage.
// Nothing: the messages have no other end.
std::optional<PredictedMessages> otherEndOf(PredictedMessages messages, int stages);

} // namespace shardscope
