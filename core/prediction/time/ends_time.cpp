#include "core/prediction/time/ends_time.h"

#include "core/base/quantity.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/time/gradient_accumulation.h"
#include "core/scenario/optimizer_states.h"

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

// A state is read and written. Transformer Engine's Adam copies one that is not in fp32 to a float before its
// kernel and back behind it: 16 bytes more (TransformerEngine pull request 2551 has steps a second longer).
double stateBytes(const Scenario& scenario, int bytes)
{
    constexpr double float_copy = 16.0;
    const bool is_copied = usesPrecisionAwareOptimizer(scenario) && bytes != 4;
    return 2.0 * bytes + (is_copied ? float_copy : 0.0);
}

// The weight that the optimizer works on is read and written, and that of the products is written. Without a
// copy they are one; to the 16 bits that bf16 weights lack of a float these are read. (Weights in fp32 are
// counted as a copy and the 16 bits beside it.)
double weightBytes(const Scenario& scenario)
{
    constexpr double beside_floats = 10.0;
    const Training& training = scenario.training;
    if (training.precision == Precision::fp32 || training.master_bytes == 4)
        return beside_floats;
    if (training.master_bytes == 0)
        return 4.0;
    return keepsRemainders(scenario) ? 8.0 : 2.0 + stateBytes(scenario, training.master_bytes);
}

// Bytes of a step for each parameter whose states a rank owns. The gradient is read twice, for its norm and
// to use it, in fp32 but where the optimizer takes it as it was summed. Adam has two moments, SGD one: by
// default 34 and 26. (On an A100 the steps of vTrain's GPTs without replicas begin with 35 to 37 for each
// parameter, clearing included.)
double stepBytes(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    const Training& training = scenario.training;
    const bool is_adam = training.optimizer == Optimizer::adam;
    const bool has_copy = training.precision == Precision::fp32 || training.master_bytes == 4;
    const bool takes_sums = usesPrecisionAwareOptimizer(scenario) || !has_copy;
    const double gradient = takes_sums ? asDouble(bytesPerElement(figures.gradient_dtype)) : 4.0;
    return 2.0 * gradient + weightBytes(scenario) + stateBytes(scenario, training.exp_avg_bytes)
           + (is_adam ? stateBytes(scenario, training.exp_avg_sq_bytes) : 0.0);
}

} // namespace

double logitsSlowdown(const Scenario& scenario)
{
    constexpr std::int64_t whole_step = 16;
    constexpr std::int64_t part_of_step = 4;
    const std::int64_t step_bytes = logitStepBytes(scenario);
    return step_bytes >= whole_step ? 1.0 : step_bytes >= part_of_step ? 1.7 : 2.5;
}

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
    const Scenario& scenario = m_figures.scenario;
    const bool is_open = splitsVocabulary(scenario.conventions.framework) || scenario.cluster.launch_blocking;
    return is_open ? kernels * m_dispatch_s : 0.0;
}

// Reads a row for each token and adds its position; backward adds to the rows' gradients.
ComputeTime EndsTime::lookUp() const
{
    const double bytes = m_tokens * asDouble(m_figures.scenario.model.hidden_size) * m_number_bytes;
    ComputeTime time;
    time.forward_s = m_operators.memoryPass(Bytes{2.0 * bytes}).value();
    time.input_gradient_s = m_operators.memoryPass(Bytes{2.0 * bytes}).value();
    return time;
}

OperatorCost EndsTime::lookUpOperator() const
{
    const ComputeTime time = lookUp();
    return {"embedding", LayerStep::look_up, {}, 1.0, time.forward_s, time.input_gradient_s, 0.0};
}

ComputeTime EndsTime::embedding() const
{
    const double start = startOfEnd(embedding_kernels);
    ComputeTime time = lookUp();
    time.forward_s += start;
    time.input_gradient_s += start;
    time.starts_s = 2.0 * start;
    return time;
}

ComputeTime EndsTime::head() const
{
    const ComputeTime of_one = headOfOneToken();
    ComputeTime time = of_one;
    for (std::int64_t i = 0; i < m_figures.scenario.model.mtp_layers; ++i)
        time.add(of_one);
    return time;
}

ComputeTime EndsTime::headOfOneToken() const
{
    const Model& model = m_figures.scenario.model;
    const double vocabulary =
        asDouble(paddedVocabulary(model, m_figures.tensor)) / asDouble(m_figures.tensor);
    const Gemm logits{m_tokens, vocabulary, asDouble(model.hidden_size)};
    const double bytes = lossBytes(m_figures.scenario.conventions);
    const double loss = m_operators.memoryPass(Bytes{bytes * m_tokens * vocabulary}).value();
    const double start = startOfEnd(head_kernels);
    const double factor = logitsSlowdown(m_figures.scenario);
    ComputeTime time;
    time.forward_s = factor * m_operators.gemm(logits).value() + 0.5 * loss + start;
    time.input_gradient_s = factor * m_operators.inputGradient(logits).value() + 0.5 * loss + start;
    time.starts_s = 2.0 * start;
    time.weight_gradient_s = (factor * m_operators.weightGradient(logits)
                              + accumulation({.sharded = m_figures.word_embedding}, m_figures, m_operators))
                                 .value();
    return time;
}

// Bytes of a step for each gradient that the rank keeps: Megatron-LM sets its sums to zero, and those of
// replicas are divided by their number, which reads and writes them (gradient_scaling_factor of its buffers;
// DeepSpeed and PyTorch's DDP likewise). FSDP's are not told from the rest of its step.
double EndsTime::gradientBytes() const
{
    const Scenario& scenario = m_figures.scenario;
    const Framework framework = scenario.conventions.framework;
    const double gradient = asDouble(bytesPerElement(m_figures.gradient_dtype));
    const double cleared = framework == Framework::megatron ? gradient : 0.0;
    const bool divides = framework != Framework::fsdp && m_figures.hasReplicas();
    return cleared + (divides ? 2.0 * gradient : 0.0);
}

Seconds EndsTime::optimizerStep(double owned, double held) const
{
    if (m_figures.scenario.training.optimizer == Optimizer::none)
        return Seconds{};
    const double gradients = m_figures.reducesEachMicroBatch() ? owned : held;
    return m_operators.stream(Bytes{stepBytes(m_figures) * owned + gradientBytes() * gradients});
}

} // namespace shardscope
