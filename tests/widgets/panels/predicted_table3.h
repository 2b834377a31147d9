#pragma once

#include "core/prediction/predict.h"
#include "widgets/session/content.h"

namespace shardscope
{

// Li et al. 2024, Table 3, on 32 GPUs.
inline std::shared_ptr<PredictedScenario> predictedTable3(double network_GBps = 25.0,
                                                          std::int64_t batch = 1024)
{
    auto content = std::make_shared<PredictedScenario>();
    Scenario& scenario = content->scenario;
    scenario.model.layers = 54;
    scenario.model.hidden_size = 2000;
    scenario.model.attention_heads = 40;
    scenario.model.kv_heads = 40;
    scenario.model.head_dim = 50;
    scenario.model.ffn_hidden_size = 8000;
    scenario.model.sequence_length = 1024;
    scenario.training.global_batch_size = batch;
    scenario.training.micro_batch_size = 32;
    scenario.training.recompute = Recompute::full;
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 4;
    scenario.cluster.inter_node.bandwidth_GBps = network_GBps;
    content->prediction = std::move(predict(scenario).value());
    return content;
}

// The same as a panel is given it; with a pinned one of another bandwidth.
inline Content contentOfTable3(bool is_pinned = false)
{
    Content content;
    content.predicted = predictedTable3();
    if (is_pinned)
        content.pinned = predictedTable3(5.0);
    return content;
}

} // namespace shardscope
