#include "core/prediction/memory/activation_memory.h"

#include "core/prediction/memory/token_terms.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/time/task_order.h"
#include "core/scenario/micro_batch_groups.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// For one token: what every tensor rank keeps whole (unless tokens are split), what the tensor group splits,
// and what each of its ranks has of all tokens, split or not.
struct TokenBytes {
    std::int64_t whole = 0;
    std::int64_t split = 0;
    std::int64_t gathered = 0;
};

// Adds terms up; what they are called is of no interest.
struct TokenByteSum {
    using Number = std::int64_t;

    static Number named(const char* /*symbol*/, Number value) { return value; }
    static Number scaled(Number number, const char* /*symbol*/, double factor)
    {
        return std::llround(static_cast<double>(number) * factor);
    }
    void keep(KeptBy by, const char* /*name*/, const char* /*meaning*/, Number number)
    {
        (by == KeptBy::every_rank ? bytes.whole
         : by == KeptBy::share    ? bytes.split
                                  : bytes.gathered) += number;
    }

    TokenBytes bytes;
};

std::int64_t share(const IterationFigures& figures, std::int64_t tokens, const TokenBytes& bytes)
{
    const std::int64_t whole = tokens * bytes.whole;
    const std::int64_t split = tokens * bytes.split;
    if (figures.scenario.parallel.sequence_parallel)
        return (whole + split) / figures.tensor + tokens * bytes.gathered;
    return whole + split / figures.tensor + tokens * bytes.gathered;
}

// Bytes on one rank of the terms that `add` asks for, of so many tokens.
template<class Add>
std::int64_t bytesOf(const IterationFigures& figures, std::int64_t tokens, Add add)
{
    TokenByteSum sum;
    add(TokenTerms{figures, sum});
    return share(figures, tokens, sum.bytes);
}

// DeepSpeed's pipeline keeps what a stage was handed and what it handed on of every micro-batch in flight
// (PipelineEngine.pipe_buffers); the layers' own inputs are copies.
std::int64_t pipelineBufferBytes(const IterationFigures& figures, const StageShape& shape)
{
    if (figures.scenario.conventions.framework != Framework::deepspeed || !figures.pipelined())
        return 0;
    return (shape.first ? 0 : figures.activation_bytes) + (shape.last ? 0 : figures.activation_bytes);
}

// Korthikanti et al., section 4.3: the embedding's dropout mask.
std::int64_t embeddingBytes(const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    return dropsOut(model) ? share(figures, figures.tokens + figures.encoder_tokens, {model.hidden_size, 0})
                           : 0;
}

// The same section: the final norm and the head keep their inputs, as do those of multi-token prediction.
std::int64_t headInputBytes(const IterationFigures& figures)
{
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const Model& model = figures.scenario.model;
    return share(figures, figures.tokens, {2 * element * model.hidden_size * (1 + model.mtp_layers), 0});
}

// How many a stage has put off at its fullest, and how many whole ones would fit there. Full recomputation
// keeps far less of a micro-batch than a put-off gradient does, which keeps the same tensors either way.
struct PutOffCount {
    std::int64_t micro_batches = 0;
    std::int64_t room = 0;
};

// zb-h1, zb-h2: no more than fit into what the first stage needs, p micro-batches with ZB-H1 and 2p - 1 with
// ZB-H2 (Qi et al. 2024, section 2). In a V the chunks in flight have them already, but for what
// recomputation does not keep of those: then the most that the order puts off while the pipeline drains.
PutOffCount putOffCount(const IterationFigures& figures, int stage)
{
    const Scenario& scenario = figures.scenario;
    const Schedule schedule = scenario.parallel.schedule;
    if (isVShaped(schedule)) {
        const std::int64_t most = schedule == Schedule::zb_v ? stage + 1 : 1;
        return {std::min(figures.micro_batches, most),
                mostChunksHeld(schedule, static_cast<int>(scenario.parallel.pipeline)) / 2};
    }
    const std::int64_t in_flight = chunksInFlight(scenario, stage); // one chunk each
    return {std::min<std::int64_t>(weightGradientsPutOff(schedule, stage), figures.micro_batches - in_flight),
            std::int64_t{schedule == Schedule::zb_h2 ? 2 : 1} * stage};
}

