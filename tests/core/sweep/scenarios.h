#pragma once

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

} // namespace shardscope
