// Megatron's timers and iterations:
//   time (ms) | forward-compute: 306.62 | forward-recv: 527.58
//   iteration 10/ 1000 | elapsed time per iteration (ms): 2152.2 | ...
//   (min, max) time across ranks (ms):
//       forward-backward ...............................: (8312.37, 8345.37)
#include "core/import/log_lines.h"
#include "core/import/text_fields.h"

#include <cmath>
#include <string>
#include <unordered_map>

namespace shardscope
{

namespace
{

class MegatronLines final : public LogLines
{
public:
    std::string_view format() const override { return "megatron_log"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file) override;

private:
    void takeTimers(std::string_view timers);
    bool takeBlockLine(std::string_view line);
    void add(std::string_view name, std::optional<double> milliseconds);

    std::vector<TimerRecord> m_timers; // in the order in which they came up
    std::unordered_map<std::string, std::size_t> m_rows;
    bool m_in_block = false; // behind "time across ranks (ms):"
};

void MegatronLines::take(std::string_view line)
{
    constexpr std::string_view elapsed = "elapsed time per iteration (ms):";
    if (m_in_block && takeBlockLine(line))
        return;
    m_in_block = line.find("time across ranks (ms):") != std::string_view::npos;
    if (const std::size_t timers = line.find("time (ms) |"); timers != std::string_view::npos)
        takeTimers(line.substr(timers));
    else if (const std::size_t at = line.find(elapsed); at != std::string_view::npos)
        add("elapsed time per iteration", leadingNumber(line.substr(at + elapsed.size())));
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
    if (colon == std::string_view::npos || line.find("..") > colon)
        return false;
    std::string_view value = trimmed(line.substr(colon + 1));
    if (value.starts_with('(') && value.find(',') != std::string_view::npos)
        value = value.substr(value.find(',') + 1);
    const std::size_t name_end = line.find("..");
    add(trimmed(line.substr(0, name_end)), leadingNumber(value));
    return true;
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

bool MegatronLines::fill(TraceFile& file)
{
    file.timers = std::move(m_timers);
    return !file.timers.empty();
}

} // namespace

std::unique_ptr<LogLines> makeMegatronLines()
{
    return std::make_unique<MegatronLines>();
}

} // namespace shardscope
