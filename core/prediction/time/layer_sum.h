#pragma once

#include "core/prediction/time/layer_time.h"

#include <utility>
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
    double elementwise_s = 0.0;                     // of forward: neither products nor attention; scans
    double repeated_s = 0.0;                        // of forward: modules that are computed again
    bool is_repeated = false;                       // what is added now belongs to one of them
    std::vector<OperatorCost>* operators = nullptr; // to be listed there

    void forward(double seconds)
    {
        forward_s += seconds;
        repeated_s += is_repeated ? seconds : 0.0;
    }
    void list(const OperatorCost& cost) const
    {
        if (operators == nullptr)
            return;
        operators->push_back(cost);
        operators->back().is_repeated = is_repeated;
    }
    // What `add` adds, as a module that is computed again or as it is.
    template<class Add>
    void part(bool is_of_module, Add add)
    {
        const bool before = std::exchange(is_repeated, is_repeated || is_of_module);
        add();
        is_repeated = before;
    }
};

} // namespace shardscope
