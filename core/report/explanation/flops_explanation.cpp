#include "core/prediction/model/flops.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/model/recurrence.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"
#include "core/scenario/recomputation_words.h"

namespace shardscope
{

namespace
{

std::int64_t whole(double count)
{
    return static_cast<std::int64_t>(count);
}

// "MLP = 3 * h * f = 3 * 4096 * 14 336 = 176 160 768"
std::string line(const char* name, const Sum& sum, const std::string& value)
{
    return name + std::string{" = "} + sum.symbols() + " = " + worked(sum.values(), value);
}

// What one forward pass of a sequence is made of, a line for each term and for what stands in it.
class ForwardParts
{
public:
    explicit ForwardParts(const Scenario& scenario)
        : m_model{scenario.model},
          m_causal{scenario.training.causal_flops && !looksBothWays(scenario.model)},
          m_flops{forwardFlops(scenario.model, scenario.training.causal_flops)},
          m_weights{productWeights(scenario.model)},
          m_layers{layersBySort(scenario.model).decoder}
    {
    }

    std::string text() const
    {
        std::string text = line("layers", layers(), plainFlops(m_flops.layers));
        if (with(hasAttention) > 0)
            text += '\n' + projections();
        if (with(hasRecurrence) > 0)
            text +=
                '\n'
                + line("weights of a recurrence", recurrenceWeightsSum(), plain(whole(m_weights.recurrence)));
        if (with(hasMlp) > 0)
            text += '\n' + line("MLP", mlp(), plain(whole(m_weights.mlp)));
        if (with(hasExperts) > 0)
            text += '\n' + line("experts in use", experts(), plain(whole(m_weights.experts)));
        if (with(hasAttention) > 0)
            text += '\n' + line("attention", attention(), plainFlops(m_flops.attention));
        if (with(hasRecurrence) > 0)
            text += '\n' + line("recurrences", recurrences(), plainFlops(m_flops.recurrence));
        return text + '\n' + line("logits", logits(), plainFlops(m_flops.logits));
    }

private:
    Product twice(const char* length, std::int64_t tokens) const
    {
        return Product{}.times("2", 2).times(length, tokens);
    }

    Sum layers() const
    {
        const std::int64_t s = m_model.sequence_length;
        const std::int64_t h = m_model.hidden_size;
        Sum sum;
        sum.add(twice("s", s)
                    .times(with(hasAttention) < m_layers.all() ? "layers with attention" : l(),
                           with(hasAttention))
                    .times("projections", whole(m_weights.projections)));
        sum.add(twice("s", s)
                    .times("recurrences", with(hasRecurrence))
                    .times("weights of a recurrence", whole(m_weights.recurrence)));
        sum.add(twice("s", s)
                    .times(with(hasMlp) == m_layers.all() ? l()
                           : with(hasExperts) > 0         ? "dense layers"
                                                          : "layers with an MLP",
                           with(hasMlp))
                    .times("MLP", whole(m_weights.mlp)));
        sum.add(twice("s", s)
                    .times("MoE layers", with(hasExperts))
                    .times("experts in use", whole(m_weights.experts)));
        if (m_model.mtp_layers > 0)
            sum.add(twice("s", s).times("modules", m_model.mtp_layers).times("2 h", 2 * h).times("h", h));
        if (!m_model.hasEncoder())
            return sum;
        const std::int64_t encoder = m_model.encoderLength();
        sum.add(twice("s of the encoder", encoder)
                    .times("its layers", m_model.encoder_layers)
                    .times("(projections + MLP)", whole(m_weights.projections + m_weights.mlp)));
        return sum.add(Product{}
                           .times("4", 4)
                           .times("l", m_model.layers)
                           .times("h", m_model.hidden_size)
                           .times("dh", m_model.head_dim)
                           .times("(s a + s of the encoder k)",
                                  s * m_model.attention_heads + encoder * m_model.kv_heads));
    }

