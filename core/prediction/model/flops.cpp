#include "core/prediction/model/flops.h"

#include "core/base/quantity.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/model/recurrence.h"
#include "core/prediction/model/stage_layout.h"

namespace shardscope
{

namespace
{

double projectionWeights(const Model& model)
{
    const double h = asDouble(model.hidden_size);
    const double heads = asDouble(model.attention_heads);
    const Mla& mla = model.mla;
    if (mla.kv_lora_rank == 0) {
        // The gate goes in only; the 2 counts in and out.
        const double gated = model.attention_gate ? 0.5 * heads : 0.0;
        return 2.0 * h * asDouble(model.head_dim) * (heads + asDouble(model.kv_heads) + gated);
    }
    const double query = heads * asDouble(mla.qk_nope_head_dim + mla.qk_rope_head_dim);
    const double query_weights = mla.q_lora_rank > 0 ? asDouble(mla.q_lora_rank) * (h + query) : h * query;
    const double key_values = heads * asDouble(mla.qk_nope_head_dim + mla.v_head_dim);
    return query_weights + h * asDouble(mla.kv_lora_rank + mla.qk_rope_head_dim)
           + asDouble(mla.kv_lora_rank) * key_values + heads * asDouble(mla.v_head_dim) * h;
}

double feedForwardWeights(const Model& model, double width)
{
    return (model.gated_mlp ? 3.0 : 2.0) * asDouble(model.hidden_size) * width;
}

double moeWeights(const Model& model)
{
    return feedForwardWeights(model, asDouble(mlpWidth(model, LayerForm::attention_experts)))
           + asDouble(model.hidden_size * model.experts.count);
}

// Of the whole model, those that are computed again whole.
LayersBySort layersAgain(const Scenario& scenario)
{
    if (scenario.training.recompute != Recompute::full)
        return {};
    if (scenario.training.recompute_layers == 0)
        return layersBySort(scenario.model);
    LayersBySort counts;
    counts.encoder = wholeLayersAgain(scenario.training, scenario.model.encoder_layers);
    std::int64_t begin = 0;
    for (const std::int64_t layers : chunkLayers(IterationFigures{scenario})) {
        const std::int64_t end = begin + wholeLayersAgain(scenario.training, layers);
        for (std::int64_t layer = begin; layer < end; ++layer)
            ++counts.decoder[layerForm(scenario.model, layer)];
        begin += layers;
    }
    return counts;
}

// The encoder's layers on its own tokens, and the decoder's attention to them: queries and output for each
// token of the decoder, keys and values for each of the encoder.
void addEncoder(const Model& model, const LayersBySort& layers, ForwardFlops& flops)
{
    const double s = asDouble(model.sequence_length);
    const double encoder = asDouble(model.encoderLength());
    const double h = asDouble(model.hidden_size);
    const double head_dim = asDouble(model.head_dim);
    const ProductWeights weights = productWeights(model);
    flops.layers += asDouble(layers.encoder) * 2.0 * encoder * (weights.projections + weights.mlp);
    flops.attention +=
        asDouble(layers.encoder) * 2.0 * encoder * encoder * asDouble(attentionProductWidth(model));
    const double cross = s * asDouble(model.attention_heads) + encoder * asDouble(model.kv_heads);
    const double decoder = asDouble(layers.decoder.all());
    flops.layers += decoder * 2.0 * 2.0 * h * head_dim * cross;
    flops.attention += decoder * 2.0 * s * encoder * asDouble(attentionProductWidth(model));
}

// Of so many layers, without logits.
ForwardFlops flopsOf(const Model& model, const LayersBySort& counts, bool causal)
{
    const double s = asDouble(model.sequence_length);
    const LayersByForm<std::int64_t>& layers = counts.decoder;
    const double attention_layers = asDouble(layers.with(hasAttention));
    const double recurrences = asDouble(layers.with(hasRecurrence));
    const double h = asDouble(model.hidden_size);
    ForwardFlops flops;
    const ProductWeights weights = productWeights(model);
    flops.layers = 2.0 * s
                   * (attention_layers * weights.projections + recurrences * weights.recurrence
                      + asDouble(layers.with(hasMlp)) * weights.mlp
                      + asDouble(layers.with(hasExperts)) * weights.experts);
    flops.layers += 2.0 * s * asDouble(counts.mtp) * 2.0 * h * h; // from 2h to h in each module
    const double counted = causal && !looksBothWays(model) ? 0.5 : 1.0;
    flops.attention = 2.0 * s * s * attention_layers * asDouble(attentionProductWidth(model)) * counted
                      * shareInWindows(model);
    if (recurrences > 0.0)
        flops.recurrence = s * recurrences * recurrenceFlops(model);
    if (model.hasEncoder())
        addEncoder(model, counts, flops);
    return flops;
}

// Of one token in the modules of one layer beside attention's core: weights that it is multiplied with.
double weightsAgain(const Model& model, LayerForm form, const Repeats& repeats)
{
    const Experts& experts = model.experts;
    const Mla& mla = model.mla;
    double weights = 0.0;
    if (repeats.has(RecomputeModule::mla_up_proj) && hasAttention(form) && mla.kv_lora_rank > 0) {
        const std::int64_t query = mla.q_lora_rank > 0 ? mla.q_lora_rank : model.hidden_size;
        weights += asDouble(model.attention_heads)
                   * asDouble(query * (mla.qk_nope_head_dim + mla.qk_rope_head_dim)
                              + mla.kv_lora_rank * (mla.qk_nope_head_dim + mla.v_head_dim));
    }
    if (!hasExperts(form))
        return weights
               + (repeats.has(RecomputeModule::mlp) && hasMlp(form) ? productWeights(model).mlp : 0.0);
    if (repeats.has(RecomputeModule::moe))
        return weights + productWeights(model).experts;
    if (repeats.has(RecomputeModule::shared_experts))
        weights += feedForwardWeights(model, asDouble(experts.shared * experts.ffn_hidden_size));
    return weights;
}

double flopsOfModules(const Scenario& scenario, const Repeats& repeats)
{
    const Model& model = scenario.model;
    const LayersBySort all = layersBySort(model);
    const double s = asDouble(model.sequence_length);
    double flops = 0.0;
    all.decoder.each([&](LayerForm form, std::int64_t layers) {
        flops += 2.0 * s * asDouble(layers) * weightsAgain(model, form, repeats);
    });
    flops += 2.0 * asDouble(model.encoderLength()) * asDouble(all.encoder)
             * weightsAgain(model, encoder_layer_sort.form, repeats);
    if (repeats.has(RecomputeModule::core_attn))
        flops += forwardFlops(model, scenario.training.causal_flops).attention;
    return flops;
}

} // namespace

ProductWeights productWeights(const Model& model)
{
    ProductWeights weights{projectionWeights(model),
                           feedForwardWeights(model, asDouble(model.ffn_hidden_size))};
    if (hasExperts(model))
        weights.experts = moeWeights(model);
    if (model.recurrence.heads > 0)
        weights.recurrence = recurrenceWeights(model);
    return weights;
}

ForwardFlops forwardFlops(const Model& model, bool causal)
{
    const double s = asDouble(model.sequence_length);
    const double h = asDouble(model.hidden_size);
    ForwardFlops flops = flopsOf(model, layersBySort(model), causal);
    flops.logits = 2.0 * s * h * asDouble(model.vocab_size);
    if (model.output_head == OutputHead::bert) // the product before the words' logits, for every token
        flops.logits += 2.0 * s * h * h;
    flops.logits *= asDouble(1 + model.mtp_layers);
    return flops;
}

double repeatedFlops(const Scenario& scenario)
{
    const bool causal = scenario.training.causal_flops;
    switch (scenario.training.recompute) {
    case Recompute::none:
        break;
    case Recompute::full: {
        const ForwardFlops again = flopsOf(scenario.model, layersAgain(scenario), causal);
        return again.layers + again.attention + again.recurrence;
    }
    case Recompute::selective:
        if (checkpointsOperators(scenario)) { // every second product of the layers, and recurrences
            const ForwardFlops forward = forwardFlops(scenario.model, causal);
            return 0.5 * forward.layers + forward.recurrence;
        }
        return flopsOfModules(scenario, repeatsOf(scenario));
    }
    return 0.0;
}

double shareAgain(const Scenario& scenario)
{
    if (scenario.model.kind == ModelKind::parameter_list) // one piece
        return scenario.training.recompute == Recompute::full ? 1.0 : 0.0;
    const std::int64_t all = layersBySort(scenario.model).all();
    return all > 0 ? asDouble(layersAgain(scenario).all()) / asDouble(all) : 0.0;
}

FlopCount countFlops(const Scenario& scenario)
{
    const double sequences = asDouble(scenario.training.global_batch_size);
    FlopCount count;
    if (scenario.model.kind == ModelKind::parameter_list) {
        count.model = sequences * scenario.model.flops_per_sample;
        count.hardware = count.model;
        return count;
    }
    const ForwardFlops forward = forwardFlops(scenario.model, scenario.training.causal_flops);
    count.model =
        3.0 * sequences * (forward.layers + forward.attention + forward.recurrence + forward.logits);
    count.hardware = count.model + sequences * repeatedFlops(scenario);
    return count;
}

double formatSpeedup(const ComputeLaw& law, Precision precision)
{
    switch (precision) {
    case Precision::fp8:
        return law.hasFp8() ? law.fp8_speedup : law.bf16_speedup;
    case Precision::fp4:
        return formatSpeedup(law, Precision::fp8) * (law.hasFp4() ? law.fp4_over_fp8 : 1.0);
    case Precision::fp32:
        return law.fp32_speedup;
    case Precision::bf16:
        return law.bf16_speedup;
    case Precision::fp16:
        break;
    }
    return 1.0;
}

bool takesTf32(const Cluster& cluster)
{
    return cluster.compute.fp32_speedup == ComputeLaw{}.fp32_speedup && !cluster.gpu.starts_with("TPU");
}

double tokensOfIteration(const Scenario& scenario)
{
    const bool has_tokens = scenario.model.kind == ModelKind::transformer;
    return static_cast<double>(scenario.training.global_batch_size
                               * (has_tokens ? scenario.model.sequence_length : 1));
}

FlopsPerSecond densePeak(const Scenario& scenario)
{
    const Cluster& cluster = scenario.cluster;
    const Precision precision = scenario.training.precision;
    const double fp8 = quantizesProducts(precision) && cluster.compute.hasFp8() ? 2.0 : 1.0;
    const double fp4 =
        precision == Precision::fp4 && cluster.compute.hasFp4() ? cluster.compute.fp4_over_fp8 : 1.0;
    return FlopsPerSecond{cluster.peak_tflops * 1e12 * fp8 * fp4};
}

FlopsPerSecond formatPeak(const Scenario& scenario)
{
    const Precision precision = scenario.training.precision;
    const ComputeLaw& law = scenario.cluster.compute;
    // The peak has the gain of fewer bits; the law's speedup is what of it training reaches.
    if (quantizesProducts(precision) && law.hasFp8())
        return densePeak(scenario);
    return densePeak(scenario) * formatSpeedup(law, precision);
}

} // namespace shardscope
