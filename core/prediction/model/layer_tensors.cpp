#include "core/prediction/model/layer_tensors.h"

#include "core/prediction/model/model_parameters.h"
#include "core/prediction/model/recurrence.h"

namespace shardscope
{

namespace
{

bool isMegatron(const Scenario& scenario)
{
    return scenario.conventions.framework == Framework::megatron;
}

// Megatron and GPT-2 keep queries, keys and values in one matrix, and both inputs of a gated MLP; Llama does
// not.
bool fusesMatrices(const Scenario& scenario)
{
    return isMegatron(scenario) || !scenario.model.gated_mlp;
}

// Appends a matrix, and its bias before it: both are ready together, the bias is visited first.
void appendLinear(TensorSizes& sizes, std::int64_t inputs, std::int64_t outputs, std::int64_t bias)
{
    if (bias > 0)
        sizes.add(bias);
    sizes.addProduct(inputs * outputs);
}

// Of an MLP's matrices the one back to the hidden size, and the one or two before it. `share`: the part of
// its width that a rank holds.
void appendSecondProduct(TensorSizes& sizes, const Scenario& scenario, std::int64_t share)
{
    const std::int64_t h = scenario.model.hidden_size;
    appendLinear(sizes, share, h, scenario.model.linear_bias ? h : 0);
}

void appendFirstProduct(TensorSizes& sizes, const Scenario& scenario, std::int64_t share)
{
    const Model& model = scenario.model;
    const std::int64_t inputs = model.gated_mlp ? 2 : 1;
    const std::int64_t matrices = fusesMatrices(scenario) ? 1 : inputs;
    for (std::int64_t i = 0; i < matrices; ++i) {
        const std::int64_t outputs = inputs / matrices * share;
        appendLinear(sizes, model.hidden_size, outputs, model.linear_bias ? outputs : 0);
    }
}

void appendFeedForward(TensorSizes& sizes, const Scenario& scenario, std::int64_t share)
{
    appendSecondProduct(sizes, scenario, share);
    appendFirstProduct(sizes, scenario, share);
}

// Megatron-LM's grouped products (--moe-grouped-gemm, which its recipes set) hold the matrices of all experts
// side by side.
void appendExperts(TensorSizes& sizes, const Scenario& scenario)
{
    const Experts& experts = scenario.model.experts;
    const std::int64_t share = experts.ffn_hidden_size / scenario.parallel.expertTensor();
    const std::int64_t held = experts.count / scenario.parallel.expert;
    if (!isMegatron(scenario)) {
        for (std::int64_t i = 0; i < held; ++i)
            appendFeedForward(sizes, scenario, share);
        return;
    }
    for (std::int64_t i = 0; i < held; ++i)
        appendSecondProduct(sizes, scenario, share);
    for (std::int64_t i = 0; i < held; ++i)
        appendFirstProduct(sizes, scenario, share);
}

void appendOutputProjection(TensorSizes& sizes, const Scenario& scenario)
{
    const Model& model = scenario.model;
    const std::int64_t width = model.mla.kv_lora_rank > 0 ? model.mla.v_head_dim : model.head_dim;
    const std::int64_t heads = model.attention_heads / scenario.parallel.tensor;
    const bool has_bias = model.linear_bias && model.mla.kv_lora_rank == 0;
    appendLinear(sizes, heads * width, model.hidden_size, has_bias ? model.hidden_size : 0);
}

void appendLatents(TensorSizes& sizes, const Scenario& scenario)
{
    const Model& model = scenario.model;
    const Mla& mla = model.mla;
    const std::int64_t h = model.hidden_size;
    const std::int64_t heads = model.attention_heads / scenario.parallel.tensor;
    const std::int64_t query = heads * (mla.qk_nope_head_dim + mla.qk_rope_head_dim);
    sizes.addProduct(mla.kv_lora_rank * heads * (mla.qk_nope_head_dim + mla.v_head_dim));
    sizes.add(mla.kv_lora_rank);
    sizes.addProduct(h * (mla.kv_lora_rank + mla.qk_rope_head_dim));
    if (mla.q_lora_rank > 0) {
        sizes.addProduct(mla.q_lora_rank * query);
        sizes.add(mla.q_lora_rank);
        sizes.addProduct(h * mla.q_lora_rank);
    } else {
        sizes.addProduct(h * query);
    }
}

// Of queries and of keys.
void appendHeadNorms(TensorSizes& sizes, const Model& model)
{
    if (!model.qk_norm)
        return;
    sizes.add(headNormParameters(model));
    sizes.add(headNormParameters(model));
}

// All of attention but its output projection.
void appendProjections(TensorSizes& sizes, const Scenario& scenario)
{
    const Model& model = scenario.model;
    if (model.mla.kv_lora_rank > 0)
        return appendLatents(sizes, scenario);
    const std::int64_t h = model.hidden_size;
    const std::int64_t tensor = scenario.parallel.tensor;
    const std::int64_t query =
        (model.attention_gate ? 2 : 1) * model.attention_heads * model.head_dim / tensor;
    const std::int64_t key = (model.kv_heads + tensor - 1) / tensor * model.head_dim;
    appendHeadNorms(sizes, model);
    const auto project = [&](std::int64_t outputs) {
        appendLinear(sizes, h, outputs, model.linear_bias || model.qkv_bias ? outputs : 0);
    };
    if (fusesMatrices(scenario))
        return project(query + 2 * key);
    project(key);
    project(key);
    project(query);
}

// Attention and the norm before it. Megatron-LM defines the output projection first, and has the norm in the
// product for queries, keys and values; latent attention's stands alone.
void appendAttention(TensorSizes& sizes, const Scenario& scenario, bool has_norm)
{
    const Model& model = scenario.model;
    const bool norm_is_first = !isMegatron(scenario) || model.mla.kv_lora_rank > 0;
    if (!isMegatron(scenario))
        appendOutputProjection(sizes, scenario);
    appendProjections(sizes, scenario);
    if (has_norm && !norm_is_first)
        appendNorm(sizes, model);
    if (isMegatron(scenario))
        appendOutputProjection(sizes, scenario);
    if (has_norm && norm_is_first)
        appendNorm(sizes, model);
}

// A recurrence and the norm before it, in the order of Megatron-Core's MambaMixer: Megatron-LM has that norm
// in the product.
void appendRecurrence(TensorSizes& sizes, const Scenario& scenario, bool has_norm)
{
    const Model& model = scenario.model;
    const Recurrence& recurrence = model.recurrence;
    const bool is_mamba = recurrence.kind == RecurrenceKind::mamba2;
    const RecurrenceWidths widths = recurrenceWidths(model, scenario.parallel.tensor);
    const std::int64_t heads = recurrence.heads / scenario.parallel.tensor;
    sizes.addProduct(widths.values * model.hidden_size);
    sizes.add(is_mamba ? widths.values : recurrence.value_dim); // the norm of what it returns
    if (is_mamba)
        sizes.add(heads); // D
    sizes.add(heads);     // A
    if (is_mamba)
        sizes.add(widths.convolved());
    sizes.add(widths.convolved() * recurrence.conv_kernel);
    sizes.add(heads); // the step's bias
    if (is_mamba || isMegatron(scenario)) {
        sizes.addProduct(model.hidden_size * widths.projected());
    } else { // numbers a head have a product of their own
        sizes.addProduct(model.hidden_size * widths.per_head);
        sizes.addProduct(model.hidden_size * (widths.projected() - widths.per_head));
    }
    if (has_norm)
        appendNorm(sizes, model);
}

void appendExpertBlock(TensorSizes& dense, TensorSizes& routed, const Scenario& scenario)
{
    const Experts& experts = scenario.model.experts;
    const auto appendShared = [&] {
        if (experts.shared > 0 && experts.shared_gate)
            dense.add(scenario.model.hidden_size);
        if (experts.shared > 0)
            appendFeedForward(dense, scenario,
                              experts.shared * experts.ffn_hidden_size / scenario.parallel.tensor);
    };
    if (isMegatron(scenario)) // which defines them last
        appendShared();
    appendExperts(routed, scenario);
    if (!isMegatron(scenario))
        appendShared();
    dense.add(scenario.model.hidden_size * experts.count);
}

} // namespace

std::size_t normTensors(const Model& model)
{
    return model.norm == Norm::layernorm ? 2 : 1;
}

void appendNorm(TensorSizes& sizes, const Model& model)
{
    for (std::size_t i = 0; i < normTensors(model); ++i)
        sizes.add(model.hidden_size);
}

void appendLayer(TensorSizes& dense, TensorSizes& routed, const Scenario& scenario, LayerSort sort)
{
    const Model& model = scenario.model;
    const LayerForm form = sort.form;
    const bool mixes = hasAttention(form) || hasRecurrence(form);
    if (hasExperts(form))
        appendExpertBlock(dense, routed, scenario);
    else if (hasMlp(form))
        appendFeedForward(dense, scenario, model.ffn_hidden_size / scenario.parallel.tensor);
    const std::int64_t norms = normsOf(model, form);
    for (std::int64_t norm = mixes ? 1 : 0; norm < norms; ++norm)
        appendNorm(dense, model);
    if (form == LayerForm::attention_mlp && !sort.isOfEncoder() && model.hasEncoder())
        appendAttention(dense, scenario, true);
    if (hasAttention(form))
        appendAttention(dense, scenario, norms > 0);
    else if (hasRecurrence(form))
        appendRecurrence(dense, scenario, norms > 0);
}

} // namespace shardscope
