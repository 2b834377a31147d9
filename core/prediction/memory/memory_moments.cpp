#include "core/prediction/memory/memory_moments.h"

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/model/head_widths.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/recurrence.h"
#include "core/scenario/pytorch.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

std::int64_t elementBytes(const IterationFigures& figures)
{
    return bytesPerElement(figures.activation_dtype);
}

// The feed-forward block's hidden activations of one micro-batch: the result of its first product.
std::int64_t hiddenActivationBytes(const IterationFigures& figures, LayerForm form)
{
    const Model& model = figures.scenario.model;
    const std::int64_t inputs = model.gated_mlp ? 2 : 1;
    return figures.tokens * elementBytes(figures) * inputs * computedMlpWidth(figures, form) / figures.tensor;
}

// Gradients of tokens that were sent to experts, in the order of the experts; a tensor group that splits
// these has gathered them.
std::int64_t dispatchedBytes(const IterationFigures& figures, LayerForm form)
{
    const std::int64_t gathered = figures.activation_bytes / figures.tensor * figures.expert_tensor;
    return hasExperts(form) ? std::llround(static_cast<double>(gathered) * figures.expert_rows) : 0;
}

// Attention that stores its scores makes the gradients of two more such tensors; recomputed scores stand
// beside them.
std::int64_t scoreGradientBytes(const IterationFigures& figures, const Repeats& repeats)
{
    const Scenario& scenario = figures.scenario;
    if (!storesScores(scenario))
        return 0;
    const Model& model = scenario.model;
    const std::int64_t scores =
        figures.tokens * model.sequence_length * model.attention_heads / figures.tensor;
    const std::int64_t element = elementBytes(figures);
    const bool are_recomputed = repeats.second_products || repeats.has(RecomputeModule::core_attn);
    const std::int64_t recomputed = are_recomputed ? (dropsOut(model) ? 2 * element + 1 : element) : 0;
    return scores * (2 * element + recomputed);
}

// Context parallelism that gathers holds the keys and values of the whole sequence, and their gradients.
std::int64_t gatheredKeyBytes(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    if (figures.context < 2 || scenario.parallel.context_method != ContextMethod::all_gather)
        return 0;
    const HeadWidths widths = headWidths(figures);
    const std::int64_t width = widths.key + widths.value;
    // PyTorch's gradients are of the rank's own part alone, in fp32.
    const bool by_pytorch = isPyTorch(scenario.conventions.framework);
    const std::int64_t whole = elementBytes(figures) * figures.context * figures.tokens * width;
    const std::int64_t gradients = by_pytorch ? bytesPerElement(Dtype::fp32) * figures.tokens * width : whole;
    return whole + gradients;
}

// ZeRO 2 and 3: gradients of the unit at work and of the ends are whole until they have been reduced; whole
// sums are counted with the gradients.
std::int64_t wholeGradientBytes(const IterationFigures& figures, const StageShape& shape, std::int64_t unit)
{
    if (!figures.reducesEachMicroBatch() || !figures.hasReplicas())
        return 0;
    const std::int64_t all = shape.trainedParameters();
    const bool one_unit = figures.scenario.conventions.zero_unit == ZeroUnit::model;
    return elementBytes(figures) * (one_unit ? all : std::min(all, shape.end_parameters + unit));
}

// Of the modules that one layer computes again, those of its attention, and the others; norms have their
// place in either.
constexpr RecomputeModules attention_modules{RecomputeModule::mla_up_proj};
constexpr RecomputeModules feed_forward_modules{RecomputeModule::mlp, RecomputeModule::moe,
                                                RecomputeModule::moe_act, RecomputeModule::shared_experts};

// What is there again of a layer, while its backward pass is at these of its modules and at so many norms.
std::int64_t againBytes(const IterationFigures& figures, LayerForm form, const Repeats& repeats,
                        RecomputeModules at_work, std::int64_t norms)
{
    const std::int64_t of_norms =
        repeats.has(RecomputeModule::layernorm) ? norms * keptTensorBytes(figures) : 0;
    const Repeats passing{false, false, repeats.modules & at_work};
    if (passing == no_repeats)
        return of_norms;
    return of_norms + layerActivationBytes(figures, form, no_repeats)
           - layerActivationBytes(figures, form, passing);
}

// The backward pass of a recurrence computes again what its convolution returned, and the states between
// chunks of the sequence, in fp32 (Mamba-2's kernels, and those of flash-linear-attention); it makes the
// gradient of what was projected.
std::int64_t recurrencePassingBytes(const IterationFigures& figures)
{
    const RecurrenceWidths widths = recurrenceWidths(figures.scenario.model, figures.tensor);
    return figures.tokens * elementBytes(figures) * (widths.projected() + widths.convolved())
           + bytesPerElement(Dtype::fp32) * recurrenceStates(figures);
}

