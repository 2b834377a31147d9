#pragma once

#include "core/sweep/change_of.h"
#include "core/sweep/sweep.h"

#include <atomic>
#include <string>
#include <vector>

namespace shardscope
{

// The scenario with one thing changed.
struct SingleChange {
    std::string name; // "full recomputation", "t = 8 (d = 4)", "network 2x as fast"
    ChangeOf of = ChangeOf::run;
    SweepPoint point; // valid
};

// What each change of one thing would do to an iteration.
struct SingleChanges {
    SweepPoint own; // nothing changed
    // Those that fit into memory, fastest first, then those that do not, fastest first.
    std::vector<SingleChange> changes;
};

// Every neighbour of a scenario in one setting, and each part of its machine twice as fast. The model, the
// tokens of an iteration and the number of GPUs stay, so that the times can be compared; what can not be
// trained or changes neither time nor memory is left out. Stops early, with some of them, when `stop` becomes
// true. Pre: the scenario can be predicted.
SingleChanges singleChanges(const Scenario& scenario, const std::atomic<bool>* stop = nullptr);

} // namespace shardscope
