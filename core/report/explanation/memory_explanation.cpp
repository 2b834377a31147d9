#include "core/base/format.h"
#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/framework_memory.h"
#include "core/prediction/memory/memory.h"
#include "core/prediction/memory/memory_moments.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"
#include "core/report/memory_advice_text.h"
#include "core/scenario/defaults.h"
#include "core/scenario/optimizer_states.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr const char* zero_source = "Rajbhandari et al. 2020 (ZeRO), section 5";

std::string bytes(std::int64_t value)
{
    return formatBytes(static_cast<double>(value));
}

// What is kept of a state: parameters of one rank, or its group's share of them.
struct Held {
    std::string symbol;
    std::int64_t parameters = 0;
};

Held heldParameters(const ExplainedRun& run, const StageShape& shape, bool sharded)
{
    if (!sharded)
        return {"P", shape.parameters()};
    const std::string share = run.figures.mirrored ? "P / (2 d c)" : "P / (d c)";
    return {shape.routed_parameters > 0 ? "(" + share + " + routed / ranks with the same experts)" : share,
            ownedParameters(run.figures, shape)};
}

std::string stageName(const StageShape& shape)
{
    return "of one rank of stage " + std::to_string(shape.stage);
}

std::string heldSentence(const StageShape& shape, bool sharded)
{
    const std::string all = "P = " + formatCount(static_cast<double>(shape.parameters())) + " parameters";
    return sharded ? "ZeRO shares " + all + " out over the ranks that hold the same weights."
                   : "Every rank holds all of its " + all + ".";
}

Explanation explainWeights(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    const bool sharded = run.scenario.parallel.zero_stage >= 3;
    const std::int64_t element = bytesPerElement(run.figures.activation_dtype);
    const Held held = heldParameters(run, shape, sharded);
    const std::int64_t live = memory.weights_bytes / element - held.parameters;
    Explanation explanation;
    explanation.title = "Weights " + stageName(shape);
    explanation.why = heldSentence(shape, sharded);
    explanation.formula = "e " + held.symbol;
    std::string values = plain(element) + " * " + plain(held.parameters);
    if (live > 0) {
        explanation.why += " The unit at work is whole.";
        explanation.formula = "e (" + held.symbol + " + live unit)";
        values = plain(element) + " * (" + plain(held.parameters) + " + " + plain(live) + ")";
    }
    explanation.with_values = worked(values, bytes(memory.weights_bytes));
    explanation.source = zero_source;
    return explanation;
}

// What ZeRO-Offload leaves to the host.
Explanation explainOffloaded(std::string title, const StageMemory& memory)
{
    Explanation explanation;
    explanation.title = std::move(title);
    explanation.why = "The host's memory holds it: " + bytes(memory.host_bytes)
                      + " of gradients and optimizer states for this rank. "
                      + bytes(memory.host_traffic_bytes) + " pass PCIe in each iteration.";
    explanation.formula = "0";
    explanation.with_values = worked("0", bytes(0));
    explanation.source = "Ren et al. 2021 (ZeRO-Offload), section 4";
    return explanation;
}

Explanation explainGradients(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    const bool is_offloaded = run.scenario.training.offload != Offload::none;
    const bool sharded = run.figures.reducesEachMicroBatch();
    if (is_offloaded && sharded)
        return explainOffloaded("Gradients " + stageName(shape), memory);
    const std::int64_t each = run.scenario.training.gradient_bytes;
    const Held held = heldParameters(run, shape, sharded);
    Explanation explanation;
    explanation.title = "Gradients " + stageName(shape);
    explanation.why = heldSentence(shape, sharded);
    explanation.formula = "g " + held.symbol;
    explanation.with_values =
        worked(plain(each) + " * " + plain(held.parameters), bytes(memory.gradients_bytes));
    explanation.source = zero_source;
    return explanation;
}

std::string optimizerName(Optimizer optimizer)
{
    switch (optimizer) {
    case Optimizer::adam:
        return "Adam";
    case Optimizer::sgd:
        return "SGD";
    case Optimizer::none:
        break;
    }
    return "No optimizer";
}

