#include "core/prediction/time/gradient_accumulation.h"

#include "core/base/quantity.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Bytes for each parameter and micro-batch where gradients are added up by a kernel of its own: the new one
// is read, the sum read and written. DeepSpeed's sums are of the gradients' own 2 bytes in fp16, of 4 with
// its BF16_Optimizer. Megatron-LM adds within the product that makes them; FSDP's are not told from the rest
// of its step.
double accumulationBytes(const Training& training)
{
    const double added = training.precision == Precision::fp32 ? 4.0 : 2.0;
    const double sum = std::min(4.0, static_cast<double>(training.gradient_bytes));
    return added + 2.0 * sum;
}

} // namespace

// The first micro-batch has nothing to be added to. Of gradients that replicas reduce in each, a rank adds up
// its part.
Seconds accumulation(const LayerParameters& parameters, const IterationFigures& figures,
                     const OperatorTime& operators)
{
    const bool by_itself = figures.scenario.conventions.framework == Framework::deepspeed;
    if (!by_itself || figures.micro_batches == 1)
        return Seconds{};
    double dense = asDouble(parameters.dense());
    double routed = asDouble(parameters.routed);
    if (figures.reducesEachMicroBatch()) {
        dense /= figures.data_group;
        routed /= figures.expert_data_group;
    }
    const double micro_batches = asDouble(figures.micro_batches);
    const double added_to = (micro_batches - 1.0) / micro_batches;
    return operators.memoryPass(
        Bytes{accumulationBytes(figures.scenario.training) * (dense + routed) * added_to});
}

} // namespace shardscope
