#include "core/prediction/memory/activation_memory.h"

#include "core/prediction/model/layer_traits.h"
#include "core/prediction/time/task_order.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// Bytes of the scores of one token with `keys` others, all heads; kernels that never store them keep one
// statistic a head.
std::int64_t scoreBytes(const Scenario& scenario, std::int64_t element, std::int64_t keys)
{
    const Model& model = scenario.model;
    if (scenario.training.recompute == Recompute::selective)
        return 0;
    if (!storesScores(scenario))
        return bytesPerElement(Dtype::fp32) * model.attention_heads;
    const std::int64_t each = dropsOut(model) ? 2 * element + 1 : element;
    return each * model.attention_heads * keys;
}

// Heads of keys and values on all tensor ranks together: each has at least one.
std::int64_t heldKeyHeads(const IterationFigures& figures)
{
    return std::max<std::int64_t>(figures.scenario.model.kv_heads, figures.tensor);
}

std::int64_t attentionInputs(const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    const Mla& mla = model.mla;
    if (mla.kv_lora_rank == 0)
        return 2 * model.head_dim * (model.attention_heads + heldKeyHeads(figures));
    const std::int64_t query = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
    return model.attention_heads * 2 * (query + mla.v_head_dim);
}

// Tokens that pass through experts are kept as the experts' products read them, which the tensor group
// gathers where tokens are split and does not gather again, and as they come back.
TokenBytes feedForwardBytes(const IterationFigures& figures, bool moe, std::int64_t element)
{
    const Model& model = figures.scenario.model;
    const std::int64_t tensors = model.gated_mlp ? 3 : 2;
    TokenBytes bytes{0, tensors * element * computedMlpWidth(figures, moe), 0};
    if (moe) {
        bytes.gathered = std::llround(static_cast<double>(element * model.hidden_size) * figures.expert_rows);
        bytes.whole = bytes.gathered;
    }
    return bytes;
}

// Queries, values and what attention returns. Latent attention projects keys and values of all heads in one.
std::int64_t operatorResults(const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    const Mla& mla = model.mla;
    if (mla.kv_lora_rank == 0)
        return model.head_dim * (2 * model.attention_heads + heldKeyHeads(figures));
    return model.attention_heads * (2 * mla.qk_nope_head_dim + mla.qk_rope_head_dim + 2 * mla.v_head_dim);
}

// PyTorch's selective checkpointing as torchtitan sets it up ("op"): the layer's input, what attention
// returns, and the result of every other matrix product, the first of each pass included: of wq, wk, wv, wo,
// w1, w3, w2 that is wq, wv, w1 and w2.
TokenBytes operatorCheckpointBytes(const IterationFigures& figures, bool moe)
{
    const Model& model = figures.scenario.model;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    TokenBytes bytes;
    bytes.whole = element * model.hidden_size * (model.gated_mlp ? 2 : 1);
    bytes.split = element * (operatorResults(figures) + computedMlpWidth(figures, moe))
                  + bytesPerElement(Dtype::fp32) * model.attention_heads;
    return bytes;
}

// Ulysses keeps attention's result twice: as it is computed, by heads, and as the output projection reads it,
// by tokens (Transformer Engine since 2.8).
std::int64_t exchangedOutputBytes(const Scenario& scenario, std::int64_t element)
{
    const bool exchanges =
        scenario.parallel.context > 1 && scenario.parallel.context_method == ContextMethod::ulysses;
    return exchanges ? element * attentionOutputWidth(scenario.model) : 0;
}

TokenBytes wholeLayerBytes(const IterationFigures& figures, bool moe, std::int64_t keys)
{
    const Model& model = figures.scenario.model;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    TokenBytes bytes = feedForwardBytes(figures, moe, element);
    // Input and output of every norm; masks after attention and MLP.
    bytes.whole += model.hidden_size * (2 * model.norms_per_layer * element + (dropsOut(model) ? 2 : 0));
    if (model.mla.kv_lora_rank > 0)
        bytes.whole +=
            element * (model.mla.q_lora_rank + model.mla.kv_lora_rank + model.mla.qk_rope_head_dim);
    bytes.split += element * attentionInputs(figures) + scoreBytes(figures.scenario, element, keys)
                   + exchangedOutputBytes(figures.scenario, element);
    return bytes;
}

std::int64_t share(const IterationFigures& figures, std::int64_t tokens, const TokenBytes& bytes)
{
    const std::int64_t whole = tokens * bytes.whole;
    const std::int64_t split = tokens * bytes.split;
    if (figures.scenario.parallel.sequence_parallel)
        return (whole + split) / figures.tensor + tokens * bytes.gathered;
    return whole + split / figures.tensor + tokens * bytes.gathered;
}