// Micro-batches whose loss waits for its backward pass.
std::int64_t lossesInFlight(const Scenario& scenario, std::int64_t micro_batches)
{
    return scenario.parallel.schedule == Schedule::gpipe ? micro_batches : 1;
}

} // namespace

std::int64_t keptTensorBytes(const IterationFigures& figures)
{
    return figures.scenario.parallel.sequence_parallel ? figures.activation_bytes / figures.tensor
                                                       : figures.activation_bytes;
}

std::int64_t crossAttentionBytes(const IterationFigures& figures, LayerForm form, const Repeats& repeats)
{
    if (!figures.scenario.model.hasEncoder() || !hasMlp(form) || repeats.layer || repeats.second_products)
        return 0;
    return bytesOf(figures, figures.tokens, [&](const auto& terms) { terms.addCrossAttention(repeats); })
           + bytesOf(figures, figures.encoder_tokens, [](const auto& terms) { terms.addCrossKeys(); });
}

std::int64_t layerActivationBytes(const IterationFigures& figures, LayerForm form, const Repeats& repeats)
{
    return bytesOf(figures, figures.tokens, [&](const auto& terms) { terms.addLayer(form, repeats); })
           + crossAttentionBytes(figures, form, repeats);
}

std::int64_t encoderLayerBytes(const IterationFigures& figures, const Repeats& repeats)
{
    return bytesOf(figures, figures.encoder_tokens,
                   [&](const auto& terms) { terms.addEncoderLayer(repeats); });
}

namespace
{

std::int64_t encoderBytes(const IterationFigures& figures, const StageShape& shape, const Repeats& others)
{
    if (shape.counts.encoder == 0)
        return 0;
    const std::int64_t again = shape.recomputed.encoder;
    const std::int64_t tensor = encoderLayerBytes(figures, whole_layer);
    return again * tensor + (shape.counts.encoder - again) * encoderLayerBytes(figures, others) + tensor;
}

std::int64_t decoderBytes(const IterationFigures& figures, const StageShape& shape, const Repeats& others)
{
    std::int64_t bytes = 0;
    shape.counts.decoder.each([&](LayerForm form, std::int64_t layers) {
        const std::int64_t again = shape.recomputed.decoder[form];
        if (again > 0)
            bytes += again * layerActivationBytes(figures, form, whole_layer);
        if (layers > again)
            bytes += (layers - again) * layerActivationBytes(figures, form, others);
    });
    return bytes;
}

// `others`: what of those layers is computed again that are not whole.
std::int64_t layersBytes(const IterationFigures& figures, const StageShape& shape, const Repeats& others)
{
    return encoderBytes(figures, shape, others) + decoderBytes(figures, shape, others);
}

} // namespace

std::int64_t decoderActivationBytes(const IterationFigures& figures, const StageShape& shape)
{
    return decoderBytes(figures, shape, repeatsOfOthers(figures.scenario));
}

std::int64_t stageActivationBytes(const IterationFigures& figures, const StageShape& shape)
{
    return layersBytes(figures, shape, repeatsOfOthers(figures.scenario));
}

std::int64_t weightGradientWaitBytes(const IterationFigures& figures, LayerForm form)
{
    return bytesOf(figures, figures.tokens, [&](const auto& terms) { terms.addWeightGradients(form); });
}

std::int64_t mtpInputBytes(const IterationFigures& figures, const StageShape& shape)
{
    const std::int64_t tensors = shape.recomputed.mtp > 0 ? 1 : 4; // the projection's is of 2h
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    return share(figures, figures.tokens, {tensors * element * figures.scenario.model.hidden_size, 0});
}

std::int64_t mtpGradientWaitBytes(const IterationFigures& figures)
{
    const std::int64_t tensor =
        bytesPerElement(figures.activation_dtype) * figures.scenario.model.hidden_size;
    return share(figures, figures.tokens, {2 * tensor, tensor});
}

