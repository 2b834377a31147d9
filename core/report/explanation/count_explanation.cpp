#include "core/base/format.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"
#include "core/scenario/layer_form_words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

std::string count(std::int64_t value)
{
    return formatCount(static_cast<double>(value));
}

const char* parameterSource(const Model& model)
{
    if (model.kind == ModelKind::parameter_list)
        return "the model's list of tensors";
    if (model.hasForm(hasRecurrence))
        return model.recurrence.kind == RecurrenceKind::mamba2
                   ? "Dao & Gu 2024, section 7; Megatron-LM, MambaMixer; weight by weight"
                   : "Yang et al. 2024 (Gated Delta Networks); transformers, Qwen3NextGatedDeltaNet; weight "
                     "by weight";
    if (model.mla.kv_lora_rank > 0)
        return "DeepSeek-V2 and V3 technical reports; weight by weight";
    return model.gated_mlp ? "Touvron et al. 2023 and Grattafiori et al. 2024; weight by weight"
                           : "Narayanan et al. 2021, Eq. 2";
}

// One layer on one rank that has it all: its weights, biases and norms.
std::string layerFormula(const Model& model)
{
    if (model.mla.kv_lora_rank > 0)
        return "h rq + rq + rq a (dn + dr) + h (rkv + dr) + rkv + rkv a (dn + dv) + a dv h, the MLP and two "
               "norms";
    std::string text = "2 h a dh + 2 h k dh + ";
    text += model.gated_mlp ? "3 h f" : "2 h f";
    if (model.linear_bias)
        text +=
            model.gated_mlp ? " + biases (a dh + 2 k dh + 2 f + 2 h)" : " + biases (a dh + 2 k dh + f + 2 h)";
    else if (model.qkv_bias)
        text += " + biases (a dh + 2 k dh)";
    if (model.attention_gate)
        text += " + h a dh for the gate";
    if (model.qk_norm)
        text += " + norms of queries and keys";
    const std::int64_t norms = model.norms_per_layer * (model.norm == Norm::layernorm ? 2 : 1);
    return text + " + norms " + std::to_string(norms) + " h";
}

std::string layerName(LayerForm form)
{
    if (form == LayerForm::attention_mlp)
        return "layer";
    return form == LayerForm::attention_experts ? "MoE layer"
                                                : "layer of " + std::string{layerFormWords(form)};
}

std::string layersName(LayerForm form)
{
    return form == LayerForm::attention_experts ? "MoE layers" : "layers";
}

// What stands in the place of attention.
std::string recurrenceFormula(const Model& model)
{
    const bool is_mamba = model.recurrence.kind == RecurrenceKind::mamba2;
    return std::string{" A recurrence has h (2 d + 2 n + "} + (is_mamba ? "heads" : "2 heads")
           + ") to its values, gate, keys, queries and numbers of heads, a convolution over d + 2 n, "
           + (is_mamba ? "three numbers a head, a norm over d" : "two numbers a head, a norm over a head")
           + ", and d h back, with d = heads dv and n = groups dk.";
}

// Whole layers and ends of the model, held by one rank alone.
Sum wholeModel(const Model& model, bool active)
{
    const Shards none{1, 1};
    LayersBySort layers = layersBySort(model);
    layers.decoder[LayerForm::attention_mlp] += layers.encoder; // of the same size
    const std::int64_t unused =
        active ? std::max<std::int64_t>(0, model.experts.count - model.experts.per_token) : 0;
    Sum sum;
    layers.decoder.each([&](LayerForm form, std::int64_t of_form) {
        const std::int64_t layer = layerParameters(model, form, none).total();
        const bool in_use = active && hasExperts(form);
        sum.add(Product{}
                    .times(layersName(form), of_form)
                    .times(layerName(form) + (in_use ? " in use" : ""),
                           hasExperts(form) ? layer - unused * expertParameters(model, 1) : layer));
    });
    if (model.hasEncoder())
        sum.add(Product{}
                    .times("layers of the decoder", model.layers)
                    .times("attention to the encoder", crossAttentionParameters(model, 1).total()));
    if (model.mtp_layers > 0)
        sum.add(Product{}
                    .times("modules", model.mtp_layers)
                    .times("projection and norms", mtpExtraParameters(model, 1).total()));
    Product vocabulary;
    if (!model.tied_embeddings)
        vocabulary.times("2", 2); // the embedding and a head of its own
    sum.add(vocabulary.times("V", model.vocab_size).times("h", model.hidden_size));
    sum.add(model.position_embedding == PositionEmbedding::relative ? "relative positions" : "positions s h",
            positionParameters(model, 1));
    sum.add("token types and norm of the embeddings", embeddingExtraParameters(model));
    sum.add("final norm", finalNormParameters(model));
    sum.add("BERT's heads", headTransformParameters(model) + sentenceHeadParameters(model));
    sum.add("bias of the head", hasHeadBias(model) ? model.vocab_size : 0);
    return sum;
}

