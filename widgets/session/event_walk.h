#pragma once

#include "widgets/session/content.h"

#include "core/analysis/event_ranking.h"

#include <QString>

#include <memory>
#include <vector>

namespace shardscope
{

// Events of the measured run to be seen one after the other, as a row of a table wishes them. Wished again,
// the next one is meant.
struct EventWalk {
    std::shared_ptr<const MeasuredRun> run;
    std::vector<RunEvent> events;
    QString what;        // they are: "calls in which others waited for rank 6"
    QString before = {}; // the time before one is: "of waiting"
    bool operator==(const EventWalk&) const = default;
};

} // namespace shardscope
