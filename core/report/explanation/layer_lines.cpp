#include "core/report/explanation/layer_lines.h"

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/token_terms.h"
#include "core/prediction/model/expert_routing.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

// A term of one token with what it is called.
struct WrittenTerm {
    KeptBy by = KeptBy::every_rank;
    std::string name;
    std::string meaning;
    WrittenNumber number;
};
// TokenTerms' Sink that writes terms out.
struct WrittenTerms {
    using Number = WrittenNumber;

    static Number named(const char* symbol, std::int64_t value) { return {symbol, value}; }
    static Number scaled(const Number& number, const char* symbol, double factor)
    {
        return number.scaled(symbol, factor);
    }
    void keep(KeptBy by, const char* name, const char* meaning, const Number& number)
    {
        terms.push_back({by, name, meaning, number});
    }
    std::int64_t bytesKept(KeptBy by) const
    {
        std::int64_t bytes = 0;
        for (const WrittenTerm& term : terms)
            bytes += term.by == by ? term.number.value() : 0;
        return bytes;
    }

    std::vector<WrittenTerm> terms;
};

namespace
{

// The terms of one token that `add` asks for.
template<class Add>
WrittenTerms writtenTerms(const ExplainedRun& run, Add add)
{
    WrittenTerms written;
    add(TokenTerms{run.figures, written});
    return written;
}

void append(std::vector<std::string>& lines, const std::string& one)
{
    if (std::ranges::find(lines, one) == lines.end())
        lines.push_back(one);
}

// "name = symbols = values = result"
std::string lineOf(const std::string& name, const WrittenNumber& number, const std::string& result)
{
    return name + " = " + number.symbols() + " = " + worked(number.values(), result);
}

void addTo(std::optional<WrittenNumber>& sum, const WrittenNumber& number)
{
    sum = sum ? *sum + number : number;
}

} // namespace

void LayerLines::add(const std::string& line)
{
    append(m_lines, line);
}

void LayerLines::add(std::string_view name, const Sum& sum, std::int64_t bytes)
{
    add(std::string{name} + " = " + sum.symbols() + " = " + worked(sum.values(), sizeText(bytes)));
}

void LayerLines::add(std::string_view name, const WrittenNumber& number, std::int64_t bytes)
{
    add(lineOf(std::string{name}, number, sizeText(bytes)));
}

void LayerLines::addLayer(std::string_view name, LayerForm form, const Repeats& repeats)
{
    const WrittenTerms terms = writtenTerms(m_run, [&](const auto& all) { all.addLayer(form, repeats); });
    const WrittenNumber own = tokens() * ofToken(terms, repeats.layer);
    const std::int64_t cross = crossAttentionBytes(m_run.figures, form, repeats);
    Sum sum;
    sum.addExpression(own.symbols(), own.values()).addBytes("cross-attention", cross);
    add(name, sum, layerActivationBytes(m_run.figures, form, repeats));
    if (cross > 0)
        addCrossAttention(repeats, cross);
    if (hasExperts(form) && !repeats.layer)
        addExpertFigures();
}

void LayerLines::addEncoderLayer(std::string_view name, const Repeats& repeats)
{
    const WrittenTerms terms = writtenTerms(m_run, [&](const auto& all) { all.addEncoderLayer(repeats); });
    add(name, encoderTokens() * ofToken(terms, repeats.layer), encoderLayerBytes(m_run.figures, repeats));
}

void LayerLines::addGradients(std::string_view name, LayerForm form)
{
    const WrittenTerms terms = writtenTerms(m_run, [&](const auto& all) { all.addWeightGradients(form); });
    add(name, tokens() * ofToken(terms), weightGradientWaitBytes(m_run.figures, form));
    if (hasExperts(form))
        addExpertFigures();
}

std::string LayerLines::text() const
{
    std::string text;
    for (const std::vector<std::string>* lines : {&m_lines, &m_terms})
        for (const std::string& line : *lines)
            text += (text.empty() ? "" : "\n") + line;
    return text;
}

WrittenNumber LayerLines::tokens() const
{
    const WrittenNumber all = WrittenNumber{"s", m_run.scenario.model.sequence_length} * microBatch();
    return m_run.figures.context > 1 ? all / WrittenNumber{"c", m_run.figures.context} : all;
}

WrittenNumber LayerLines::encoderTokens() const
{
    return WrittenNumber{"s of the encoder", m_run.scenario.model.encoderLength()} * microBatch();
}

WrittenNumber LayerLines::microBatch() const
{
    return {"b", m_run.scenario.training.micro_batch_size};
}

