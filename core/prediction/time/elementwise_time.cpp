// Passes over memory of a layer: norms, dropout, residuals, activation functions.
#include "core/base/quantity.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/time/layer_sum.h"

namespace shardscope
{

// Bytes for each token in 2-byte numbers, either pass. Latent attention (DeepSeek-AI 2024, section 2.1.1)
// puts queries and keys together of two parts, one of them turned, keeps values by themselves, and has a norm
// for each latent vector.
double LayerTime::headPartBytes(LayerForm form) const
{
    const Mla& mla = m_model.mla;
    if (!hasAttention(form))
        return 0.0;
    if (mla.kv_lora_rank == 0) // a gate on what attention returns is read with it, and their product written
        return m_model.attention_gate ? 3.0 * 2.0 * asDouble(attentionOutputWidth(m_model)) / m_tensor : 0.0;
    const double heads = asDouble(m_model.attention_heads) / m_tensor;
    const double query = asDouble(mla.qk_nope_head_dim + mla.qk_rope_head_dim);
    const double key = asDouble(mla.qk_nope_head_dim) + query;
    return 2.0 * heads * (2.0 * query + key + 2.0 * asDouble(mla.v_head_dim))
           + 4.0 * asDouble(mla.q_lora_rank + mla.kv_lora_rank);
}

// What surrounds attention, and an MLP. Bytes for each token in 2-byte numbers: the norm reads and writes h,
// backward three times h. Dropout with the residual: 7h, backward 5h, without dropout 6h and none; the
// residual's gradient 6h.
void LayerTime::addSublayer(Sum& sum, LayerStep norm) const
{
    const bool dropout = dropsOut(m_model);
    const double split = m_figures.scenario.parallel.sequence_parallel ? m_tensor : 1.0;
    const double bytes = m_traffic * m_tokens * m_number_bytes / 2.0 * asDouble(m_model.hidden_size) / split;
    addPass(sum, {norm, dropout ? "norm, dropout, residual" : "norm, residual"},
            Bytes{(dropout ? 11.0 : 10.0) * bytes}, Bytes{(dropout ? 17.0 : 12.0) * bytes});
}

// Of outputs of attention and MLP (Gemma 2).
void LayerTime::addNorms(Sum& sum, double norms) const
{
    const double split = m_figures.scenario.parallel.sequence_parallel ? m_tensor : 1.0;
    const double bytes =
        m_traffic * m_tokens * m_number_bytes * norms * asDouble(m_model.hidden_size) / split;
    addPass(sum, {LayerStep::output_norms, "norms of the outputs"}, Bytes{2.0 * bytes}, Bytes{3.0 * bytes});
}

// Of what the activation function passes through memory for a token, what modules that are computed again do.
double LayerTime::repeatedActivation(double activation, LayerForm form) const
{
    const bool moe = hasExperts(form);
    if (m_repeats.has(moe ? RecomputeModule::moe : RecomputeModule::mlp))
        return activation;
    const double shared = moe ? asDouble(m_model.experts.shared * m_model.experts.ffn_hidden_size)
                                    / asDouble(computedMlpWidth(m_figures, form))
                              : 0.0;
    const bool repeats_routed = moe && m_repeats.has(RecomputeModule::moe_act);
    const bool repeats_shared = m_repeats.has(RecomputeModule::shared_experts);
    return activation * ((repeats_routed ? 1.0 - shared : 0.0) + (repeats_shared ? shared : 0.0));
}

// A norm that is computed again reads and writes h.
double LayerTime::repeatedNorms_s(LayerForm form) const
{
    const double split = m_figures.scenario.parallel.sequence_parallel ? m_tensor : 1.0;
    const double numbers = 2.0 * m_tokens * asDouble(m_model.hidden_size) / split;
    const double norms = asDouble(normsAgain(m_model, form, m_repeats.modules));
    return m_operators.memoryPass(Bytes{m_traffic * m_number_bytes * norms * numbers}).value();
}

// The activation function reads and writes the inner width.
void LayerTime::addElementwise(Sum& sum, LayerForm form) const
{
    if (hasAttention(form) || hasRecurrence(form))
        addSublayer(sum, LayerStep::attention_norm);
    if (hasMlp(form) || hasExperts(form))
        addSublayer(sum, LayerStep::mlp_norm);
    sum.repeated_s += repeatedNorms_s(form);
    addNorms(sum, asDouble(normsOf(m_model, form) - blocksOf(form)));
    const double head_parts = headPartBytes(form);
    const double activation =
        (m_model.gated_mlp ? 3.0 : 2.0) * 2.0 * asDouble(computedMlpWidth(m_figures, form)) / m_tensor;
    const double bytes = m_traffic * m_tokens * m_number_bytes / 2.0;
    addPass(sum,
            {LayerStep::activation,
             head_parts > 0.0 ? "activation function, parts of heads" : "activation function"},
            Bytes{(activation + head_parts) * bytes}, Bytes{(1.5 * activation + head_parts) * bytes});
    const bool repeats_parts = m_repeats.has(RecomputeModule::mla_up_proj) && m_model.mla.kv_lora_rank > 0;
    sum.repeated_s +=
        m_operators
            .memoryPass(
                Bytes{(repeatedActivation(activation, form) + (repeats_parts ? head_parts : 0.0)) * bytes})
            .value();
}

} // namespace shardscope
