#include "widgets/plots/timeline/traffic_curve.h"

#include <algorithm>
#include <cassert>

namespace shardscope
{

void CumulativeBytes::add(TraceTime time_ns, double bytes_until)
{
    assert(m_time.empty() || m_time.back() <= time_ns);
    m_time.push_back(time_ns);
    m_bytes.push_back(bytes_until);
}

double CumulativeBytes::until(TraceTime time_ns) const
{
    const auto after = std::upper_bound(m_time.begin(), m_time.end(), time_ns);
    if (after == m_time.begin())
        return m_bytes.empty() ? 0.0 : m_bytes.front();
    if (after == m_time.end())
        return m_bytes.back();
    const auto i = static_cast<std::size_t>(after - m_time.begin());
    const double share =
        static_cast<double>(time_ns - m_time[i - 1]) / static_cast<double>(m_time[i] - m_time[i - 1]);
    return m_bytes[i - 1] + share * (m_bytes[i] - m_bytes[i - 1]);
}

CumulativeBytes cumulative(std::vector<Sending> sendings)
{
    // Every start raises the rate, every end lowers it. What takes no time is given a nanosecond.
    struct Change {
        TraceTime time_ns;
        double bytes_per_ns;
    };
    std::vector<Change> changes;
    for (const Sending& one : sendings) {
        const TraceTime duration = std::max<TraceTime>(1, one.duration_ns);
        const double rate = one.bytes / static_cast<double>(duration);
        changes.push_back({one.start_ns, rate});
        changes.push_back({one.start_ns + duration, -rate});
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
    CumulativeBytes result;
    double rate = 0.0;
    double bytes = 0.0;
    TraceTime last = changes.empty() ? 0 : changes.front().time_ns;
    for (const Change& change : changes) {
        bytes += std::max(0.0, rate) * static_cast<double>(change.time_ns - last);
        last = change.time_ns;
        rate += change.bytes_per_ns;
        result.add(last, bytes);
    }
    return result;
}

TrafficColumns columnsOf(const std::vector<const CumulativeBytes*>& layers, const TimeRange& range, int width)
{
    TrafficColumns columns;
    const auto size = static_cast<std::size_t>(width);
    std::vector<double> sum(size, 0.0);
    for (const CumulativeBytes* layer : layers) {
        std::vector<double> rates(size);
        double before = layer->until(range.start_ns);
        TraceTime from = range.start_ns;
        for (std::size_t column = 0; column < size; ++column) {
            // A column narrower than a nanosecond repeats its neighbour.
            const TraceTime to = timeOfColumn(static_cast<std::int64_t>(column) + 1, range, width);
            if (to > from) {
                const double after = layer->until(to);
                rates[column] = (after - before) / static_cast<double>(to - from) * 1e9;
                before = after;
                from = to;
            } else if (column > 0) {
                rates[column] = rates[column - 1];
            }
            sum[column] += rates[column];
        }
        columns.rates.push_back(std::move(rates));
    }
    for (const double one : sum)
        columns.most = std::max(columns.most, one);
    return columns;
}

double niceCeiling(double bytes_per_s)
{
    if (bytes_per_s <= 0.0)
        return 0.0;
    double unit = 1.0;
    while (bytes_per_s >= unit * 1024.0)
        unit *= 1024.0;
    for (double decade = unit;; decade *= 10.0)
        for (const double step : {1.0, 2.0, 5.0})
            if (decade * step >= bytes_per_s)
                return decade * step;
}

} // namespace shardscope
