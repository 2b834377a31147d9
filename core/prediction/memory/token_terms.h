#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/model/recurrence.h"

#include <algorithm>
#include <cstdint>

namespace shardscope
{

// Who of a tensor group keeps a term: every rank (unless tokens are split), each its share, or every rank for
// all tokens, split or not.
enum class KeptBy : std::uint8_t { every_rank, share, every_rank_all_tokens };

// What stands for IterationFigures::expert_rows in a formula.
inline const char* rowsSymbol(const IterationFigures& figures)
{
    const bool is_even = figures.expert_rows == static_cast<double>(figures.scenario.model.experts.per_token);
    return is_even ? "experts per token" : "rows";
}

// What layers keep of one token until its backward pass, term by term. The formulas stand here alone: the
// prediction adds numbers up, an explanation writes the same terms out. A Sink has
//     Number                           what is reckoned with, int64_t or what behaves like it
//     named(symbol, value)             a figure of the model
//     scaled(number, symbol, factor)   rounded
//     keep(by, name, meaning, number)  takes one term; the name stands for it in longer formulas
template<class Sink>
class TokenTerms
{
public:
    using Number = typename Sink::Number;

    TokenTerms(const IterationFigures& figures, Sink& sink)
        : m_figures{figures}, m_model{figures.scenario.model}, m_sink{sink}
    {
    }

    // A layer of the decoder without its attention to an encoder.
    void addLayer(LayerForm form, const Repeats& repeats) const
    {
        if (repeats.layer)
            addInput();
        else if (repeats.second_products)
            addCheckpoints(form);
        else
            addWholeLayer(form, false, repeats.modules);
    }

    void addEncoderLayer(const Repeats& repeats) const
    {
        if (repeats.layer)
            addInput();
        else
            addWholeLayer(encoder_layer_sort.form, true, repeats.modules);
    }

    // Attention to an encoder, of a token of the decoder. The encoder's output itself is kept once.
    void addCrossAttention(const Repeats& repeats) const
    {
        m_sink.keep(KeptBy::every_rank, "cross norm", "input and output", 2 * e() * h());
        if (dropsOut(m_model))
            m_sink.keep(KeptBy::every_rank, "cross mask", "dropout, a byte each", h());
        m_sink.keep(KeptBy::share, "cross queries", "and what the attention returns", 2 * e() * a() * dh());
        addScores(true, repeats.modules);
    }

    // The same, of a token of the encoder.
    void addCrossKeys() const
    {
        m_sink.keep(KeptBy::share, "cross keys", "and values", 2 * e() * k() * dh());
    }

    // What the weight gradients of a layer without attention to an encoder wait with: 32sbh for a GPT (Qi et
    // al. 2024, Table 1).
    void addWeightGradients(LayerForm form) const
    {
        m_sink.keep(KeptBy::every_rank, "blocks' ends",
                    blocksOf(form) == 2 ? "inputs of attention and MLP, and gradients of their results"
                                        : "input of the block, and gradient of its result",
                    2 * blocksOf(form) * e() * h());
        if (hasAttention(form))
            m_sink.keep(KeptBy::share, "attention's gradients",
                        m_model.attention_gate
                            ? "of queries, their gate, keys and values, and what the output projection read"
                            : "of queries, keys and values, and what the output projection read",
                        m_model.attention_gate ? attentionTensors() + e() * a() * dh() : attentionTensors());
        else if (hasRecurrence(form))
            m_sink.keep(KeptBy::share, "recurrence's gradients",
                        "of what was projected, and what the output projection read",
                        e() * (projected() + values()));
        if (hasFeedForward(form))
            m_sink.keep(KeptBy::share, hasExperts(form) ? "experts' gradients" : "MLP's gradients",
                        "of the hidden activations, and what the last product read", hiddenTensors(form));
    }

private:
    Number e() const { return Sink::named("e", bytesPerElement(m_figures.activation_dtype)); }
    Number h() const { return Sink::named("h", m_model.hidden_size); }
    Number a() const { return Sink::named("a", m_model.attention_heads); }
    Number dh() const { return Sink::named("dh", m_model.head_dim); }
    // Heads of keys and values on all tensor ranks together: each has at least one.
    Number k() const
    {
        return m_model.kv_heads < m_figures.tensor ? Sink::named("max(k, t)", m_figures.tensor)
                                                   : Sink::named("k", m_model.kv_heads);
    }
    Number dn() const { return Sink::named("dn", m_model.mla.qk_nope_head_dim); }
    Number dr() const { return Sink::named("dr", m_model.mla.qk_rope_head_dim); }
    Number dv() const { return Sink::named("dv", m_model.mla.v_head_dim); }
    Number width(LayerForm form) const
    {
        return Sink::named(hasExperts(form) ? "width" : "f", computedMlpWidth(m_figures, form));
    }
    static bool hasFeedForward(LayerForm form) { return hasMlp(form) || hasExperts(form); }
    // Of a recurrence, on all tensor ranks together.
    Number values() const { return Sink::named("values", recurrenceWidths(m_model, 1).values); }
    Number projected() const { return Sink::named("projected", recurrenceWidths(m_model, 1).projected()); }
    bool isLatent() const { return m_model.mla.kv_lora_rank > 0; }

