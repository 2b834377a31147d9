#include "core/prediction/time/layer_time.h"

#include "core/base/quantity.h"
#include "core/prediction/model/expert_routing.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/time/gradient_accumulation.h"
#include "core/prediction/time/layer_sum.h"
#include "core/scenario/pytorch.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Bytes that pass through memory for each number that a product reads in fp4, beyond fp8's, whose speedup has
// them: the largest is looked for, then numbers are turned (Hadamard), rounded and written for rows and for
// columns (Transformer Engine's NVFP4BlockScaling). A round figure, found with published steps of two models
// on two types of GPU: docs/accuracy.md, "Steps told in part".
constexpr double bytes_of_fp4_number = 12.0;
// Of the kernels that the processor starts for a layer, those of attention: a decoder of an encoder-decoder
// model starts them twice. An estimate.
constexpr double attention_kernels_share = 0.5;
// PyTorch's checkpoints without reentry, which FSDP and DDP are used with, end once the last tensor that
// backward needs is there again (set_checkpoint_early_stop): without the layer's last product.
bool stopsEarly(Framework framework)
{
    return isPyTorch(framework);
}

// Heads of keys and values on one rank: at least one.
double keyHeads(const Model& model, double tensor)
{
    return std::max(asDouble(model.kv_heads) / tensor, 1.0);
}

} // namespace

void ComputeTime::add(const ComputeTime& part)
{
    forward_s += part.forward_s;
    input_gradient_s += part.input_gradient_s;
    weight_gradient_s += part.weight_gradient_s;
    recompute_s += part.recompute_s;
    attention_s += part.attention_s;
    attention_gradient_s += part.attention_gradient_s;
    recomputed_attention_s += part.recomputed_attention_s;
    forward_dispatch_s += part.forward_dispatch_s;
    backward_dispatch_s += part.backward_dispatch_s;
    recompute_dispatch_s += part.recompute_dispatch_s;
    starts_s += part.starts_s;
}

LayerTime::LayerTime(const IterationFigures& figures, const Machine& machine)
    : m_figures{figures},
      m_model{figures.scenario.model},
      m_training{figures.scenario.training},
      m_repeats{repeatsOfOthers(figures.scenario)},
      m_operators{machine, figures.scenario.training.precision},
      m_dispatch_s{machine.law.dispatch_us * 1e-6},
      m_tokens{asDouble(figures.tokens)},
      m_tensor{asDouble(figures.tensor)},
      m_number_bytes{asDouble(bytesPerElement(figures.activation_dtype))},
      m_traffic{figures.scenario.conventions.operator_traffic}
{
}

ComputeTime LayerTime::layer(LayerForm form) const
{
    Sum sum;
    addOperators(sum, form);
    ComputeTime time = timeOf(sum);
    addDispatch(time, form);
    return time;
}

std::vector<OperatorCost> LayerTime::layerOperators(LayerForm form) const
{
    std::vector<OperatorCost> operators;
    Sum sum;
    sum.operators = &operators;
    addOperators(sum, form);
    return operators;
}

void LayerTime::addOperators(Sum& sum, LayerForm form) const
{
    if (hasAttention(form)) {
        addProjections(sum);
        addAttention(sum, asDouble(m_model.sequence_length),
                     (looksBothWays(m_model) ? 1.0 : 0.5) * shareInWindows(m_model));
    } else if (hasRecurrence(form)) {
        addRecurrence(sum);
    }
    sum.part(m_repeats.has(hasExperts(form) ? RecomputeModule::moe : RecomputeModule::mlp), [&] {
        if (hasExperts(form))
            addExperts(sum);
        else if (hasMlp(form))
            addMlp(sum, {"MLP, first product", "MLP, second product"},
                   {m_tokens, asDouble(m_model.ffn_hidden_size) / m_tensor});
    });
    addElementwise(sum, form);
    addAccumulation(sum, m_figures.layer(form));
}

void LayerTime::addAccumulation(Sum& sum, const LayerParameters& parameters) const
{
    const double added_up_s = accumulation(parameters, m_figures, m_operators).value();
    sum.weight_gradient_s += added_up_s;
    if (added_up_s > 0.0)
        sum.list({"gradients added up", LayerStep::accumulation, {}, 1.0, 0.0, added_up_s, 0.0});
}