// "671 B parameters, 37.6 B active: ..."; a dense model's are all in use.
std::string usedText(const ParameterCount& parameters)
{
    if (parameters.active == parameters.total)
        return {};
    return count(parameters.total) + " parameters, " + count(parameters.active)
           + " active: those that a token passes through. ";
}

Explanation explainParameters(const ExplainedRun& run, bool active)
{
    const Model& model = run.scenario.model;
    const std::int64_t value = active ? run.prediction.parameters.active : run.prediction.parameters.total;
    Explanation explanation;
    explanation.title = active ? "Parameters in use by a token" : "Parameters";
    explanation.source = parameterSource(model);
    if (model.kind == ModelKind::parameter_list) {
        explanation.why = "The model is a list of " + std::to_string(model.tensors.size()) + " tensors.";
        explanation.formula = "sum of the tensors";
        explanation.with_values = worked(plain(value), count(value));
        return explanation;
    }
    const Sum sum = wholeModel(model, active);
    explanation.why = active ? "" : usedText(run.prediction.parameters);
    explanation.why += "The vocabulary counts as it is, without padding. A layer "
                       + std::string{model.layer_pattern.empty() ? "" : "with attention and MLP "} + "has "
                       + layerFormula(model) + ".";
    if (model.hasForm(hasRecurrence))
        explanation.why += recurrenceFormula(model);
    if (model.mtp_layers > 0)
        explanation.why += " Multi-token prediction has "
                           + countedSentence(model.mtp_layers, "one layer", "# layers")
                           + " more, each with a projection of 2 h by h and three norms; embedding and head "
                             "are the model's.";
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), count(value));
    return explanation;
}

Explanation explainFullestRank(const ExplainedRun& run)
{
    const auto fullest = std::ranges::max_element(run.shapes, {}, &StageShape::parameters);
    Sum sum;
    fullest->counts.decoder.each([&](LayerForm form, std::int64_t layers) {
        sum.add(Product{}
                    .times(layersName(form), layers)
                    .times(layerName(form) + " of one rank", run.figures.layer(form).total()));
    });
    sum.add(Product{}
                .times("layers of the encoder", fullest->counts.encoder)
                .times("layer of one rank", run.figures.encoder_layer.total()));
    sum.add(Product{}
                .times("modules", fullest->counts.mtp)
                .times("projection and norms of one rank", run.figures.mtp_extra.total()));
    sum.add("embedding, positions, head, final norm", fullest->end_parameters);
    Explanation explanation;
    explanation.title = "Parameters on the fullest rank";
    explanation.why =
        "Stage " + plain(std::int64_t{fullest->stage})
        + " holds most. Tensor ranks split the matrices and keep norms and row-parallel biases whole; the "
          "vocabulary is padded to a multiple of "
        + plain(run.scenario.model.vocab_padding) + " * t.";
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), count(run.prediction.parameters.per_rank_max));
    explanation.source = "Narayanan et al. 2021, section 2.3";
    return explanation;
}

Explanation explainWorld(const ExplainedRun& run)
{
    const Parallel& parallel = run.scenario.parallel;
    const Product product = Product{}
                                .times("p", parallel.pipeline)
                                .times("t", parallel.tensor)
                                .times("c", parallel.context)
                                .times("d", parallel.data);
    return {"GPUs",
            parallel.holdsExpertsWhole()
                ? "One process for each GPU; experts share the ranks of tensor, data and context."
                : "One process for each GPU; experts share the ranks of data and context.",
            product.symbols(), worked(product.values(), std::to_string(run.prediction.world_size)),
            "Narayanan et al. 2021, section 3"};
}

Explanation explainMicroBatches(const ExplainedRun& run)
{
    const Training& training = run.scenario.training;
    const Product product = Product{}
                                .times("gb", training.global_batch_size)
                                .over("b", training.micro_batch_size)
                                .over("d", run.scenario.parallel.data);
    return {"Micro-batches of one replica",
            "Each replica works through its part of the batch one micro-batch after another.",
            product.symbols(), worked(product.values(), std::to_string(run.prediction.micro_batches)),
            "Narayanan et al. 2021, section 2.2"};
}

} // namespace

Explanation explainCount(Figure figure, const ExplainedRun& run)
{
    switch (figure) {
    case Figure::parameters_active:
        return explainParameters(run, true);
    case Figure::parameters_per_rank:
        return explainFullestRank(run);
    case Figure::world_size:
        return explainWorld(run);
    case Figure::micro_batches:
        return explainMicroBatches(run);
    case Figure::model_flops:
        return explainFlops(run, false);
    case Figure::hardware_flops:
        return explainFlops(run, true);
    default:
        return explainParameters(run, false);
    }
}

} // namespace shardscope