    std::string projections() const
    {
        const std::string value = plain(whole(m_weights.projections));
        const Mla& mla = m_model.mla;
        const std::int64_t h = m_model.hidden_size;
        const std::int64_t a = m_model.attention_heads;
        Sum sum;
        if (mla.kv_lora_rank == 0)
            return line("projections",
                        sum.add(Product{}
                                    .times("2", 2)
                                    .times("h", h)
                                    .times("dh", m_model.head_dim)
                                    .times("(a + k)", a + m_model.kv_heads))
                            .add(Product{}
                                     .times("h", h)
                                     .times("a", m_model.attention_gate ? a : 0)
                                     .times("dh, the gate", m_model.head_dim)),
                        value);
        const std::int64_t head = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
        if (mla.q_lora_rank > 0)
            sum.add(Product{}.times("h", h).times("rq", mla.q_lora_rank));
        sum.add(Product{}
                    .times(mla.q_lora_rank > 0 ? "rq" : "h", mla.q_lora_rank > 0 ? mla.q_lora_rank : h)
                    .times("a", a)
                    .times("(dn + dr)", head));
        sum.add(Product{}.times("h", h).times("(rkv + dr)", mla.kv_lora_rank + mla.qk_rope_head_dim));
        sum.add(Product{}
                    .times("rkv", mla.kv_lora_rank)
                    .times("a", a)
                    .times("(dn + dv)", mla.qk_nope_head_dim + mla.v_head_dim));
        sum.add(Product{}.times("a", a).times("dv", mla.v_head_dim).times("h", h));
        return line("projections", sum, value);
    }

    Product feedForward(const char* symbol, std::int64_t width) const
    {
        return Product{}
            .times(m_model.gated_mlp ? "3" : "2", m_model.gated_mlp ? 3 : 2)
            .times("h", m_model.hidden_size)
            .times(symbol, width);
    }

    // To values, gate, keys, queries and the numbers of heads, and back from the values.
    Sum recurrenceWeightsSum() const
    {
        const RecurrenceWidths widths = recurrenceWidths(m_model, 1);
        const std::int64_t per_head = widths.per_head / m_model.recurrence.heads;
        return Sum{}.add(Product{}
                             .times("h", m_model.hidden_size)
                             .times(per_head == 1 ? "(3 heads dv + 2 groups dk + heads)"
                                                  : "(3 heads dv + 2 groups dk + 2 heads)",
                                    widths.projected() + widths.values));
    }

    Sum recurrences() const
    {
        const Recurrence& recurrence = m_model.recurrence;
        const bool is_mamba = recurrence.kind == RecurrenceKind::mamba2;
        return Sum{}.add(Product{}
                             .times(is_mamba ? "7" : "8", is_mamba ? 7 : 8)
                             .times("s", m_model.sequence_length)
                             .times("recurrences", with(hasRecurrence))
                             .times("heads", recurrence.heads)
                             .times("dv", recurrence.value_dim)
                             .times("dk", recurrence.key_dim));
    }

    Sum mlp() const { return Sum{}.add(feedForward("f", m_model.ffn_hidden_size)); }

    Sum experts() const
    {
        return Sum{}
            .add(feedForward("their width", mlpWidth(m_model, LayerForm::attention_experts)))
            .add(Product{}.times("h", m_model.hidden_size).times("E", m_model.experts.count));
    }

    // Scores of each token with those before it, or with all, and what they weigh.
    Sum attention() const
    {
        const bool latent = m_model.mla.kv_lora_rank > 0;
        const char* width = latent ? "a (dn + dr + dv)" : "2 a dh";
        const std::int64_t wide = attentionProductWidth(m_model);
        const std::int64_t s = m_model.sequence_length;
        Product decoder = twice("s", s)
                              .times("s", s)
                              .times(with(hasAttention) < m_layers.all() ? "layers with attention" : l(),
                                     with(hasAttention))
                              .times(width, wide);
        if (m_causal)
            decoder.over("2", 2);
        Sum sum;
        if (const double share = shareInWindows(m_model); share < 1.0)
            sum.addExpression("share in windows * " + decoder.symbols(),
                              plain(share) + " * " + decoder.values());
        else
            sum.add(decoder);
        if (!m_model.hasEncoder())
            return sum;
        const std::int64_t encoder = m_model.encoderLength();
        sum.add(twice("s of the encoder", encoder)
                    .times("s of the encoder", encoder)
                    .times("its layers", m_model.encoder_layers)
                    .times(width, wide));
        return sum.add(
            twice("s", s).times("s of the encoder", encoder).times("l", m_model.layers).times(width, wide));
    }

    Sum logits() const
    {
        const std::int64_t h = m_model.hidden_size;
        Sum sum;
        Product words = twice("s", m_model.sequence_length).times("h", h).times("V", m_model.vocab_size);
        if (m_model.mtp_layers > 0)
            words.times("tokens predicted", 1 + m_model.mtp_layers);
        sum.add(words);
        if (m_model.output_head == OutputHead::bert)
            sum.add(twice("s", m_model.sequence_length).times("h", h).times("h", h));
        return sum;
    }