// What a rank keeps of a token: terms by their names, each with a line of its own, or written out.
WrittenNumber LayerLines::ofToken(const WrittenTerms& written, bool written_out)
{
    const bool splits_tokens = m_run.scenario.parallel.sequence_parallel;
    std::optional<WrittenNumber> whole;
    std::optional<WrittenNumber> shared;
    std::optional<WrittenNumber> gathered;
    for (const WrittenTerm& term : written.terms) {
        const bool is_shared = term.by == KeptBy::share || (splits_tokens && term.by == KeptBy::every_rank);
        const std::int64_t bytes = term.number.value();
        addTo(is_shared                       ? shared
              : term.by == KeptBy::every_rank ? whole
                                              : gathered,
              written_out ? term.number : WrittenNumber{term.name, bytes});
        if (!written_out)
            append(m_terms, lineOf(term.name + " (" + term.meaning + ")", term.number, plain(bytes) + " B"));
    }
    if (shared)
        addTo(whole, m_run.figures.tensor > 1 ? *shared / WrittenNumber{"t", m_run.figures.tensor} : *shared);
    if (gathered)
        addTo(whole, *gathered);
    return *whole;
}

void LayerLines::addCrossAttention(const Repeats& repeats, std::int64_t bytes)
{
    const WrittenTerms decoder =
        writtenTerms(m_run, [&](const auto& all) { all.addCrossAttention(repeats); });
    const WrittenTerms encoder = writtenTerms(m_run, [](const auto& all) { all.addCrossKeys(); });
    const WrittenNumber own = tokens() * ofToken(decoder);
    add("cross-attention", own + encoderTokens() * ofToken(encoder), bytes);
}

// The width that stands in the experts' terms, and the rows in it where they are not the experts of a token.
void LayerLines::addExpertFigures()
{
    const Experts& experts = m_run.scenario.model.experts;
    const std::string rows = rowsSymbol(m_run.figures);
    const std::string rows_value = plain(m_run.figures.expert_rows);
    const bool shares = experts.shared > 0;
    append(m_terms, "width (of the experts that a token passes) = "
                        + (shares ? "(" + rows + " + shared experts)" : rows) + " * f of an expert = "
                        + (shares ? "(" + rows_value + " + " + plain(experts.shared) + ")" : rows_value)
                        + " * "
                        + worked(plain(experts.ffn_hidden_size),
                                 plain(computedMlpWidth(m_run.figures, LayerForm::attention_experts))));
    if (rows == "rows")
        addRows();
}

void LayerLines::addRows()
{
    const ExpertRouting routing{m_run.figures};
    const std::int64_t count = m_run.scenario.model.experts.count;
    const WrittenNumber slots =
        routing.sizes_are_fixed
            ? WrittenNumber{"experts", count} * WrittenNumber{"slots of each", routing.slots / count}
            : WrittenNumber{"experts that tokens go to", routing.slots};
    const WrittenNumber even = slots / WrittenNumber{"tokens", routing.tokens};
    const bool is_even = m_run.figures.busiest_load == 1.0;
    append(m_terms, "rows (that experts compute for a token) = "
                        + (is_even ? "" : std::string{"load of the fullest place * "}) + even.symbols()
                        + " = " + (is_even ? "" : plain(m_run.figures.busiest_load) + " * ")
                        + worked(even.values(), plain(m_run.figures.expert_rows)));
}

// Where a whole layer is what Korthikanti et al. 2022, Table 2, write of a GPT with an MLP of 4 h: their
// formula.
std::string paperSentence(const ExplainedRun& run)
{
    const Model& model = run.scenario.model;
    const Repeats repeats = repeatsOfOthers(run.scenario);
    const bool keeps_scores = !repeats.has(RecomputeModule::core_attn);
    if (model.hasEncoder() || run.figures.context > 1 || repeats.second_products
        || layersByForm(model)[LayerForm::attention_mlp] < model.layers)
        return {};
    const WrittenTerms terms =
        writtenTerms(run, [&](const auto& all) { all.addLayer(LayerForm::attention_mlp, repeats); });
    const std::int64_t h = model.hidden_size;
    const std::int64_t scores = keeps_scores ? 5 * model.attention_heads * model.sequence_length : 0;
    if (terms.bytesKept(KeptBy::every_rank) != 10 * h || terms.bytesKept(KeptBy::share) != 24 * h + scores)
        return {};
    const bool splits_tokens = run.scenario.parallel.sequence_parallel;
    const std::string formula = splits_tokens  ? keeps_scores ? "s b h / t (34 + 5 a s / h)" : "34 s b h / t"
                                : keeps_scores ? "s b h (10 + 24 / t + 5 a s / (h t))"
                                               : "s b h (10 + 24 / t)";
    const bool is_recomputed = run.scenario.training.recompute == Recompute::full;
    return std::string{" Korthikanti et al. write "}
           + (is_recomputed ? "a layer that is worked out again" : "the layer") + " as " + formula
           + ", with a dh = h and f = 4 h.";
}

} // namespace shardscope