// What passes at the attention of a layer, or its recurrence, when the feed-forward block has let go of its
// own.
MemoryTerm attentionPassing(const IterationFigures& figures, LayerForm form, const Repeats& repeats)
{
    const bool keeps_hidden = !repeats.has(hasExperts(form) ? RecomputeModule::moe : RecomputeModule::mlp);
    const std::int64_t freed = keeps_hidden ? hiddenActivationBytes(figures, form) : 0;
    if (!hasAttention(form))
        return {"gradients of the recurrence and what it computes again, less the MLP's activations that "
                "are free by then",
                (hasRecurrence(form) ? recurrencePassingBytes(figures) : 0) - freed};
    const std::int64_t scores = scoreGradientBytes(figures, repeats);
    const std::int64_t gathered = gatheredKeyBytes(figures);
    if (gathered > scores)
        return {"keys and values of the whole sequence and gradients, less the MLP's activations that are "
                "free by then",
                gathered - freed};
    return {repeats.second_products || repeats.has(RecomputeModule::core_attn)
                ? "recomputed attention scores and two gradients of them, less the MLP's activations that "
                  "are free by then"
                : "two gradients of the attention scores, less the MLP's activations that are free by then",
            scores - freed};
}

MemoryMoment layerMoment(const IterationFigures& figures, const StageShape& shape, LayerForm form)
{
    MemoryMoment moment{"the backward pass enters a layer", {}, {}};
    moment.form = form;
    // Where some layers of a chunk are computed again, its others, which go first, have let go of more.
    if (shape.recomputes_a_chunk)
        moment.kept = {recomputed_layer, layerActivationBytes(figures, form, no_repeats)};
    const Repeats repeats = repeatsOfOthers(figures.scenario);
    const std::int64_t hidden = hiddenActivationBytes(figures, form);
    const std::int64_t dispatched = dispatchedBytes(figures, form);
    const MemoryTerm attention = attentionPassing(figures, form, repeats);
    const std::int64_t norms = normsAlone(figures.scenario.model, form);
    const std::int64_t at_attention = norms - (hasExperts(form) ? std::min<std::int64_t>(norms, 1) : 0);
    const std::int64_t of_attention = againBytes(figures, form, repeats, attention_modules, at_attention);
    const std::int64_t of_feed_forward =
        againBytes(figures, form, repeats, feed_forward_modules, norms - at_attention);
    moment.passing.add("gradient of the layer's output", keptTensorBytes(figures));
    const bool is_at_attention = attention.each_bytes + of_attention > hidden + dispatched + of_feed_forward;
    if (is_at_attention) {
        moment.passing.add(attention);
    } else {
        moment.passing.add("gradient of the MLP's hidden activations", hidden);
        moment.passing.add("gradient of the dispatched tokens", dispatched);
    }
    if (const std::int64_t again = is_at_attention ? of_attention : of_feed_forward; again > 0)
        moment.kept = {recomputed_modules, again};
    moment.passing.add("gradients of the unit at work",
                       wholeGradientBytes(figures, shape, sharedOutParameters(figures, form)));
    return moment;
}

// A weight's gradient is a tensor of its own before it is added to those of earlier micro-batches; products
// that add it themselves return an empty one of its size.
std::int64_t vocabularyGradientBytes(const IterationFigures& figures)
{
    const bool is_apart = figures.micro_batches > 1 || sumsGradientsInProducts(figures.scenario);
    return is_apart ? elementBytes(figures) * figures.word_embedding : 0;
}

// What the loss's own backward pass makes beside the logits that it kept. Megatron-LM's writes the gradient
// over its fp32 copy and rounds it; DeepSpeed's fork holds the 16-bit logits and a second copy in fp32;
// PyTorch's log_softmax and nll_loss return one fp32 tensor each, and loss parallelism an exponential more.
std::int64_t lossGradientBytes(const IterationFigures& figures)
{
    const std::int64_t logits = logitsBytes(figures);
    switch (figures.scenario.conventions.framework) {
    case Framework::megatron:
        break;
    case Framework::deepspeed:
        return logits + logits / 4 * elementBytes(figures);
    case Framework::fsdp:
    case Framework::ddp:
        return (figures.tensor > 1 ? 3 : 2) * logits;
    }
    return logits / 4 * elementBytes(figures);
}

