#include "core/import/logs/nccl_tests_rows.h"

#include "core/base/lower_case.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace shardscope
{

namespace
{

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

bool isLetter(char c)
{
    return c >= 'a' && c <= 'z';
}

// The longest operation that the text ends with: "all_reduce" of "my_all_reduce"; empty: none.
std::string_view operationAtEnd(std::string_view text)
{
    // Longer names before those that they end with.
    static constexpr auto operations = std::to_array<std::string_view>(
        {"reduce_scatter", "all_reduce", "all_gather", "hypercube", "alltoallv", "broadcast", "alltoall",
         "sendrecv", "scatter", "gather", "reduce"});
    for (const std::string_view operation : operations) {
        const std::size_t begin = text.size() - operation.size();
        if (text.ends_with(operation) && (begin == 0 || !isLetter(text[begin - 1])))
            return operation;
    }
    return {};
}

// Without a name in it the table of an all_reduce is known all the same: no other operation sends more over
// the bus than its bytes. Figures of small messages are rounded.
bool mayBeOf(const std::string& operation, const std::vector<BandwidthPoint>& points)
{
    constexpr double rounded_one = 1.01;
    double fastest = 0.0;
    bool sends_more = false;
    for (const BandwidthPoint& point : points)
        if (point.name.empty() && point.busbw_GBps > fastest) {
            fastest = point.busbw_GBps;
            sends_more = point.busbw_GBps > rounded_one * point.algbw_GBps;
        }
    return !sends_more || operation == "all_reduce";
}

void nameByFile(TraceFile& file)
{
    const auto has_no_name = [](const BandwidthPoint& point) { return point.name.empty(); };
    const std::vector<std::string> operations =
        operationsOfPrograms(std::filesystem::path{file.path}.filename().string());
    if (std::ranges::none_of(file.points, has_no_name) || operations.size() != 1
        || !mayBeOf(operations.front(), file.points))
        return;
    for (BandwidthPoint& point : file.points)
        if (point.name.empty())
            point.name = operations.front();
    file.notes.push_back("the table names no operation; that of the file's name is taken: "
                         + operations.front());
}

std::string rows(std::int64_t count)
{
    return std::to_string(count) + (count == 1 ? " row" : " rows") + " of nccl-tests";
}

} // namespace

std::vector<std::string> operationsOfPrograms(std::string_view text)
{
    constexpr std::string_view ending = "_perf";
    const std::string letters = inLowerCase(text);
    std::vector<std::string> operations;
    for (std::size_t at = letters.find(ending); at != std::string::npos; at = letters.find(ending, at + 1)) {
        const std::size_t behind = at + ending.size();
        const bool is_word = behind == letters.size() || !isLetter(letters[behind]);
        const std::string operation{operationAtEnd(std::string_view{letters}.substr(0, at))};
        if (is_word && !operation.empty() && std::ranges::find(operations, operation) == operations.end())
            operations.push_back(operation);
    }
    return operations;
}

void NcclTestsRanks::add(std::string_view host, std::int64_t group)
{
    if (m_hosts.empty())
        m_group = group;
    if (group == m_group)
        m_hosts.emplace_back(host);
}

int NcclTestsRanks::mostOnAHost() const
{
    std::vector<std::string> hosts = m_hosts;
    std::ranges::sort(hosts);
    std::ptrdiff_t most = 0;
    for (auto first = hosts.begin(); first != hosts.end();) {
        const auto last = std::upper_bound(first, hosts.end(), *first);
        most = std::max(most, last - first);
        first = last;
    }
    return static_cast<int>(most);
}

void NcclTestsRows::add(BandwidthPoint point, const NcclTestsFigures& figures)
{
    point.time_s = figures.time_s;
    point.algbw_GBps = figures.algbw_GBps;
    point.busbw_GBps = figures.busbw_GBps;
    if (figures.is_cpu_time) {
        if (point.algbw_GBps < least_GBps) {
            ++m_untimed;
            return;
        }
        point.time_s = static_cast<double>(point.bytes) / (point.algbw_GBps * 1e9);
    }
    m_at_odds += isAtOdds(point) ? 1 : 0;
    m_wrong += figures.is_wrong ? 1 : 0;
    m_points.push_back(std::move(point));
}

bool NcclTestsRows::fill(TraceFile& file) const
{
    file.points.insert(file.points.end(), m_points.begin(), m_points.end());
    nameByFile(file);
    if (!m_points.empty() && m_unread > 0)
        file.warnings.push_back({"row of nccl-tests without a time and bandwidths", m_unread});
    if (m_at_odds > 0)
        file.warnings.push_back(
            {"row of nccl-tests whose time and bandwidth contradict each other", m_at_odds});
    if (!m_points.empty() && m_untimed > 0)
        file.notes.push_back(rows(m_untimed) + " that told only the CPU's time left out");
    if (m_wrong > 0)
        file.notes.push_back(rows(m_wrong) + (m_wrong == 1 ? " is" : " are")
                             + " of calls with wrong results: their times tell little");
    return !m_points.empty();
}

} // namespace shardscope