    // Of queries, keys, values and attention's result, or their gradients.
    Number attentionTensors() const
    {
        return isLatent() ? 2 * e() * a() * (dn() + dr() + dv()) : 2 * e() * dh() * (a() + k());
    }
    Number hiddenTensors(LayerForm form) const { return (m_model.gated_mlp ? 3 : 2) * e() * width(form); }
    bool isQuantized() const { return keepsQuantized(m_figures.scenario); }
    // What a product keeps of so many numbers: in fp8 a byte each, in fp4 (NVFP4) half of one and, for every
    // 16, a byte of scale.
    Number quantized(const Number& numbers) const
    {
        const bool is_fp4 = m_figures.scenario.training.precision == Precision::fp4;
        return is_fp4 ? Sink::scaled(numbers, "9/16", 9.0 / 16.0) : numbers;
    }

    void addInput() const { m_sink.keep(KeptBy::every_rank, "input", "of the layer", e() * h()); }

    void addWholeLayer(LayerForm form, bool of_encoder, RecomputeModules again) const
    {
        addNorms(form, again);
        if (dropsOut(m_model))
            m_sink.keep(KeptBy::every_rank, "dropout masks",
                        blocksOf(form) == 2 ? "after attention and MLP, a byte each"
                                            : "after the block, a byte each",
                        blocksOf(form) * h());
        if (hasAttention(form))
            addWholeAttention(of_encoder, again);
        else if (hasRecurrence(form))
            addRecurrence();
        if (!hasFeedForward(form)
            || again.has(hasExperts(form) ? RecomputeModule::moe : RecomputeModule::mlp))
            return;
        addHidden(form, again);
        if (hasExperts(form))
            addDispatched();
    }

    void addWholeAttention(bool of_encoder, RecomputeModules again) const
    {
        if (isLatent())
            addLatents();
        addAttention(again);
        if (m_model.attention_gate)
            m_sink.keep(KeptBy::share, "attention's gate",
                        isQuantized() ? "in 16 bits" : "and what it leaves of the result",
                        (isQuantized() ? 1 : 2) * e() * a() * dh());
        addExchangedOutput();
        addScores(of_encoder, again);
        if (isQuantized())
            m_sink.keep(KeptBy::share, "attention's result, quantized", "as the output projection reads it",
                        quantized(a() * (isLatent() ? dv() : dh())));
    }

    // Mamba-2's fused kernel keeps what was projected and what its scan returns, and computes the rest again
    // (mamba_split_conv1d_scan_combined). The kernels of a gated delta rule stand alone: what passed the
    // convolution is kept beside what came to it, keys and queries normalised for every head as well, and
    // for each pair of a chunk and head a number of its inverted triangle (flash-linear-attention's
    // chunk_gated_delta_rule).
    void addRecurrence() const
    {
        const Recurrence& recurrence = m_model.recurrence;
        m_sink.keep(KeptBy::share, "recurrence, projected", "values, gate, keys, queries, numbers a head",
                    e() * projected());
        if (recurrence.kind == RecurrenceKind::gated_delta_net) {
            const Number convolved = Sink::named("convolved", recurrenceWidths(m_model, 1).convolved());
            const Number pairs = Sink::named("chunk", recurrenceChunk(recurrence));
            const Number heads = Sink::named("heads", recurrence.heads);
            m_sink.keep(KeptBy::share, "recurrence, convolved",
                        "values, keys, queries; these two of every head; pairs of a chunk",
                        e() * (convolved + heads * (2 * Sink::named("dk", recurrence.key_dim) + pairs)));
        } else {
            m_sink.keep(KeptBy::share, "recurrence's scan", "what it returns, before the gate",
                        e() * values());
        }
        m_sink.keep(KeptBy::share, "recurrence's result",
                    isQuantized() ? "before its norm, and quantized behind it"
                                  : "before its norm and behind it",
                    e() * values() + (isQuantized() ? quantized(values()) : e() * values()));
    }