ComputeTime LayerTime::timeOf(const Sum& sum) const
{
    ComputeTime time;
    time.forward_s = sum.forward_s;
    time.input_gradient_s = sum.input_gradient_s;
    time.weight_gradient_s = sum.weight_gradient_s;
    time.attention_s = sum.attention_s;
    time.attention_gradient_s = sum.attention_gradient_s;
    addRecomputation(sum, time);
    return time;
}

void LayerTime::addRecomputation(const Sum& sum, ComputeTime& time) const
{
    const Scenario& scenario = m_figures.scenario;
    if (m_training.recompute == Recompute::none)
        return;
    if (m_training.recompute == Recompute::full || m_repeats.has(RecomputeModule::core_attn))
        time.recomputed_attention_s = sum.attention_s;
    const double repeated_s =
        stopsEarly(scenario.conventions.framework) ? sum.gemms_s - sum.last_gemm_s : sum.gemms_s;
    if (m_training.recompute == Recompute::full)
        time.recompute_s = sum.forward_s - sum.gemms_s + repeated_s;
    else if (m_repeats.second_products)
        time.recompute_s = std::min(0.5 * sum.gemms_s, repeated_s) + sum.elementwise_s;
    else
        time.recompute_s = sum.repeated_s;
}

// `count` of them at once, of as many experts.
void LayerTime::addProduct(Sum& sum, const Named& named, const Gemm& gemm, double count) const
{
    sum.last_gemm_s = m_operators.gemm(gemm, count).value();
    const double input_gradient = m_operators.inputGradient(gemm, count).value();
    const double weight_gradient = m_operators.weightGradient(gemm, count).value();
    sum.gemms_s += sum.last_gemm_s;
    sum.forward(sum.last_gemm_s);
    sum.input_gradient_s += input_gradient;
    sum.weight_gradient_s += weight_gradient;
    sum.list({named.what, named.step, gemm, count, sum.last_gemm_s, input_gradient + weight_gradient,
              2.0 * gemm.m * gemm.n * gemm.k * count});
    addQuantization(sum, named, gemm, count);
}

// Of what a product reads, and of the gradients of its result. Where tokens are split over the tensor group,
// each rank works on its own before they are gathered.
void LayerTime::addQuantization(Sum& sum, const Named& named, const Gemm& gemm, double count) const
{
    if (m_training.precision != Precision::fp4 || !m_figures.scenario.cluster.compute.hasFp4())
        return;
    const bool is_of_experts = named.what.starts_with("experts,"); // whose rows a dispatcher brings
    const bool is_split =
        m_figures.scenario.parallel.sequence_parallel && gemm.m == m_tokens && !is_of_experts;
    const double own = is_split ? 1.0 / m_tensor : 1.0;
    const bool is_of_columns =
        named.step != LayerStep::output_projection && named.step != LayerStep::second_product;
    const double read = gemm.m * gemm.k * count * (is_of_columns ? own : 1.0);
    const double gradients = gemm.m * gemm.n * count * (is_of_columns ? 1.0 : own);
    addPass(sum, {named.step, "numbers in fp4"}, Bytes{bytes_of_fp4_number * read},
            Bytes{bytes_of_fp4_number * gradients});
}

// Over memory: read and written bytes together.
void LayerTime::addPass(Sum& sum, const Named& named, Bytes forward, Bytes backward) const
{
    const double forward_s = m_operators.memoryPass(forward).value();
    const double backward_s = m_operators.memoryPass(backward).value();
    sum.forward(forward_s);
    sum.elementwise_s += forward_s;
    sum.input_gradient_s += backward_s;
    if (forward_s > 0.0)
        sum.list({named.what, named.step, {}, 1.0, forward_s, backward_s, 0.0});
}

