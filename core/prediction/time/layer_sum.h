#pragma once

#include "core/prediction/time/layer_time.h"

#include <vector>

namespace shardscope
{

// One layer by pass.
struct LayerTime::Sum {
    double forward_s = 0.0;
    double input_gradient_s = 0.0;
    double weight_gradient_s = 0.0;
    double gemms_s = 0.0;                           // of forward
    double last_gemm_s = 0.0;                       // of gemms: the layer's last product
    double attention_s = 0.0;                       // of forward
    double attention_gradient_s = 0.0;              // of the input's gradient
    double elementwise_s = 0.0;                     // of forward: neither products nor attention
    std::vector<OperatorCost>* operators = nullptr; // to be listed there

    void list(const OperatorCost& cost) const
    {
        if (operators != nullptr)
            operators->push_back(cost);
    }
};

} // namespace shardscope