    std::int64_t with(bool (*has)(LayerForm)) const { return m_layers.with(has); }
    // Modules of multi-token prediction have a layer each.
    const char* l() const { return m_model.mtp_layers > 0 ? "(l + modules)" : "l"; }

    const Model& m_model;
    bool m_causal;
    ForwardFlops m_flops;
    ProductWeights m_weights;
    LayersByForm<std::int64_t> m_layers; // of the decoder
};

Explanation ofParameterList(const ExplainedRun& run, Explanation explanation)
{
    explanation.why = "Forward and backward pass of every sample of the batch.";
    explanation.formula = "gb * FLOPs of a sample";
    explanation.with_values = worked(plain(run.scenario.training.global_batch_size) + " * "
                                         + plainFlops(run.scenario.model.flops_per_sample),
                                     plainFlops(run.prediction.flops.model));
    explanation.source = "the model's flops_per_sample";
    return explanation;
}

// What is computed again: layers, attention, every second product, or what is no such plain part.
void addRepeated(const ExplainedRun& run, const ForwardFlops& forward, Explanation& explanation,
                 std::string& values)
{
    const Training& training = run.scenario.training;
    const std::string batch = plain(training.global_batch_size);
    if (training.recompute == Recompute::full && training.recompute_layers == 0) {
        const bool recurs = forward.recurrence > 0.0;
        explanation.formula +=
            recurs ? " + gb (layers + attention + recurrences)" : " + gb (layers + attention)";
        values += " + " + batch + " * (" + plainFlops(forward.layers) + " + " + plainFlops(forward.attention)
                  + (recurs ? " + " + plainFlops(forward.recurrence) : "") + ")";
    } else if (checkpointsOperators(run.scenario)) { // keeps every second product of the layers
        explanation.formula += " + gb layers / 2";
        values += " + " + batch + " * " + plainFlops(forward.layers) + " / 2";
        if (forward.recurrence > 0.0) {
            explanation.formula += " + gb recurrences";
            values += " + " + batch + " * " + plainFlops(forward.recurrence);
        }
    } else if (training.recompute == Recompute::selective && !recomputesModules(run.scenario)) {
        explanation.formula += " + gb attention";
        values += " + " + batch + " * " + plainFlops(forward.attention);
    } else if (training.recompute != Recompute::none) {
        explanation.formula += " + gb recomputed";
        values += " + " + batch + " * " + plainFlops(repeatedFlops(run.scenario));
        explanation.why += training.recompute == Recompute::full
                               ? " Recomputed: the forward pass of the layers that keep only their input."
                               : " Recomputed: products of the modules that are computed again.";
    }
}

} // namespace

Explanation explainFlops(const ExplainedRun& run, bool hardware)
{
    const Training& training = run.scenario.training;
    Explanation explanation;
    explanation.title = hardware ? "Hardware FLOPs of an iteration" : "Model FLOPs of an iteration";
    if (run.scenario.model.kind == ModelKind::parameter_list)
        return ofParameterList(run, std::move(explanation));
    const ForwardFlops forward = forwardFlops(run.scenario.model, training.causal_flops);
    const std::string layers = plainFlops(forward.layers);
    const std::string attention = plainFlops(forward.attention);
    const std::string batch = plain(training.global_batch_size);
    explanation.why =
        "Two operations for each multiply-add of a matrix product; the backward pass costs two forward "
        "passes.";
    explanation.why +=
        !training.causal_flops || looksBothWays(run.scenario.model) ? " Attention counts all s * s scores."
        : run.scenario.model.hasEncoder() ? " The decoder's own attention counts only the past."
                                          : " Attention counts only the past.";
    if (shareInWindows(run.scenario.model) < 1.0)
        explanation.why +=
            " Of the scores that causal attention looks at, those within the windows are counted.";
    const bool recurs = forward.recurrence > 0.0;
    explanation.formula =
        recurs ? "3 gb (layers + attention + recurrences + logits)" : "3 gb (layers + attention + logits)";
    std::string values = "3 * " + batch + " * (" + layers + " + " + attention
                         + (recurs ? " + " + plainFlops(forward.recurrence) : "") + " + "
                         + plainFlops(forward.logits) + ")";
    if (hardware)
        addRepeated(run, forward, explanation, values);
    explanation.with_values =
        worked(values, plainFlops(hardware ? run.prediction.flops.hardware : run.prediction.flops.model));
    explanation.source = "Narayanan et al. 2021, appendix; Korthikanti et al. 2022, appendix A";
    explanation.parts = ForwardParts{run.scenario}.text();
    return explanation;
}

} // namespace shardscope
