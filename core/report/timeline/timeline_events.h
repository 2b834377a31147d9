#pragma once

#include "core/prediction/timeline/stage_events.h"
#include "core/report/timeline/message_ways.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// An event of a Chrome trace but for what its rank decides: the process that it stands in, the peer of a
// message.
struct EventText {
    std::string before; // up to "pid":
    std::string after;  // up to the end of its arguments
    PeerSide peer = PeerSide::none;
    std::size_t place = 0; // among the messages of eventsWithPeer()
};

// The events of a stage as text, with the mark of the step that they are.
std::vector<EventText> textsOf(const std::vector<StageEvent>& events, const StageStep& step,
                               const Scenario& scenario);
// What names the peer, behind the other arguments.
std::string textOf(const MessagePeer& peer, Op op);
// The end of an arrow as an event of its own: `id` is the message's.
std::string textOf(const ArrowEnd& arrow, const StageEvent& event, std::int64_t rank, std::int64_t id);
// Of all stages together, at most, without the marks.
std::size_t eventCount(const PredictedTimeline& timeline, TimelineDetail detail);

} // namespace shardscope