    // What goes from a norm straight into a quantized product is kept as that reads it: not into a router,
    // nor into latent attention's two products. Those of Transformer Engine are fused with the product that
    // they go into, and so are computed again with a dense MLP; the others by themselves.
    void addNorms(LayerForm form, RecomputeModules again) const
    {
        const std::int64_t all = 2 * normsOf(m_model, form);
        const bool is_fused = hasRecurrence(form) || (hasAttention(form) && !isLatent());
        const std::int64_t fused =
            std::min<std::int64_t>((is_fused ? 1 : 0) + (hasMlp(form) ? 1 : 0), all / 2);
        const std::int64_t with_mlp =
            normsAgain(m_model, form, again & RecomputeModules{RecomputeModule::mlp});
        const std::int64_t kept = all - normsAgain(m_model, form, again);
        const std::int64_t read = fused - with_mlp;
        const bool is_whole = kept == all;
        if (isQuantized() && read > 0)
            m_sink.keep(KeptBy::every_rank, read == 1 ? "norms, one quantized" : "norms, two quantized",
                        is_whole ? "input and output of each; what products read, in their format"
                                 : "input of each, and output; what products read, in their format",
                        (kept - read) * e() * h() + quantized(read * h()));
        else
            m_sink.keep(KeptBy::every_rank, "norms",
                        is_whole ? "input and output of each"
                                 : "input of each, and output where it is not computed again",
                        kept * e() * h());
    }

    void addAttention(RecomputeModules again) const
    {
        if (isLatent() && again.has(RecomputeModule::mla_up_proj))
            m_sink.keep(KeptBy::share, "attention", "what it returns", e() * a() * dv());
        else
            m_sink.keep(KeptBy::share, "attention", "queries, keys, values and what it returns",
                        attentionTensors());
    }

    // The last product, quantized, keeps what it reads in its format, and the output projection has such a
    // copy of what attention itself keeps.
    void addHidden(LayerForm form, RecomputeModules again) const
    {
        const bool moe = hasExperts(form);
        const bool has_shared = m_model.experts.shared > 0;
        const bool no_product = moe && again.has(RecomputeModule::moe_act);
        const bool no_shared = moe && has_shared && again.has(RecomputeModule::shared_experts);
        if (!no_product && !no_shared)
            return m_sink.keep(KeptBy::share, moe ? "experts" : "MLP", hiddenMeaning(),
                               keptHidden(width(form)));
        const Number f = Sink::named("f of an expert", m_model.experts.ffn_hidden_size);
        const Number routed = Sink::scaled(f, rowsSymbol(m_figures), m_figures.expert_rows);
        if (no_product)
            m_sink.keep(KeptBy::share, "routed experts",
                        m_model.gated_mlp ? "the gate and what it opens"
                                          : "what goes into the nonlinear function",
                        (m_model.gated_mlp ? 2 : 1) * e() * routed);
        else
            m_sink.keep(KeptBy::share, "routed experts", hiddenMeaning(), keptHidden(routed));
        if (has_shared && !no_shared)
            m_sink.keep(KeptBy::share, "shared experts", hiddenMeaning(),
                        keptHidden(Sink::named("shared experts", m_model.experts.shared) * f));
    }

    Number keptHidden(const Number& numbers) const
    {
        if (isQuantized())
            return (m_model.gated_mlp ? 2 : 1) * e() * numbers + quantized(numbers);
        return (m_model.gated_mlp ? 3 : 2) * e() * numbers;
    }

    const char* hiddenMeaning() const
    {
        return m_model.gated_mlp ? "the gate, what it opens, and their product"
                                 : "what goes into the nonlinear function, and what comes out";
    }

