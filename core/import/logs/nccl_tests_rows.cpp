#include "core/import/logs/nccl_tests_rows.h"

#include <algorithm>
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

std::string rows(std::int64_t count)
{
    return std::to_string(count) + (count == 1 ? " row" : " rows") + " of nccl-tests";
}

} // namespace

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
