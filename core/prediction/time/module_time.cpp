#include "core/base/quantity.h"
#include "core/prediction/time/layer_sum.h"

namespace shardscope
{

ComputeTime LayerTime::module(LayerForm form) const
{
    Sum sum;
    addModule(sum);
    addOperators(sum, form);
    ComputeTime time = timeOf(sum);
    addDispatch(time, form);
    return time;
}

std::vector<OperatorCost> LayerTime::moduleOperators(LayerForm form) const
{
    std::vector<OperatorCost> operators;
    Sum sum;
    sum.operators = &operators;
    addModule(sum);
    addOperators(sum, form);
    return operators;
}

// Bytes for each token in 2-byte numbers: the norms as those of a layer's outputs; what they return is read
// and written once more to stand side by side, and in backward their gradients come apart.
void LayerTime::addModule(Sum& sum) const
{
    const double h = asDouble(m_model.hidden_size);
    const double split = m_figures.scenario.parallel.sequence_parallel ? m_tensor : 1.0;
    const double bytes = m_traffic * m_tokens * m_number_bytes * h / split;
    addPass(sum, {LayerStep::join_norms, "norms and joining of both inputs"}, Bytes{8.0 * bytes},
            Bytes{10.0 * bytes});
    addProduct(sum, {LayerStep::join, "projection of both inputs"}, {m_tokens, h / m_tensor, 2.0 * h});
    addNorms(sum, 1.0);
    addAccumulation(sum, m_figures.mtp_extra);
}

} // namespace shardscope