// The head's backward pass: its input gathered again, the input's gradient whole and then its part.
void addHeadBackward(const IterationFigures& figures, MemoryTerms& passing)
{
    passing.add("gradient of the head's weight", vocabularyGradientBytes(figures));
    passing.add("gradient of the head's input", figures.activation_bytes);
    if (figures.scenario.parallel.sequence_parallel && figures.tensor > 1) {
        passing.add("head's input, gathered", figures.activation_bytes);
        passing.add("its gradient, scattered", keptTensorBytes(figures));
    }
}

MemoryMoment headMoment(const IterationFigures& figures)
{
    const std::int64_t logits = logitsBytes(figures);
    MemoryMoment moment{"the backward pass leaves the loss", {"logits", logits}, {}};
    MemoryMoment at_head{"the backward pass leaves the head", {"gradients of the logits", logits}, {}};
    if (!figures.scenario.conventions.fused_cross_entropy) {
        moment.passing.add("gradients of the logits", lossGradientBytes(figures));
        at_head.kept.each_bytes = logits / bytesPerElement(Dtype::fp32) * elementBytes(figures);
    }
    addHeadBackward(figures, at_head.passing);
    moment.further = {"logits of the tokens further on", logits, figures.scenario.model.mtp_layers};
    at_head.further = moment.further;
    return moment.totalBytes() > at_head.totalBytes() ? moment : at_head;
}

// By then the micro-batch at work has let go of its layers.
MemoryMoment embeddingMoment(const IterationFigures& figures, const StageShape& shape)
{
    MemoryMoment moment{"the backward pass reaches the embedding", {}, {}};
    moment.passing.add("gradient of the embedding, less its layers' activations that are free by then",
                       vocabularyGradientBytes(figures)
                           - decoderActivationBytes(figures, shape) / figures.chunks());
    return moment;
}

// The last stage's copy for multi-token prediction, which only its modules are through with by then.
MemoryMoment embeddingCopyMoment(const IterationFigures& figures, const StageShape& shape)
{
    const LayerForm form = moduleSort(figures.scenario.model).form;
    const Repeats repeats = shape.recomputed.mtp > 0 ? whole_layer : repeatsOfOthers(figures.scenario);
    MemoryMoment moment{"the backward pass reaches the embedding of multi-token prediction", {}, {}};
    moment.passing.add("gradient of the embedding, less its layers' activations that are free by then",
                       vocabularyGradientBytes(figures)
                           - shape.counts.mtp * layerActivationBytes(figures, form, repeats));
    return moment;
}

MemoryMoment parameterListMoment(const IterationFigures& figures, const StageShape& shape)
{
    MemoryMoment moment{"the backward pass ends", {}, {}};
    moment.passing.add("gradients of the unit at work", wholeGradientBytes(figures, shape, 0));
    return moment;
}

} // namespace

std::int64_t sharedOutParameters(const IterationFigures& figures, LayerForm form)
{
    const LayerParameters& layer = figures.layer(form);
    const bool experts_too = !figures.experts_apart || figures.expert_data_group > 1;
    return experts_too ? layer.total() : layer.total() - layer.routed - layer.untrained;
}

bool sumsGradientsInProducts(const Scenario& scenario)
{
    return scenario.conventions.framework == Framework::megatron
           && scenario.training.precision != Precision::fp32 && scenario.training.gradient_bytes >= 4;
}

MemoryMoment fullestLayerMoment(const IterationFigures& figures, const StageShape& shape)
{
    MemoryMoment fullest{"the backward pass enters a layer", {}, {}};
    const bool has_experts = shape.counts.decoder[LayerForm::attention_experts] > 0;
    shape.counts.decoder.each([&](LayerForm form, std::int64_t) {
        if (form == LayerForm::attention_mlp && has_experts) // it comes before those
            return;
        const MemoryMoment moment = layerMoment(figures, shape, form);
        if (moment.totalBytes() > fullest.totalBytes())
            fullest = moment;
    });
    return fullest;
}

MemoryMoment fullestMoment(const IterationFigures& figures, const StageShape& shape)
{
    if (figures.scenario.model.kind == ModelKind::parameter_list)
        return parameterListMoment(figures, shape);
    MemoryMoment fullest = fullestLayerMoment(figures, shape);
    const auto consider = [&](const MemoryMoment& moment) {
        if (moment.totalBytes() > fullest.totalBytes())
            fullest = moment;
    };
    if (shape.last)
        consider(headMoment(figures));
    if (shape.first)
        consider(embeddingMoment(figures, shape));
    if (shape.embedding_copy)
        consider(embeddingCopyMoment(figures, shape));
    return fullest;
}

} // namespace shardscope
