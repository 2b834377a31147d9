// What the processor needs to start the kernels of a layer: the least time of each pass.
#include "core/prediction/time/layer_time.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Kernels of one layer that the processor starts in a forward pass, in a backward pass, and beside them to
// compute a layer again; for its collectives over a tensor group, in either pass. Round figures:
// ComputeLaw::dispatch_us is fitted to published steps with them, so it is their proportions that count.
constexpr double forward_kernels = 40.0;
constexpr double backward_kernels = 36.0;
constexpr double checkpoint_kernels = 20.0;
constexpr double communication_kernels = 2.0;
// A CUDA graph is started as one kernel is.
constexpr double graphs_of_pass = 1.0;
// What a layer with experts starts beside them, either way: scores, choices and counts, and rows that are put
// in the experts' order and back. A round figure as well; nothing was fitted to it.
constexpr double routing_kernels = 45.0;
// Megatron-Core's and DeepSpeed's experts have products of their own each (TEGroupedLinear), which in fp8
// and fp4 come with casts of what they read.
constexpr double kernels_of_quantized_product = 2.5;
// Of the kernels of a layer without experts, those of its MLP. An estimate.
constexpr double mlp_kernels_share = 0.25;
// A tensor group waits at each of its collectives for the slowest of its processors. Where dispatch rules,
// layers take this much longer for each rank of the node more than one (vTrain's GPT layers of h 1024 and
// 2048 on 2 to 8 A100s).
constexpr double straggling_per_rank = 0.055;

} // namespace

LayerTime::Kernels LayerTime::kernelsOfExperts() const
{
    const Framework framework = m_figures.scenario.conventions.framework;
    const bool is_each_alone = framework == Framework::megatron || framework == Framework::deepspeed;
    const double held = is_each_alone ? asDouble(m_model.experts.count) / asDouble(m_figures.expert) : 1.0;
    const double each = quantizesProducts(m_training.precision) ? kernels_of_quantized_product : 1.0;
    return {routing_kernels + 2.0 * held * each, routing_kernels + 4.0 * held * each};
}

// A layer of one block has its part of them. A recurrence is taken to start as many kernels as attention: its
// scan is several.
LayerTime::Kernels LayerTime::kernelsOf(LayerForm form) const
{
    const double more = m_figures.tensor > 1 ? communication_kernels : 0.0;
    const bool mixes = hasAttention(form) || hasRecurrence(form);
    const double share = blocksOf(form) == 2 ? 1.0 : mixes ? 1.0 - mlp_kernels_share : mlp_kernels_share;
    return {share * (forward_kernels + more), share * (backward_kernels + more)};
}

void LayerTime::addDispatch(ComputeTime& time, LayerForm form) const
{
    const bool moe = hasExperts(form);
    const double near = std::min(m_tensor, asDouble(m_figures.scenario.cluster.gpus_per_node));
    const double kernel_s = m_dispatch_s * (1.0 + straggling_per_rank * (near - 1.0));
    const Kernels of_experts = moe ? kernelsOfExperts() : Kernels{};
    const bool in_graphs = m_figures.scenario.conventions.cuda_graphs;
    const Kernels own = kernelsOf(form);
    const double forward = in_graphs ? graphs_of_pass : own.forward;
    const double backward = in_graphs ? graphs_of_pass : own.backward;
    time.forward_dispatch_s = (forward + of_experts.forward) * kernel_s;
    time.backward_dispatch_s = (backward + of_experts.backward) * kernel_s;
    if (m_training.recompute == Recompute::full)
        time.recompute_dispatch_s =
            time.forward_dispatch_s + (in_graphs ? 0.0 : checkpoint_kernels * kernel_s);
    else if (moe && m_repeats.has(RecomputeModule::moe))
        time.recompute_dispatch_s = of_experts.forward * kernel_s;
    else if (hasMlp(form) && !in_graphs && m_repeats.has(RecomputeModule::mlp))
        time.recompute_dispatch_s = (blocksOf(form) == 2 ? mlp_kernels_share : 1.0) * forward * kernel_s;
}

} // namespace shardscope