std::int64_t encoderLayerBytes(const IterationFigures& figures, Recompute recompute)
{
    const std::int64_t split = figures.scenario.parallel.sequence_parallel ? figures.tensor : 1;
    if (recompute == Recompute::full)
        return figures.encoder_bytes / split;
    const TokenBytes bytes = wholeLayerBytes(figures, false, figures.scenario.model.encoderLength());
    return share(figures, figures.encoder_tokens, bytes);
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

// The same section: the final norm and the head keep their inputs.
std::int64_t headInputBytes(const IterationFigures& figures)
{
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    return share(figures, figures.tokens, {2 * element * figures.scenario.model.hidden_size, 0});
}

// What the weight gradients of one dense layer wait with: the inputs of its products, and the gradients of
// what they gave. 32sbh for a GPT (Qi et al. 2024, Table 1).
TokenBytes weightGradientTokenBytes(const IterationFigures& figures, bool moe)
{
    const Model& model = figures.scenario.model;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t products = model.gated_mlp ? 3 : 2;
    return {4 * element * model.hidden_size,
            element * (attentionInputs(figures) + products * computedMlpWidth(figures, moe))};
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

// Attention to an encoder: input and output of its norm, a mask, queries, scores and output for the decoder's
// tokens; keys and values for the encoder's, whose output itself is kept once.
std::int64_t crossAttentionBytes(const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    if (!model.hasEncoder())
        return 0;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    TokenBytes decoder;
    decoder.whole = model.hidden_size * (2 * element + (dropsOut(model) ? 1 : 0));
    decoder.split = element * 2 * model.head_dim * model.attention_heads
                    + scoreBytes(figures.scenario, element, model.encoderLength());
    const TokenBytes encoder{0, element * 2 * model.head_dim * heldKeyHeads(figures), 0};
    return share(figures, figures.tokens, decoder) + share(figures, figures.encoder_tokens, encoder);
}

TokenBytes layerTokenBytes(const IterationFigures& figures, bool moe, Recompute recompute)
{
    const Model& model = figures.scenario.model;
    if (recompute == Recompute::full)
        return {bytesPerElement(figures.activation_dtype) * model.hidden_size, 0, 0};
    if (recompute == Recompute::selective && checkpointsOperators(figures.scenario))
        return operatorCheckpointBytes(figures, moe);
    return wholeLayerBytes(figures, moe, model.sequence_length);
}

std::int64_t layerActivationBytes(const IterationFigures& figures, bool moe, Recompute recompute)
{
    const std::int64_t own = share(figures, figures.tokens, layerTokenBytes(figures, moe, recompute));
    const bool keeps_input_alone =
        recompute == Recompute::full
        || (recompute == Recompute::selective && checkpointsOperators(figures.scenario));
    return own + (moe || keeps_input_alone ? 0 : crossAttentionBytes(figures));
}

std::int64_t encoderActivationBytes(const IterationFigures& figures, const StageShape& shape)
{
    if (shape.encoder_layers == 0)
        return 0;
    const Recompute recompute = figures.scenario.training.recompute;
    return shape.encoder_layers * encoderLayerBytes(figures, recompute)
           + encoderLayerBytes(figures, Recompute::full);
}

std::int64_t stageActivationBytes(const IterationFigures& figures, const StageShape& shape,
                                  Recompute recompute)
{
    return encoderActivationBytes(figures, shape)
           + shape.dense_layers * layerActivationBytes(figures, false, recompute)
           + shape.moe_layers * layerActivationBytes(figures, true, recompute);
}

// No more than fit into what the first stage needs, p micro-batches with ZB-H1 and 2p - 1 with ZB-H2 (Qi et
// al. 2024, section 2). Full recomputation keeps far less of a micro-batch than a put-off gradient does,
// which keeps the same tensors either way: there it is what fits without it.
PutOffGradients putOffGradients(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    const std::int64_t in_flight = chunksInFlight(scenario, shape.stage); // one chunk each
    const std::int64_t put_off = std::min<std::int64_t>(
        weightGradientsPutOff(scenario.parallel.schedule, shape.stage), figures.micro_batches - in_flight);
    if (put_off <= 0)
        return {};
    const std::int64_t dense = share(figures, figures.tokens, weightGradientTokenBytes(figures, false));
    const std::int64_t moe = share(figures, figures.tokens, weightGradientTokenBytes(figures, true));
    const Recompute recompute = scenario.training.recompute;
    return {put_off, shape.dense_layers * dense + shape.moe_layers * moe,
            (scenario.parallel.schedule == Schedule::zb_h2 ? 2 : 1) * shape.stage,
            stageActivationBytes(figures, shape, recompute == Recompute::full ? Recompute::none : recompute)};
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
    case Schedule::interleaved:
        return std::min(all, v > 1 ? 2 * after + (v - 1) * p + 1 : after + 1);
    case Schedule::zb_h2:
        return std::min(all, 2 * after + 1);
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
    terms.add({"layers of the stage", stageActivationBytes(figures, shape, scenario.training.recompute),
               chunks, v});
    terms.add({"the pipeline's buffers", pipelineBufferBytes(figures, shape), micro_batches});
    terms.add(put_off_gradients, putOffGradients(figures, shape).bytes());
    if (shape.first)
        terms.add({"the embedding's dropout mask", embeddingBytes(figures), micro_batches});
    if (shape.last) {
        const std::int64_t losses = lossesInFlight(scenario, micro_batches);
        terms.add({"inputs of the final norm and the head", headInputBytes(figures), losses});
        terms.add("logits of the micro-batches that wait", (losses - 1) * logitsBytes(figures));
    }
    return terms;
}

} // namespace shardscope