    void addLatents() const
    {
        const Mla& mla = m_model.mla;
        const Number keys = Sink::named("rkv", mla.kv_lora_rank) + dr();
        if (mla.q_lora_rank > 0)
            m_sink.keep(KeptBy::every_rank, "latents",
                        "queries, and keys with values, compressed; keys that rotate",
                        e() * (Sink::named("rq", mla.q_lora_rank) + keys));
        else
            m_sink.keep(KeptBy::every_rank, "latents", "keys with values compressed; keys that rotate",
                        e() * keys);
    }

    // Ulysses keeps attention's result twice: as it is computed, by heads, and as the output projection reads
    // it, by tokens (Transformer Engine since 2.8).
    void addExchangedOutput() const
    {
        const Parallel& parallel = m_figures.scenario.parallel;
        if (parallel.context > 1 && parallel.context_method == ContextMethod::ulysses)
            m_sink.keep(KeptBy::share, "exchanged result", "what attention returns once more, by tokens",
                        e() * a() * (isLatent() ? dv() : dh()));
    }

    // Of all heads; kernels that never store scores keep one statistic a head.
    void addScores(bool with_encoder, RecomputeModules again) const
    {
        const Scenario& scenario = m_figures.scenario;
        if (again.has(RecomputeModule::core_attn))
            return;
        if (!storesScores(scenario))
            return addStatistics();
        const Number keys = with_encoder ? Sink::named("s of the encoder", m_model.encoderLength())
                                         : Sink::named("s", m_model.sequence_length);
        const char* name = with_encoder ? "scores with the encoder" : "scores";
        if (dropsOut(m_model))
            m_sink.keep(KeptBy::share, name, "the softmax, what dropout leaves of it, and its mask",
                        (2 * e() + 1) * a() * keys);
        else
            m_sink.keep(KeptBy::share, name, "the softmax", e() * a() * keys);
    }

    void addStatistics() const
    {
        m_sink.keep(KeptBy::share, "statistics", "of the softmax, in fp32 for each head",
                    bytesPerElement(Dtype::fp32) * a());
    }

    // Tokens that pass through experts are kept as the experts' products read them, which a tensor group that
    // splits these gathers where tokens are split and does not gather again, and as they come back.
    void addDispatched() const
    {
        const auto rows = [this](const Number& row) {
            return Sink::scaled(row, rowsSymbol(m_figures), m_figures.expert_rows);
        };
        m_sink.keep(KeptBy::every_rank, "experts' results", "as they come back", rows(e() * h()));
        const Number inputs = rows(isQuantized() ? quantized(h()) : e() * h());
        if (m_figures.expert_tensor < m_figures.tensor)
            m_sink.keep(KeptBy::every_rank, "experts' inputs",
                        isQuantized() ? "tokens, quantized" : "tokens as they are sent", inputs);
        else
            m_sink.keep(KeptBy::every_rank_all_tokens, "experts' inputs",
                        isQuantized() ? "tokens, quantized, all of them on each tensor rank"
                                      : "tokens as they are sent, all of them on each tensor rank",
                        inputs);
    }

    // PyTorch's selective checkpointing as torchtitan sets it up ("op"): the layer's input, what attention
    // returns, and the result of every other matrix product, the first of each pass included: of wq, wk, wv,
    // wo, w1, w3, w2 that is wq, wv, w1 and w2. Latent attention projects keys and values of all heads in
    // one.
    void addCheckpoints(LayerForm form) const
    {
        const bool moe = hasExperts(form);
        addInput();
        if (m_model.gated_mlp && hasFeedForward(form))
            m_sink.keep(KeptBy::every_rank, moe ? "experts' last product" : "MLP's last product",
                        "its result", e() * h());
        if (hasAttention(form))
            m_sink.keep(KeptBy::share, "attention's products", "queries, values and what it returns",
                        isLatent() ? e() * a() * (2 * dn() + dr() + 2 * dv()) : e() * dh() * (2 * a() + k()));
        else if (hasRecurrence(form))
            m_sink.keep(KeptBy::share, "recurrence, projected", "values, gate, keys, queries, numbers a head",
                        e() * projected());
        if (hasFeedForward(form))
            m_sink.keep(KeptBy::share, moe ? "experts' first product" : "MLP's first product", "its result",
                        e() * width(form));
        if (hasAttention(form))
            addStatistics();
    }

    const IterationFigures& m_figures;
    const Model& m_model;
    Sink& m_sink;
};

} // namespace shardscope
