// The tables of nccl-tests and rccl-tests: a line for each size.
// Which columns there are differs: old versions leave out the reduction or the root where a test has none.
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw
//   busbw #wrong
//        1048576        262144     float     sum      -1    52.34   20.03   35.06 0    51.90   20.20   35.36
//        0
#include "core/base/whole_number.h"
#include "core/import/logs/log_lines.h"
#include "core/import/text_fields.h"

#include <algorithm>
#include <span>
#include <string>

namespace shardscope
{

namespace
{

class NcclTestsLines final : public LogLines
{
public:
    std::string_view format() const override { return "nccl_tests"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file, std::vector<TraceFile>& further) override;

private:
    void takeHeader(std::string_view header);
    void takeRank(std::span<const std::string_view> words);
    void takePoint(std::span<const std::string_view> words);

    std::vector<BandwidthPoint> m_points;
    std::string m_name;
    std::vector<std::string> m_hosts; // of the ranks that the head lists
    int m_table = -1;
    std::size_t m_time_column = 0; // 0: no table yet
    double m_time_unit_s = 1e-6;
    bool m_is_cpu_time = false;
    bool m_has_reduction = false; // between type and time
    bool m_counts_wrong = false;  // behind busbw
    std::int64_t m_unread = 0;    // rows of a size without its figures
    std::int64_t m_wrong = 0;     // rows whose results were not right
    std::int64_t m_at_odds = 0;   // rows whose time and bandwidth contradict each other
    std::int64_t m_untimed = 0;   // rows of the CPU's time, with a bandwidth too small to tell the GPU's
};

// Two whole numbers, of which the bytes are so many for each element, and a word.
bool isRow(std::span<const std::string_view> words)
{
    const auto bytes = wholeNumber(words[0]);
    const auto count = wholeNumber(words[1]);
    return bytes && count && (*count > 0 ? *bytes % *count == 0 : *bytes == 0) && !leadingNumber(words[2]);
}

// What launchers and clusters' logs put in front: "[1,0]<stdout>:", "[0]", a time stamp.
std::span<const std::string_view> withoutPrefix(std::span<const std::string_view> words)
{
    constexpr std::size_t longest = 4;
    for (std::size_t first = 0; first <= longest && first + 2 < words.size(); ++first)
        if (isRow(words.subspan(first)))
            return words.subspan(first);
    return words;
}

constexpr double least_GBps = 0.1; // two decimals tell the time from there on

// Bytes over time are the algorithm's bandwidth, but for hypercubes, which leave out the rank's own part:
// half of it among two. Both are rounded.
bool isAtOdds(const BandwidthPoint& point)
{
    constexpr double factor = 3.0;
    if (point.algbw_GBps < least_GBps || point.time_s <= 0.0)
        return false;
    const double ratio = static_cast<double>(point.bytes) / point.time_s / (point.algbw_GBps * 1e9);
    return ratio > factor || ratio < 1.0 / factor;
}

void NcclTestsLines::take(std::string_view line)
{
    if (const std::size_t test = line.find("_perf");
        test != std::string_view::npos && line.find('#') < test) {
        // "# Collective test starting: all_reduce_perf"
        const std::size_t begin = line.find_last_of(" /", test) + 1;
        m_name = line.substr(begin, test - begin);
    }
    if (const std::size_t mark = line.find('#'); mark != std::string_view::npos) {
        takeHeader(line.substr(mark + 1));
    } else if (m_time_column > 0) {
        const std::vector<std::string_view> words = splitAtBlanks(line);
        const std::span<const std::string_view> row = withoutPrefix(words);
        if (row.size() >= 7)
            takePoint(row);
    }
}

void NcclTestsLines::takeHeader(std::string_view header)
{
    const std::vector<std::string_view> names = splitAtBlanks(header);
    takeRank(names);
    const auto time = std::ranges::find_if(
        names, [](std::string_view name) { return name == "time" || name == "cputime"; });
    if (time - names.begin() < 3 || names.end() - time < 3 || time[1] != "algbw" || time[2] != "busbw")
        return;
    m_time_column = static_cast<std::size_t>(time - names.begin());
    m_counts_wrong = names.end() - time > 3 && time[3] == "#wrong";
    m_has_reduction = names[3] == "redop" || names[3] == "op";
    m_is_cpu_time = *time == "cputime";
    // Tables of up to NCCL 2.4 begin with "bytes" and are in milliseconds.
    m_time_unit_s = names[0] == "bytes" ? 1e-3 : 1e-6;
    ++m_table;
}

// "Rank  0 Group  0 Pid  1234 on node07 device  0 [0x07] NVIDIA H100": a list that begins anew with rank 0.
void NcclTestsLines::takeRank(std::span<const std::string_view> words)
{
    const auto on = std::ranges::find(words, "on");
    if (words.size() < 5 || words[0] != "Rank" || words.end() - on < 3 || on[2] != "device")
        return;
    if (words[1] == "0")
        m_hosts.clear();
    m_hosts.emplace_back(on[1]);
}

// Size, count and type; then the reduction and the root, which not all tests have; then the time out of
// place, algbw and busbw (GB/s).
void NcclTestsLines::takePoint(std::span<const std::string_view> words)
{
    const auto bytes = wholeNumber(words[0]);
    const auto count = wholeNumber(words[1]);
    if (!bytes || !count || *bytes < 0 || leadingNumber(words[2]))
        return;
    const bool is_reduction_blank = m_has_reduction && leadingNumber(words[3]);
    const std::size_t time = m_time_column - (is_reduction_blank ? 1 : 0);
    if (time + 2 >= words.size()) {
        ++m_unread;
        return;
    }
    const auto time_told = leadingNumber(words[time]);
    const auto algbw = leadingNumber(words[time + 1]);
    const auto busbw = leadingNumber(words[time + 2]);
    if (!time_told || !algbw || !busbw || *time_told < 0.0) {
        ++m_unread;
        return;
    }
    BandwidthPoint point{m_name, std::string(words[2]), *bytes, *time_told * m_time_unit_s, *algbw, *busbw};
    if (m_is_cpu_time) { // that calls take to return; bandwidths are of the GPU's time all the same
        if (point.algbw_GBps < least_GBps) {
            ++m_untimed;
            return;
        }
        point.time_s = static_cast<double>(*bytes) / (point.algbw_GBps * 1e9);
    }
    point.table = m_table;
    point.ranks = static_cast<int>(m_hosts.size());
    for (const std::string& host : m_hosts)
        point.per_node = std::max(point.per_node, static_cast<int>(std::ranges::count(m_hosts, host)));
    m_at_odds += isAtOdds(point) ? 1 : 0;
    m_points.push_back(std::move(point));
    // Many are written as "1e+06".
    if (m_counts_wrong && time + 3 < words.size() && leadingNumber(words[time + 3]).value_or(0.0) > 0.0)
        ++m_wrong;
}

bool NcclTestsLines::fill(TraceFile& file, std::vector<TraceFile>& /*further*/)
{
    file.points.insert(file.points.end(), m_points.begin(), m_points.end());
    if (!m_points.empty() && m_unread > 0)
        file.warnings.push_back({"row of nccl-tests without a time and bandwidths", m_unread});
    if (m_at_odds > 0)
        file.warnings.push_back(
            {"row of nccl-tests whose time and bandwidth contradict each other", m_at_odds});
    if (!m_points.empty() && m_untimed > 0)
        file.notes.push_back(std::to_string(m_untimed) + (m_untimed == 1 ? " row" : " rows")
                             + " of nccl-tests that told the CPU's time alone left out");
    if (m_wrong > 0)
        file.notes.push_back(std::to_string(m_wrong)
                             + (m_wrong == 1 ? " row of nccl-tests is" : " rows of nccl-tests are")
                             + " of calls with wrong results: their times tell little");
    return !m_points.empty();
}

} // namespace

std::unique_ptr<LogLines> makeNcclTestsLines()
{
    return std::make_unique<NcclTestsLines>();
}

} // namespace shardscope
