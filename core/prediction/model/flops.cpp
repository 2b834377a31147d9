#include "core/prediction/model/flops.h"

#include "core/base/quantity.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/model_parameters.h"

namespace shardscope
{

namespace
{

double projectionWeights(const Model& model)
{
    const double h = asDouble(model.hidden_size);
    const double heads = asDouble(model.attention_heads);
    const Mla& mla = model.mla;
    if (mla.kv_lora_rank == 0)
        return 2.0 * h * asDouble(model.head_dim) * (heads + asDouble(model.kv_heads));
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
    return feedForwardWeights(model, asDouble(mlpWidth(model, true)))
           + asDouble(model.hidden_size * model.experts.count);
}

// The encoder's layers on its own tokens, and the decoder's attention to them: queries and output for each
// token of the decoder, keys and values for each of the encoder.
void addEncoder(const Model& model, ForwardFlops& flops)
{
    const double s = asDouble(model.sequence_length);
    const double encoder = asDouble(model.encoderLength());
    const double h = asDouble(model.hidden_size);
    const double head_dim = asDouble(model.head_dim);
    const ProductWeights weights = productWeights(model);
    flops.layers += asDouble(model.encoder_layers) * 2.0 * encoder * (weights.projections + weights.mlp);
    flops.attention +=
        asDouble(model.encoder_layers) * 2.0 * encoder * encoder * asDouble(attentionProductWidth(model));
    const double cross = s * asDouble(model.attention_heads) + encoder * asDouble(model.kv_heads);
    flops.layers += asDouble(model.layers) * 2.0 * 2.0 * h * head_dim * cross;
    flops.attention += asDouble(model.layers) * 2.0 * s * encoder * asDouble(attentionProductWidth(model));
}

} // namespace

ProductWeights productWeights(const Model& model)
{
    ProductWeights weights{projectionWeights(model),
                           feedForwardWeights(model, asDouble(model.ffn_hidden_size))};
    if (hasExperts(model))
        weights.experts = moeWeights(model);
    return weights;
}

ForwardFlops forwardFlops(const Model& model, bool causal)
{
    const double s = asDouble(model.sequence_length);
    const double layers = asDouble(model.layers + model.mtp_layers);
    const double moe_layers = asDouble(moeLayers(model) + mtpMoeLayers(model));
    const double h = asDouble(model.hidden_size);
    ForwardFlops flops;
    const ProductWeights weights = productWeights(model);
    flops.layers =
        2.0 * s
        * (layers * weights.projections + (layers - moe_layers) * weights.mlp + moe_layers * weights.experts);
    flops.layers += 2.0 * s * asDouble(model.mtp_layers) * 2.0 * h * h; // from 2h to h in each module
    const double counted = causal && !looksBothWays(model) ? 0.5 : 1.0;
    flops.attention =
        2.0 * s * s * layers * asDouble(attentionProductWidth(model)) * counted * shareInWindows(model);
    flops.logits = 2.0 * s * h * asDouble(model.vocab_size);
    if (model.output_head == OutputHead::bert) // the product before the words' logits, for every token
        flops.logits += 2.0 * s * h * h;
    flops.logits *= asDouble(1 + model.mtp_layers);
    if (model.hasEncoder())
        addEncoder(model, flops);
    return flops;
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
    count.model = 3.0 * sequences * (forward.layers + forward.attention + forward.logits);
    count.hardware = count.model;
    if (scenario.training.recompute == Recompute::full)
        count.hardware += sequences * (forward.layers + forward.attention);
    else if (checkpointsOperators(scenario)) // every second product of the layers
        count.hardware += sequences * 0.5 * forward.layers;
    else if (scenario.training.recompute == Recompute::selective)
        count.hardware += sequences * forward.attention;
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
