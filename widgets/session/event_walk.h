#pragma once

#include "widgets/session/content.h"

#include "core/analysis/event_ranking.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace shardscope
{

// Messages that a pipeline stage is predicted to send, told apart as the message table does.
struct PredictedMessages {
    Message message;
    int stage = 0;
};

// Events of the measured run to be seen one after the other, as a row of a table wishes them, or, where there
// are none, messages of the predicted iteration by time. Wished again, the next one is meant.
struct EventWalk {
    std::shared_ptr<const MeasuredRun> run;
    std::vector<RunEvent> events;
    QString what;        // they are: "calls in which others waited for rank 6"
    QString weight = {}; // how one's weight is told: "others waited %1 for it"
    std::optional<PredictedMessages> predicted = {};
};

} // namespace shardscope