// What K is made of.
std::string statesSentence(const Training& training)
{
    const int copy = masterBytes(training);
    const bool is_adam = training.optimizer == Optimizer::adam;
    const bool is_usual = copy == defaultMasterBytes(training.precision)
                          && training.exp_avg_bytes == default_moment_bytes
                          && (!is_adam || training.exp_avg_sq_bytes == default_moment_bytes);
    const std::string kept = optimizerName(training.optimizer) + " keeps K = "
                             + plain(optimizerBytesPerParameter(training)) + " bytes for each parameter";
    if (is_usual || training.optimizer == Optimizer::none)
        return kept + (copy == 0 ? ". " : ", a copy of the weight in fp32 included. ");
    const std::string first = std::to_string(training.exp_avg_bytes);
    const std::string moments =
        is_adam ? first + " and " + std::to_string(training.exp_avg_sq_bytes) + " of its moments. "
                : first + " of the momentum. ";
    const std::string weights =
        copy == 0 ? "no copy of the weight, " : std::to_string(copy) + " of a copy of the weight, ";
    return kept + ": " + weights + moments;
}

Explanation explainOptimizer(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    if (run.scenario.training.offload != Offload::none)
        return explainOffloaded("Optimizer " + stageName(shape), memory);
    const Training& training = run.scenario.training;
    const bool sharded = run.scenario.parallel.zero_stage >= 1;
    const Held held = heldParameters(run, shape, sharded);
    const std::int64_t each = optimizerBytesPerParameter(training);
    Explanation explanation;
    explanation.title = "Optimizer " + stageName(shape);
    explanation.why = statesSentence(training) + heldSentence(shape, sharded);
    explanation.formula = "K " + held.symbol;
    explanation.with_values =
        worked(plain(each) + " * " + plain(held.parameters), bytes(memory.optimizer_bytes));
    explanation.source = zero_source;
    return explanation;
}

Sum sumOf(const MemoryTerms& terms, int digits = size_digits)
{
    Sum sum;
    for (const MemoryTerm& term : terms.terms())
        sum.addBytes(term.what, term.bytes(), digits);
    return sum;
}

// What passes when the stage is fullest: in the backward pass, or in the optimizer's step if that takes more.
Explanation explainTemporaries(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    const MemoryMoment moment = fullestMoment(run.figures, shape);
    const MemoryTerms step = stepTensors(run.figures, shape);
    Explanation explanation;
    explanation.title = "Temporaries " + stageName(shape);
    explanation.source = "the frameworks' sources: Megatron-LM, Transformer Engine, DeepSpeed, PyTorch";
    if (step.bytes() > memory.activations_bytes + moment.passing.bytes()) {
        const int digits =
            digitsFor(static_cast<double>(step.bytes()), static_cast<double>(memory.temporaries_bytes));
        const Sum sum = sumOf(step, digits);
        explanation.why = "The optimizer's step holds more than the activations that are gone by then.";
        explanation.formula = sum.symbols() + " - activations";
        explanation.with_values = worked(sum.values() + " - " + sizeText(memory.activations_bytes, digits),
                                         bytes(memory.temporaries_bytes));
        return explanation;
    }
    const Sum sum = sumOf(moment.passing);
    explanation.why = "The stage is fullest when " + std::string{moment.when} + ".";
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), bytes(memory.temporaries_bytes));
    return explanation;
}

Explanation explainBuffers(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    const Sum sum = sumOf(frameworkBuffers(run.figures, shape));
    Explanation explanation;
    explanation.title = "Buffers " + stageName(shape);
    explanation.why = "The framework keeps them all the time.";
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), bytes(memory.buffers_bytes));
    explanation.source = "the frameworks' sources: Transformer Engine, DeepSpeed, PyTorch";
    return explanation;
}

