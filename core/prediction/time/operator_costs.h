#pragma once

#include "core/prediction/time/layer_time.h"

#include <vector>

namespace shardscope
{

// The operators of the scenario's layers as the detailed model times them: what compute consists of. Pre: the
// scenario is valid.
struct OperatorCosts {
    struct Layer {
        LayerForm form;
        std::int64_t count = 0; // of the model's layers
        std::vector<OperatorCost> operators;
    };
    std::vector<Layer> layers;            // one of each form that the model has
    std::vector<OperatorCost> mtp_module; // of multi-token prediction, its layer included; empty: none
    double peak_flops = 0.0;              // a second, in the scenario's number format
};
OperatorCosts operatorCosts(const Scenario& scenario);

} // namespace shardscope