namespace
{

// Recomputed scores are no part of a weight's gradient.
Repeats keptForWeights(const Scenario& scenario)
{
    Repeats repeats = repeatsOfOthers(scenario);
    repeats.modules = repeats.modules & RecomputeModules{RecomputeModule::core_attn};
    return repeats;
}

// What the weight gradients of a stage's layers wait with, of one micro-batch. In a V only what recomputation
// has not kept in any case.
std::int64_t waitingBytes(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    const bool is_kept = isVShaped(scenario.parallel.schedule);
    const Repeats others = repeatsOfOthers(scenario);
    const auto ofLayers = [&](LayerForm form, std::int64_t layers) {
        const std::int64_t again = shape.recomputed.decoder[form];
        const std::int64_t waits = weightGradientWaitBytes(figures, form);
        if (!is_kept)
            return layers * waits;
        const std::int64_t whole = layerActivationBytes(figures, form, keptForWeights(scenario));
        const auto missing = [&](const Repeats& repeats) {
            return std::min(waits, whole - layerActivationBytes(figures, form, repeats));
        };
        return again * missing(whole_layer) + (layers - again) * missing(others);
    };
    std::int64_t bytes = (is_kept ? shape.recomputed.mtp : shape.counts.mtp) * mtpGradientWaitBytes(figures);
    shape.counts.decoder.each([&](LayerForm form, std::int64_t layers) { bytes += ofLayers(form, layers); });
    return bytes;
}

} // namespace

PutOffGradients putOffGradients(const IterationFigures& figures, const StageShape& shape)
{
    const PutOffCount put_off = putOffCount(figures, shape.stage);
    if (put_off.micro_batches <= 0)
        return {};
    StageShape kept = shape; // as if no layer were computed again whole
    kept.recomputed = {};
    return {put_off.micro_batches, waitingBytes(figures, shape), put_off.room,
            layersBytes(figures, kept, keptForWeights(figures.scenario))};
}

std::int64_t chunksInFlight(const Scenario& scenario, int stage)
{
    const std::int64_t p = scenario.parallel.pipeline;
    const std::int64_t v = scenario.parallel.virtual_stages;
    const std::int64_t all = scenario.microBatches() * v;
    const std::int64_t after = p - 1 - stage;
    switch (scenario.parallel.schedule) {
    case Schedule::gpipe:
        return all;
    case Schedule::interleaved: {
        const std::int64_t group =
            microBatchGroup(scenario.parallel, scenario.conventions.framework, scenario.microBatches());
        return std::min(all, v > 1 ? 2 * after + (v - 1) * group + 1 : after + 1);
    }
    case Schedule::zb_h2:
        return std::min(all, 2 * after + 1);
    case Schedule::zb_v: // those whose weight gradients are put off are among them
    case Schedule::v_half:
    case Schedule::v_min:
        return std::min<std::int64_t>(all, mostChunksHeld(scenario.parallel.schedule, static_cast<int>(p)));
    case Schedule::dualpipe:
        return std::min(all, p + 1);
    case Schedule::one_f_one_b:
    case Schedule::zb_h1:
        break;
    }
    return std::min(all, (after + 1) * v);
}

std::int64_t logitsBytes(const IterationFigures& figures)
{
    const std::int64_t element = figures.scenario.conventions.fused_cross_entropy
                                     ? bytesPerElement(figures.activation_dtype)
                                     : bytesPerElement(Dtype::fp32);
    return figures.tokens * element
           * (paddedVocabulary(figures.scenario.model, figures.tensor) / figures.tensor);
}

MemoryTerms keptActivations(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    MemoryTerms terms;
    if (scenario.model.kind == ModelKind::parameter_list)
        return terms;
    const std::int64_t chunks = chunksInFlight(scenario, shape.stage);
    const std::int64_t v = figures.chunks();
    const std::int64_t micro_batches = (chunks + v - 1) / v;
    terms.add({layers_of_stage, stageActivationBytes(figures, shape), chunks, v});
    terms.add({"the pipeline's buffers", pipelineBufferBytes(figures, shape), micro_batches});
    terms.add(put_off_gradients, putOffGradients(figures, shape).bytes());
    if (shape.first)
        terms.add({"the embedding's dropout mask", embeddingBytes(figures), micro_batches});
    if (shape.last) {
        const std::int64_t losses = lossesInFlight(scenario, micro_batches);
        terms.add(
            {"inputs of multi-token prediction", shape.counts.mtp * mtpInputBytes(figures, shape), losses});
        terms.add({"inputs of the final norm and the head", headInputBytes(figures), losses});
        terms.add("logits of the micro-batches that wait",
                  (losses - 1) * (1 + scenario.model.mtp_layers) * logitsBytes(figures));
    }
    return terms;
}

} // namespace shardscope
