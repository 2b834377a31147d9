#pragma once

#include "core/sweep/sweep_axis.h"
#include "tests/core/prediction/scenarios.h"

namespace shardscope
{

// The GPT of 3B on 32 GPUs with the detailed time model, on the default cluster.
inline Scenario gpt3b()
{
    Scenario scenario = test::gpt3b(4, 2, 4);
    scenario.time_model = TimeModel::detailed;
    scenario.cluster = {};
    return scenario;
}

// The same where the sweep is one of experts: a dense model has none to share out.
inline Scenario gpt3b(SweepAxis axis)
{
    Scenario scenario = gpt3b();
    if (axis == SweepAxis::expert)
        scenario.model.experts.count = 8;
    return scenario;
}

} // namespace shardscope