void LayerTime::addProjections(Sum& sum) const
{
    const double h = asDouble(m_model.hidden_size);
    const double heads = asDouble(m_model.attention_heads);
    const auto add = [&](std::string_view what, double n, double k) {
        addProduct(sum, {LayerStep::projection, what}, Gemm{m_tokens, n, k});
    };
    const auto project = [&](double k) {
        addProduct(sum, {LayerStep::output_projection, "output projection"}, Gemm{m_tokens, h, k});
    };
    const Mla& mla = m_model.mla;
    if (mla.kv_lora_rank == 0) {
        const double head_dim = asDouble(m_model.head_dim);
        const double queries = (m_model.attention_gate ? 2.0 : 1.0) * heads / m_tensor;
        add("queries, keys, values", (queries + 2.0 * keyHeads(m_model, m_tensor)) * head_dim, h);
        project(heads * head_dim / m_tensor);
        return;
    }
    const bool has_own_tokens =
        m_figures.scenario.parallel.sequence_parallel && exchangesLatents(m_figures.scenario);
    const double own = has_own_tokens ? m_tokens / m_tensor : m_tokens;
    const auto down = [&](std::string_view what, double n) {
        addProduct(sum, {LayerStep::projection, what}, Gemm{own, n, h});
    };
    const auto up = [&](std::string_view what, double n, double k) {
        sum.part(m_repeats.has(RecomputeModule::mla_up_proj), [&] { add(what, n, k); });
    };
    const double query = heads * asDouble(mla.qk_nope_head_dim + mla.qk_rope_head_dim) / m_tensor;
    if (mla.q_lora_rank > 0) {
        down("queries, down", asDouble(mla.q_lora_rank));
        up("queries, up", query, asDouble(mla.q_lora_rank));
    } else {
        up("queries", query, h);
    }
    down("keys and values, down", asDouble(mla.kv_lora_rank + mla.qk_rope_head_dim));
    up("keys and values, up", heads * asDouble(mla.qk_nope_head_dim + mla.v_head_dim) / m_tensor,
       asDouble(mla.kv_lora_rank));
    project(heads * asDouble(mla.v_head_dim) / m_tensor);
}

// Of each token with `keys` others. Fused kernels compute the scores that it sees alone, others all of them.
void LayerTime::addAttention(Sum& sum, double keys, double seen) const
{
    const double pairs = m_tokens * keys / m_tensor;
    const Flops operations{2.0 * pairs * asDouble(attentionProductWidth(m_model))};
    double attention = 0.0;
    double gradient = 0.0;
    if (!storesScores(m_figures.scenario)) {
        const bool biased = m_model.position_embedding == PositionEmbedding::alibi;
        attention = m_operators.fusedAttention(operations * seen, biased).value();
        gradient = 2.5 * attention; // scores are computed again, then four products where forward has two
    } else {
        const double scores = pairs * asDouble(m_model.attention_heads);
        const bool aligned = hasAlignedHeads(m_figures.scenario);
        const double number = m_number_bytes / 2.0;
        const double products =
            m_operators.attentionProducts(operations, Bytes{2.0 * number * scores}, aligned).value();
        // Passes over the scores in 2-byte numbers beside the products': forward masks and normalises them
        // (read, write) and drops out (read, write, one byte of mask): 9 bytes. Backward, with four products,
        // 11.
        attention = products + m_operators.memoryPass(Bytes{9.0 * number * scores}).value();
        gradient = 2.0 * products + m_operators.memoryPass(Bytes{11.0 * number * scores}).value();
    }
    sum.attention_s += attention;
    sum.attention_gradient_s += gradient;
    sum.input_gradient_s += gradient;
    const double counted = (storesScores(m_figures.scenario) ? 1.0 : seen) * operations.value();
    sum.part(m_repeats.has(RecomputeModule::core_attn), [&] {
        sum.forward(attention);
        sum.list({"attention", LayerStep::attention, {}, 1.0, attention, gradient, counted});
    });
}

void LayerTime::addMlp(Sum& sum, const MlpNames& names, const MlpSize& size) const
{
    const double h = asDouble(m_model.hidden_size);
    addProduct(sum, {LayerStep::first_product, names.first},
               {size.rows, size.width * (m_model.gated_mlp ? 2.0 : 1.0), h}, size.count);
    addProduct(sum, {LayerStep::second_product, names.second}, {size.rows, h, size.width}, size.count);
}

