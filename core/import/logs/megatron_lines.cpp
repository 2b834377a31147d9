// Megatron's timers and iterations:
//   time (ms) | forward-compute: 306.62 | forward-recv: 527.58
//   iteration 10/ 1000 | elapsed time per iteration (ms): 2152.2 | ...
//   (min, max) time across ranks (ms):
//       forward-backward ...............................: (8312.37, 8345.37)
//   times across ranks (ms):
//     forward-backward:
//        rank  0: 8312.37
// A launcher may have put something before each line ("[default7]:", "15: "), and lines of others between.
#include "core/import/logs/log_lines.h"
#include "core/import/text_fields.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>

namespace shardscope
{

namespace
{

std::string_view lastWord(std::string_view text)
{
    text = trimmed(text);
    return text.substr(text.find_last_of(" \t") + 1); // npos + 1 is 0
}

class MegatronLines final : public LogLines
{
public:
    std::string_view format() const override { return "megatron_log"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file, std::vector<TraceFile>& further) override;

private:
    void takeTimers(std::string_view timers);
    bool takeBlockLine(std::string_view line);
    bool takeRankLine(std::string_view line);
    void endRanks();
    void add(std::string_view name, std::optional<double> milliseconds);

    std::vector<TimerRecord> m_timers; // in the order in which they came up
    std::unordered_map<std::string, std::size_t> m_rows;
    int m_lines_of_block = 0; // that may still be foreign; behind "time across ranks (ms):"
    std::string m_ranks_of;   // the timer whose ranks' times come line by line
    std::optional<double> m_longest;
};

void MegatronLines::take(std::string_view line)
{
    constexpr std::string_view elapsed = "elapsed time per iteration (ms):";
    constexpr std::string_view elapsed_s = "elapsed time per iteration (s):"; // of BLOOM's fork
    constexpr int most_foreign = 32;
    if (m_lines_of_block > 0 && (takeBlockLine(line) || takeRankLine(line)))
        return;
    const bool begins_block = line.find("time across ranks (ms):") != std::string_view::npos
                              || line.find("times across ranks (ms):") != std::string_view::npos;
    const std::size_t seconds = line.find(elapsed_s);
    if (begins_block || line.find(elapsed) != std::string_view::npos || seconds != std::string_view::npos)
        endRanks();
    m_lines_of_block = begins_block ? most_foreign : std::max(m_lines_of_block - 1, 0);
    if (const std::size_t timers = line.find("time (ms) |"); timers != std::string_view::npos)
        takeTimers(line.substr(timers));
    else if (const std::size_t at = line.find(elapsed); at != std::string_view::npos)
        add(iteration_timer, leadingNumber(line.substr(at + elapsed.size())));
    else if (seconds != std::string_view::npos)
        if (const auto time_s = leadingNumber(line.substr(seconds + elapsed_s.size())))
            add(iteration_timer, 1000.0 * *time_s);
}

// Several ranks may have written into one line; each begins anew.
void MegatronLines::takeTimers(std::string_view timers)
{
    for (const std::string_view timer : splitAt(timers, '|')) {
        const std::size_t colon = timer.rfind(':');
        if (colon != std::string_view::npos)
            add(trimmed(timer.substr(0, colon)), leadingNumber(timer.substr(colon + 1)));
    }
}

// Of a range the longest is taken: it is what the others wait for.
bool MegatronLines::takeBlockLine(std::string_view line)
{
    const std::size_t colon = line.rfind(':');
    const std::size_t dots = line.find("..");
    if (colon == std::string_view::npos || dots > colon || line.find_first_not_of('.', dots) != colon)
        return false;
    std::string_view value = trimmed(line.substr(colon + 1));
    if (value.starts_with('(') && value.find(',') != std::string_view::npos)
        value = value.substr(value.find(',') + 1);
    const std::string_view name = lastWord(line.substr(0, dots));
    if (name.empty() || !leadingNumber(value))
        return false;
    add(name, leadingNumber(value));
    return true;
}

// The name of a timer on a line of its own, then a line for each rank.
bool MegatronLines::takeRankLine(std::string_view line)
{
    constexpr std::string_view rank = " rank ";
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos)
        return false;
    if (const std::size_t at = line.find(rank); at < colon && !m_ranks_of.empty()) {
        const auto time = leadingNumber(line.substr(colon + 1));
        if (!leadingNumber(line.substr(at + rank.size())) || !time)
            return false;
        m_longest = std::max(m_longest.value_or(*time), *time);
        return true;
    }
    const std::string_view name = lastWord(line.substr(0, colon));
    const bool stands_alone = colon + 1 == line.size() && name.data() >= line.data() + 2
                              && name.data()[-1] == ' ' && name.data()[-2] == ' ';
    if (!stands_alone)
        return false;
    endRanks();
    m_ranks_of = name;
    return true;
}

void MegatronLines::endRanks()
{
    add(m_ranks_of, m_longest);
    m_ranks_of.clear();
    m_longest.reset();
}

void MegatronLines::add(std::string_view name, std::optional<double> milliseconds)
{
    if (name.empty() || !milliseconds || !std::isfinite(*milliseconds) || *milliseconds < 0.0)
        return;
    const auto [row, is_new] = m_rows.try_emplace(std::string(name), m_timers.size());
    if (is_new)
        m_timers.push_back({std::string(name), {}});
    m_timers[row->second].values_s.push_back(*milliseconds / 1000.0);
}

bool MegatronLines::fill(TraceFile& file, std::vector<TraceFile>& /*further*/)
{
    endRanks();
    file.timers = std::move(m_timers);
    return !file.timers.empty();
}

} // namespace

std::unique_ptr<LogLines> makeMegatronLines()
{
    return std::make_unique<MegatronLines>();
}

} // namespace shardscope