// Blocks that the step's large tensors leave, and idle ones, as many as the GPU has room for.
Explanation explainCached(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    const Framework framework = run.scenario.conventions.framework;
    const std::int64_t backward =
        memory.activations_bytes + fullestMoment(run.figures, shape).passing.bytes();
    const std::int64_t step = stepTensors(run.figures, shape).bytes();
    const std::int64_t kept = keptBlockBytes(framework, backward, step);
    const std::int64_t percent = idlePercent(framework);
    const std::int64_t idle = memory.cached_bytes - kept;
    const bool is_whole_share = idle == memory.allocatedBytes() / 100 * percent;
    Explanation explanation;
    explanation.title = "Cached memory " + stageName(shape);
    explanation.why = "PyTorch's allocator holds idle blocks between tensors, " + plain(percent)
                      + " % of them as measured runs show, and gives them back when memory runs short.";
    explanation.formula = is_whole_share ? "tensors / 100 * percent" : "what the GPU has left";
    std::string values =
        is_whole_share ? sizeText(memory.allocatedBytes()) + " / 100 * " + plain(percent) : sizeText(idle);
    if (kept > 0) {
        explanation.why += " The optimizer's step makes tensors larger than any block that activations leave "
                           "behind, so those of both stay.";
        explanation.formula =
            (step < backward ? "step's tensors + " : "those of the backward pass + ") + explanation.formula;
        values = sizeText(kept) + " + " + values;
    }
    explanation.with_values = worked(values, bytes(memory.cached_bytes));
    explanation.source = "published runs of Megatron-LM (SimuMax) and torchtitan; DeepSpeed's optimizers";
    return explanation;
}

Explanation explainContext(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    const Sum sum = sumOf(contextTerms(run.figures));
    Explanation explanation;
    explanation.title = "Context " + stageName(shape);
    explanation.why = "nvidia-smi shows it beside what PyTorch holds.";
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), bytes(memory.context_bytes));
    explanation.source =
        "BigScience tr11 log (A100, 1,573 MiB); NCCL_BUFFSIZE of 4 MiB, 24 channels, ring and tree";
    return explanation;
}

Explanation explainPeak(const ExplainedRun& run)
{
    const MemoryPrediction& memory = run.prediction.memory;
    const auto fullest = std::ranges::max_element(memory.stages, {}, &StageMemory::deviceBytes);
    const MemoryMeasure measure = run.scenario.conventions.memory_measure;
    Sum sum;
    sum.addBytes("weights", fullest->weights_bytes);
    sum.addBytes("gradients", fullest->gradients_bytes);
    sum.addBytes("optimizer", fullest->optimizer_bytes);
    sum.addBytes("activations", fullest->activations_bytes);
    sum.addBytes("temporaries", fullest->temporaries_bytes);
    sum.addBytes("buffers", fullest->buffers_bytes);
    sum.addBytes("cached", fullest->cached_bytes);
    sum.addBytes("context", fullest->context_bytes);
    Explanation explanation;
    explanation.title = "Memory of the fullest GPU";
    explanation.why = "Stage " + std::to_string(fullest->stage) + " holds most: " + bytes(memory.device_bytes)
                      + " of " + bytes(memory.capacity_bytes) + ".";
    if (measure != MemoryMeasure::device)
        explanation.why += " PyTorch counts " + bytes(memory.peak_bytes) + " of them as "
                           + std::string{word(measure)}
                           + (measure == MemoryMeasure::allocated
                                  ? ": neither what its allocator caches nor the GPU's context."
                                  : ": not the GPU's context.");
    if (const std::string advice = memoryAdviceText(run.scenario, run.prediction); !advice.empty())
        explanation.why += " " + advice;
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), bytes(memory.device_bytes));
    explanation.source = "Rajbhandari et al. 2020; Korthikanti et al. 2022";
    return explanation;
}

} // namespace

Explanation explainMemory(Figure figure, const ExplainedRun& run, int stage)
{
    if (figure == Figure::peak_memory)
        return explainPeak(run);
    const auto last = static_cast<int>(run.shapes.size()) - 1;
    const auto place = static_cast<std::size_t>(std::clamp(stage, 0, last));
    const StageShape& shape = run.shapes[place];
    const StageMemory& memory = run.prediction.memory.stages[place];
    switch (figure) {
    case Figure::weights_memory:
        return explainWeights(run, shape, memory);
    case Figure::gradients_memory:
        return explainGradients(run, shape, memory);
    case Figure::optimizer_memory:
        return explainOptimizer(run, shape, memory);
    case Figure::temporaries_memory:
        return explainTemporaries(run, shape, memory);
    case Figure::buffers_memory:
        return explainBuffers(run, shape, memory);
    case Figure::cached_memory:
        return explainCached(run, shape, memory);
    case Figure::context_memory:
        return explainContext(run, shape, memory);
    default:
        return explainActivations(run, shape, memory);
    }
}

} // namespace shardscope