// Each rank's experts work on what all ranks of the expert group send them; with even routing that is as many
// choices as one rank makes, else all wait for the rank that gets most.
void LayerTime::addExperts(Sum& sum) const
{
    const Experts& experts = m_model.experts;
    const double held = asDouble(experts.count) / m_figures.expert;
    const double gathered = asDouble(m_figures.expert_tensor) / m_tensor; // of the tensor group's tokens
    addMlp(sum, {"experts, first product", "experts, second product"},
           {m_figures.expert_rows * m_tokens * gathered / held,
            asDouble(experts.ffn_hidden_size) / asDouble(m_figures.expert_tensor), held});
    if (experts.shared > 0)
        sum.part(m_repeats.has(RecomputeModule::shared_experts), [&] {
            addMlp(sum, {"shared experts, first product", "shared experts, second product"},
                   {m_tokens, asDouble(experts.shared * experts.ffn_hidden_size) / m_tensor});
        });
    // Router. The rank's own tokens are copied for each of their experts, in the order of ranks
    // (read and written), and added up again when they are back (read); a rank with several experts orders
    // what it got by expert, and back (twice read and written).
    const double h = asDouble(m_model.hidden_size);
    const double tokens = asDouble(ExpertRouting{m_figures}.tokens);
    const Gemm router{gathersForRouters(m_figures.scenario) ? m_tokens : tokens, asDouble(experts.count), h};
    const double copies = held > 1.0 && m_figures.expert > 1 ? 7.0 : 3.0;
    const double rows = m_figures.expert_rows * tokens;
    const Bytes permuted{copies * m_number_bytes * rows * h};
    addRouter(sum, router);
    addPass(sum, {LayerStep::permutation, "tokens in the experts' order"}, permuted, permuted);
}

// None of Sum::gemms: checkpoints that keep products do not keep it.
void LayerTime::addRouter(Sum& sum, const Gemm& router) const
{
    const double forward = m_operators.gemm(router).value();
    const double input_gradient = m_operators.inputGradient(router).value();
    const double weight_gradient = m_operators.weightGradient(router).value();
    sum.forward(forward);
    sum.input_gradient_s += input_gradient;
    sum.weight_gradient_s += weight_gradient;
    sum.list({"router", LayerStep::router, router, 1.0, forward, input_gradient + weight_gradient,
              2.0 * router.m * router.n * router.k});
}

// Queries and output are products for the decoder's tokens, keys and values for the encoder's; none of the
// scores is masked.
ComputeTime LayerTime::crossAttention() const
{
    const double h = asDouble(m_model.hidden_size);
    const double width = asDouble(attentionOutputWidth(m_model)) / m_tensor;
    const double key_width = keyHeads(m_model, m_tensor) * asDouble(m_model.head_dim);
    Sum sum;
    addProduct(sum, {LayerStep::cross_attention, "queries"}, {m_tokens, width, h});
    addProduct(sum, {LayerStep::cross_attention, "keys, values"},
               {asDouble(m_figures.encoder_tokens), 2.0 * key_width, h});
    addProduct(sum, {LayerStep::cross_attention, "output projection"}, {m_tokens, h, width});
    addAttention(sum, asDouble(m_model.encoderLength()), 1.0);
    addSublayer(sum, LayerStep::cross_attention);
    ComputeTime time = timeOf(sum);
    addDispatch(time, encoder_layer_sort.form);
    for (double* dispatch_s :
         {&time.forward_dispatch_s, &time.backward_dispatch_s, &time.recompute_dispatch_s})
        *dispatch_s *= attention_kernels_share;
    if (m_training.recompute == Recompute::selective) // no MLP is in it
        time.recompute_dispatch_s = 0.0;
    return time;
}

ComputeTime encoderLayerTime(const Scenario& scenario, const Machine& machine)
{
    Scenario encoder = scenario;
    encoder.model.sequence_length = scenario.model.encoderLength();
    encoder.model.encoder_layers = 0;
    encoder.model.output_head = OutputHead::bert; // its tokens see those after them
    const IterationFigures figures{encoder};
    return LayerTime{figures, machine}.layer(encoder_layer_sort.form);
}

} // namespace shardscope
