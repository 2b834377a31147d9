#pragma once

#include "core/scenario/scenario_difference.h"
#include "core/sweep/change_of.h"
#include "core/sweep/sweep.h"

#include <atomic>
#include <vector>

namespace shardscope
{

// One step on the way from a scenario to another.
struct ChangeStep {
    std::vector<ScenarioDifference> differences; // from the step before; never empty
    ChangeOf of = ChangeOf::run;                 // machine: of nothing else
    SweepPoint point;                            // with these and all before them; valid
};

// What each difference of two scenarios does to an iteration, one after the other.
struct ChangeSteps {
    SweepPoint before;
    std::vector<ChangeStep> steps; // the last one is the other scenario; empty: they are equal
};

// From `before` to `after` in the order of a scenario's file: model, batch, formats, degrees, schedule, ZeRO,
// conventions, machine. What cannot be trained by itself (half a layout) becomes one step with what follows.
// The share of a step depends on the steps before it. Stops early, with some of them, when `stop` becomes
// true. Pre: both can be predicted.
ChangeSteps changeSteps(const Scenario& before, const Scenario& after,
                        const std::atomic<bool>* stop = nullptr);

} // namespace shardscope
