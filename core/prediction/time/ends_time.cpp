#include "core/prediction/time/layer_time.h"

namespace shardscope
{

namespace
{

// Kernels that the processor starts for the ends of a micro-batch: batch and embedding; norm, logits and
// loss. Megatron-LM broadcasts each micro-batch's tokens and reads their sizes back, so the processor has
// nothing queued when it begins: its time adds to the GPU's.
constexpr double embedding_kernels = 10.0;
constexpr double head_kernels = 40.0;

// Bytes for each logit of the loss, forward and backward together. Megatron-LM's vocab_parallel_cross_entropy
// works in fp32 with a kernel for each step: cast 6, maximum 4, difference 8, exp 8, sum 4, quotient 8;
// backward product 8, cast 6. Its fused form joins the cast with the maximum, exp with the sum and the
// product with the cast. PyTorch's: cast 6, log_softmax 8; backward 4 + 12, cast 6. flash-attn's: 2 read, and
// for the gradient 2 read and 2 written.
constexpr double parallel_loss_bytes = 52.0;
constexpr double fused_parallel_loss_bytes = 36.0;
constexpr double loss_bytes = 36.0;
constexpr double fused_loss_bytes = 6.0;

bool splitsVocabulary(Framework framework)
{
    return framework == Framework::megatron || framework == Framework::deepspeed;
}

double lossBytes(const Conventions& conventions)
{
    if (splitsVocabulary(conventions.framework))
        return conventions.fused_cross_entropy ? fused_parallel_loss_bytes : parallel_loss_bytes;
    return conventions.fused_cross_entropy ? fused_loss_bytes : loss_bytes;
}

// Bytes for each parameter and step. Adam reads the gradient twice, for its norm and to use it, weight and
// two moments, and writes the last three and the 16-bit weight: 34.
constexpr double adam_bytes = 34.0;
constexpr double sgd_bytes = 26.0;
// Bytes for each parameter and micro-batch where gradients are added up by a kernel of its own: the new one
// is read, the sum read and written in 4 bytes. Megatron-LM adds within the product that makes them; FSDP's
// are not told from the rest of its step.
constexpr double accumulation_bytes = 10.0;

} // namespace

// What the processor takes in the open for an end with this many kernels in either pass.
double LayerTime::startOfEnd(double kernels) const
{
    return splitsVocabulary(m_figures.scenario.conventions.framework) ? kernels * m_dispatch_s : 0.0;
}

// Reads a row for each token and adds its position; backward adds to the rows' gradients.
ComputeTime LayerTime::embedding() const
{
    const double bytes = m_tokens * asDouble(m_model.hidden_size) * m_number_bytes;
    const double start = startOfEnd(embedding_kernels);
    ComputeTime time;
    time.forward_s = m_operators.memoryPass(Bytes{2.0 * bytes}).value() + start;
    time.input_gradient_s = m_operators.memoryPass(Bytes{2.0 * bytes}).value() + start;
    time.starts_s = 2.0 * start;
    return time;
}

ComputeTime LayerTime::head() const
{
    const double vocabulary = asDouble(paddedVocabulary(m_model, m_figures.tensor)) / m_tensor;
    const Gemm logits{m_tokens, vocabulary, asDouble(m_model.hidden_size)};
    const double bytes = lossBytes(m_figures.scenario.conventions);
    const double loss = m_operators.memoryPass(Bytes{bytes * m_tokens * vocabulary}).value();
    const double start = startOfEnd(head_kernels);
    ComputeTime time;
    time.forward_s = m_operators.gemm(logits).value() + 0.5 * loss + start;
    time.input_gradient_s = m_operators.inputGradient(logits).value() + 0.5 * loss + start;
    time.starts_s = 2.0 * start;
    time.weight_gradient_s =
        (m_operators.weightGradient(logits) + accumulation({.sharded = m_figures.word_embedding})).value();
    return time;
}

// The first micro-batch has nothing to be added to. Of gradients that replicas reduce in each, a rank adds up
// its part.
Seconds LayerTime::accumulation(const LayerParameters& parameters) const
{
    const bool by_itself = m_figures.scenario.conventions.framework == Framework::deepspeed;
    if (!by_itself || m_figures.micro_batches == 1)
        return Seconds{};
    double dense = asDouble(parameters.dense());
    double routed = asDouble(parameters.routed);
    if (m_figures.reducesEachMicroBatch()) {
        dense /= m_figures.data_group;
        routed /= m_figures.expert_data_group;
    }
    const double micro_batches = asDouble(m_figures.micro_batches);
    const double added_to = (micro_batches - 1.0) / micro_batches;
    return m_operators.memoryPass(Bytes{accumulation_bytes * (dense + routed) * added_to});
}

Seconds LayerTime::optimizerStep(double parameters) const
{
    if (m_training.optimizer == Optimizer::none)
        return Seconds{};
    const double bytes = m_training.optimizer == Optimizer::adam ? adam_bytes : sgd_bytes;
    return m_operators.stream(Bytes{bytes * parameters});
}

} // namespace shardscope
