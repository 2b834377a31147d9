#include "core/prediction/time/ends_time.h"

#include "core/base/quantity.h"
#include "core/prediction/time/gradient_accumulation.h"

namespace shardscope
{

namespace
{

// Kernels that the processor starts for the ends of a micro-batch: batch and embedding; norm, logits and
// loss. Megatron-LM broadcasts each micro-batch's tokens and reads their sizes back, so the processor has
// nothing queued when it begins: its time adds to the GPU's. Round figures, as those of a layer.
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
// two moments, and writes the last three and the 16-bit weight: 34. SGD has one momentum for the two moments.
constexpr double adam_bytes = 34.0;
constexpr double sgd_bytes = 26.0;

} // namespace

EndsTime::EndsTime(const IterationFigures& figures, const Machine& machine)
    : m_figures{figures},
      m_operators{machine, figures.scenario.training.precision},
      m_dispatch_s{machine.law.dispatch_us * 1e-6},
      m_tokens{asDouble(figures.tokens)},
      m_number_bytes{asDouble(bytesPerElement(figures.activation_dtype))}
{
}

// What the processor takes in the open for an end with this many kernels in either pass.
double EndsTime::startOfEnd(double kernels) const
{
    return splitsVocabulary(m_figures.scenario.conventions.framework) ? kernels * m_dispatch_s : 0.0;
}

// Reads a row for each token and adds its position; backward adds to the rows' gradients.
ComputeTime EndsTime::embedding() const
{
    const double bytes = m_tokens * asDouble(m_figures.scenario.model.hidden_size) * m_number_bytes;
    const double start = startOfEnd(embedding_kernels);
    ComputeTime time;
    time.forward_s = m_operators.memoryPass(Bytes{2.0 * bytes}).value() + start;
    time.input_gradient_s = m_operators.memoryPass(Bytes{2.0 * bytes}).value() + start;
    time.starts_s = 2.0 * start;
    return time;
}

ComputeTime EndsTime::head() const
{
    const Model& model = m_figures.scenario.model;
    const double vocabulary =
        asDouble(paddedVocabulary(model, m_figures.tensor)) / asDouble(m_figures.tensor);
    const Gemm logits{m_tokens, vocabulary, asDouble(model.hidden_size)};
    const double bytes = lossBytes(m_figures.scenario.conventions);
    const double loss = m_operators.memoryPass(Bytes{bytes * m_tokens * vocabulary}).value();
    const double start = startOfEnd(head_kernels);
    ComputeTime time;
    time.forward_s = m_operators.gemm(logits).value() + 0.5 * loss + start;
    time.input_gradient_s = m_operators.inputGradient(logits).value() + 0.5 * loss + start;
    time.starts_s = 2.0 * start;
    time.weight_gradient_s = (m_operators.weightGradient(logits)
                              + accumulation({.sharded = m_figures.word_embedding}, m_figures, m_operators))
                                 .value();
    return time;
}

Seconds EndsTime::optimizerStep(double parameters) const
{
    const Optimizer optimizer = m_figures.scenario.training.optimizer;
    if (optimizer == Optimizer::none)
        return Seconds{};
    const double bytes = optimizer == Optimizer::adam ? adam_bytes : sgd_bytes;
    return m_operators.stream(Bytes{bytes * parameters});
}

} // namespace shardscope
