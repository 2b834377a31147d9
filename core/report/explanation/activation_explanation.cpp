// What the activations of a stage are made of.
#include "core/base/format.h"
#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/memory_moments.h"
#include "core/prediction/model/layer_traits.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

std::string sizeText(std::int64_t value)
{
    return plainBytes(static_cast<double>(value));
}

// "name = symbols = values = result"
std::string line(std::string_view name, const Sum& sum, std::int64_t bytes)
{
    return std::string{name} + " = " + sum.symbols() + " = " + worked(sum.values(), sizeText(bytes));
}

// A factor that stands in the formula as its number.
Product times(std::int64_t number)
{
    return Product{}.times(std::to_string(number), number);
}

// What a rank keeps of a token of one layer: "10 * h + (24 * h + 5 * a * s) / t", as Korthikanti et al. 2022
// write it; with tokens split, all of it over t. What follows no such formula is told in bytes.
class TokenSum
{
public:
    TokenSum(const ExplainedRun& run, const TokenBytes& bytes)
        : m_model{run.scenario.model},
          m_element{bytesPerElement(run.figures.activation_dtype)},
          m_tensor{run.figures.tensor}
    {
        const bool splits_tokens = run.scenario.parallel.sequence_parallel;
        m_sum = wholePart(bytes.whole);
        if (bytes.split > 0)
            m_sum.add(splits_tokens ? splitPart(bytes.split) : shared(splitPart(bytes.split)));
        if (splits_tokens)
            m_sum = shared(m_sum);
        if (bytes.gathered > 0)
            m_sum.add("its bytes for experts", bytes.gathered);
    }

    const Sum& sum() const { return m_sum; }

private:
    Sum shared(const Sum& sum) const
    {
        if (m_tensor == 1)
            return sum;
        const auto whole = [](const std::string& terms) {
            return terms.find(" + ") == std::string::npos ? terms : "(" + terms + ")";
        };
        return Sum{}.addExpression(whole(sum.symbols()) + " / t",
                                   whole(sum.values()) + " / " + plain(m_tensor));
    }

    Sum wholePart(std::int64_t bytes) const
    {
        const std::int64_t h = m_model.hidden_size;
        return bytes % h == 0 ? Sum{}.add(times(bytes / h).times("h", h))
                              : Sum{}.add("its bytes on each rank", bytes);
    }

    // Attention and the MLP, then their scores: with dropout softmax, its mask and what is left of it,
    // without it one of them, and with kernels that store none a statistic for each head.
    Sum splitPart(std::int64_t bytes) const
    {
        const std::int64_t a = m_model.attention_heads;
        const std::int64_t s = m_model.sequence_length;
        Sum sum = blocks();
        const std::int64_t scores = bytes - blockBytes();
        constexpr std::int64_t statistic = 4;
        if (scores == statistic * a)
            sum.add(times(statistic).times("a", a));
        else if (scores == (2 * m_element + 1) * a * s || scores == m_element * a * s)
            sum.add(times(scores / a / s).times("a", a).times("s", s));
        else if (scores != 0)
            return Sum{}.add(m_tensor > 1 ? "its bytes that t ranks share" : "its other bytes", bytes);
        return sum;
    }

    Sum blocks() const
    {
        const std::int64_t dh = m_model.head_dim;
        if (!m_model.gated_mlp)
            return Sum{}.add(times(12 * m_element).times("h", m_model.hidden_size));
        return Sum{}
            .add(times(2 * m_element).times("a", m_model.attention_heads).times("dh", dh))
            .add(times(2 * m_element).times("k", m_model.kv_heads).times("dh", dh))
            .add(times(3 * m_element).times("f", m_model.ffn_hidden_size));
    }

    std::int64_t blockBytes() const
    {
        if (!m_model.gated_mlp)
            return 12 * m_element * m_model.hidden_size;
        return m_element
               * (2 * m_model.head_dim * (m_model.attention_heads + m_model.kv_heads)
                  + 3 * m_model.ffn_hidden_size);
    }

    const Model& m_model;
    std::int64_t m_element;
    std::int64_t m_tensor;
    Sum m_sum;
};

// "a layer = s * b * (10 * h + (24 * h + 5 * a * s) / t) = 1024 * 32 * (...) = 4.4678 GiB"
std::string layerLine(const ExplainedRun& run, std::string_view name, bool moe, Recompute recompute)
{
    const Scenario& scenario = run.scenario;
    Product tokens;
    tokens.times("s", scenario.model.sequence_length).times("b", scenario.training.micro_batch_size);
    if (run.figures.context > 1)
        tokens.over("c", run.figures.context);
    const Sum token = TokenSum{run, layerTokenBytes(run.figures, moe, recompute)}.sum();
    const bool has_terms = token.symbols().find(" + ") != std::string::npos;
    const auto bracketed = [&](const std::string& text) { return has_terms ? "(" + text + ")" : text; };
    Sum sum;
    sum.addExpression(tokens.symbols() + " * " + bracketed(token.symbols()),
                      tokens.values() + " * " + bracketed(token.values()));
    const std::int64_t bytes = layerActivationBytes(run.figures, moe, recompute);
    if (!moe && recompute != Recompute::full)
        sum.addBytes("its attention to the encoder", crossAttentionBytes(run.figures));
    return line(name, sum, bytes);
}

