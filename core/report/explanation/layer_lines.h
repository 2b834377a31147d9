#pragma once

#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

struct WrittenTerms;

// What layers keep of a micro-batch, a line for each: "a layer = s * b * (norms + (attention + MLP) / t) =
// ... = 4.4678 GiB". Lines for the terms of a token, which layers may have in common, follow all of them:
// "norms (input and output of each) = 4 * e * h = 4 * 2 * 2000 = 16 000 B".
class LayerLines
{
public:
    explicit LayerLines(const ExplainedRun& run) : m_run{run} {}

    void add(const std::string& line);
    // A sum of sizes: "name = symbols = values = result".
    void add(std::string_view name, const Sum& sum, std::int64_t bytes);
    void addLayer(std::string_view name, LayerForm form, const Repeats& repeats);
    void addEncoderLayer(std::string_view name, const Repeats& repeats);
    // What the weight gradients of a layer wait with.
    void addGradients(std::string_view name, LayerForm form);

    std::string text() const;

private:
    void add(std::string_view name, const WrittenNumber& number, std::int64_t bytes);
    void addCrossAttention(const Repeats& repeats, std::int64_t bytes);
    void addExpertFigures();
    void addRows();
    WrittenNumber tokens() const;
    WrittenNumber encoderTokens() const;
    WrittenNumber microBatch() const;
    WrittenNumber ofToken(const WrittenTerms& written, bool written_out = false);

    const ExplainedRun& m_run;
    std::vector<std::string> m_lines;
    std::vector<std::string> m_terms;
};

// Korthikanti et al.'s formula where a whole layer of the run is what they write; else empty.
std::string paperSentence(const ExplainedRun& run);

} // namespace shardscope