// Of one micro-batch: "layers of the stage = 14 layers = 14 * 125 MiB = 1.709 GiB"
std::string stageLine(const ExplainedRun& run, const StageShape& shape, const MemoryTerm& layers)
{
    const Recompute recompute = run.scenario.training.recompute;
    Sum sum;
    const auto add = [&](std::int64_t count, const char* what, bool moe) {
        if (count > 0)
            sum.add(Product{}
                        .times("layers", count)
                        .timesBytes(what, layerActivationBytes(run.figures, moe, recompute)));
    };
    add(shape.dense_layers, shape.moe_layers > 0 ? "a dense layer" : "a layer", false);
    add(shape.moe_layers, "a MoE layer", true);
    sum.addBytes("the encoder's", encoderActivationBytes(run.figures, shape));
    return line(layers.what, sum, layers.each_bytes);
}

// A line for each term that is made of something.
std::string partsText(const ExplainedRun& run, const StageShape& shape, const MemoryTerms& kept,
                      const MemoryMoment& moment)
{
    const Recompute recompute = run.scenario.training.recompute;
    std::string text;
    const auto add = [&text](const std::string& one) { text += (text.empty() ? "" : "\n") + one; };
    if (shape.dense_layers > 0)
        add(layerLine(run, shape.moe_layers > 0 ? "a dense layer" : "a layer", false, recompute));
    if (shape.moe_layers > 0)
        add(layerLine(run, "a MoE layer", true, recompute));
    if (!kept.terms().empty())
        add(stageLine(run, shape, kept.terms().front()));
    if (const PutOffGradients put_off = putOffGradients(run.figures, shape); put_off.bytes() > 0)
        add(std::string{put_off_gradients}
            + " = min(their number * what each waits with, room * what a micro-batch would keep if nothing "
              "were recomputed) = "
            + worked("min(" + plain(put_off.count) + " * " + sizeText(put_off.each_bytes) + ", "
                         + plain(put_off.room) + " * " + sizeText(put_off.kept_bytes) + ")",
                     sizeText(put_off.bytes())));
    if (moment.kept.what == recomputed_layer)
        add(layerLine(run, recomputed_layer, shape.moe_layers > 0, Recompute::none));
    return text;
}

Sum sumOf(const MemoryTerms& kept, const MemoryTerm& of_the_moment)
{
    Sum sum;
    bool is_first = true;
    for (const MemoryTerm& term : kept.terms()) {
        const bool has_count = std::exchange(is_first, false) || term.times > 1;
        std::string symbol{term.what};
        std::string values = sizeText(term.each_bytes);
        if (has_count) {
            symbol += term.parts > 1 ? " * chunks in flight" : " * in flight";
            values += " * " + plain(term.times);
        }
        if (term.parts > 1) {
            symbol += " / chunks of the stage";
            values += " / " + plain(term.parts);
        }
        sum.addExpression(symbol, values);
    }
    return sum.addBytes(of_the_moment.what, of_the_moment.bytes());
}

std::string whyOf(const ExplainedRun& run, const MemoryTerms& kept, const MemoryMoment& moment)
{
    const MemoryTerm& layers = kept.terms().front();
    const bool is_one = layers.times == 1 && layers.parts == 1;
    std::string why = "Up to " + plain(layers.times) + (layers.parts > 1 ? " chunks of" : "")
                      + (is_one ? " micro-batch waits" : " micro-batches wait") + " for the backward pass.";
    if (run.scenario.training.recompute == Recompute::full)
        why += " A layer keeps its input alone.";
    else if (checkpointsOperators(run.scenario))
        why += " A layer keeps its input, what attention returns, and every second matrix product.";
    if (moment.kept.what == recomputed_layer)
        why += " One at a time is computed again before its backward pass, and is whole until that ends.";
    else if (moment.kept.bytes() > 0)
        why += " The stage is fullest when " + std::string{moment.when} + ".";
    const auto is_put_off = [](const MemoryTerm& term) { return term.what == put_off_gradients; };
    if (std::ranges::any_of(kept.terms(), is_put_off))
        why += " Weight gradients that are put off wait with what they are made of, whatever is recomputed "
               "besides; so many of them as fill the time and fit in.";
    return why;
}

} // namespace

Explanation explainActivations(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    Explanation explanation;
    explanation.title = "Activations of one rank of stage " + std::to_string(shape.stage);
    explanation.source = "Korthikanti et al. 2022, Table 2 and section 4.3";
    const std::string shown = formatBytes(static_cast<double>(memory.activations_bytes));
    if (run.scenario.model.kind == ModelKind::parameter_list) {
        explanation.why = "A list of parameters does not tell what its layers keep.";
        explanation.formula = "0";
        explanation.with_values = worked("0", shown);
        return explanation;
    }
    const MemoryTerms kept = keptActivations(run.figures, shape);
    const MemoryMoment moment = fullestMoment(run.figures, shape);
    const Sum sum = sumOf(kept, moment.kept);
    explanation.why = whyOf(run, kept, moment);
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), shown);
    explanation.parts = partsText(run, shape, kept, moment);
    return explanation;
}

} // namespace shardscope
