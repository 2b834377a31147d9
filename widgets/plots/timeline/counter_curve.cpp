#include "widgets/plots/timeline/counter_curve.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::size_t block_factor = 32;

} // namespace

CounterCurve::CounterCurve(const Counter& counter) : m_counter{&counter}
{
    const std::vector<double>& values = counter.values;
    for (std::size_t size = values.size() / block_factor; size > 0; size /= block_factor) {
        std::vector<Bounds> blocks(size);
        for (std::size_t block = 0; block < size; ++block) {
            const std::size_t begin = block * block_factor;
            if (m_blocks.empty()) {
                const auto [low, high] =
                    std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                        values.begin() + static_cast<std::ptrdiff_t>(begin + block_factor));
                blocks[block] = {*low, *high};
                continue;
            }
            blocks[block] = m_blocks.back()[begin];
            for (std::size_t i = begin + 1; i < begin + block_factor; ++i) {
                blocks[block].low = std::min(blocks[block].low, m_blocks.back()[i].low);
                blocks[block].high = std::max(blocks[block].high, m_blocks.back()[i].high);
            }
        }
        m_blocks.push_back(std::move(blocks));
    }
    if (values.empty())
        return;
    const Bounds all = boundsOf(0, values.size());
    m_least = all.low;
    m_most = all.high;
}

// Of the samples [first, last), not empty: whole blocks where they fit.
CounterCurve::Bounds CounterCurve::boundsOf(std::size_t first, std::size_t last) const
{
    Bounds bounds{m_counter->values[first], m_counter->values[first]};
    const auto add = [&bounds](double low, double high) {
        bounds.low = std::min(bounds.low, low);
        bounds.high = std::max(bounds.high, high);
    };
    while (first < last) {
        std::size_t size = 1;
        std::size_t level = 0; // one more than that of the block
        while (level < m_blocks.size() && first % (size * block_factor) == 0
               && first + size * block_factor <= last) {
            size *= block_factor;
            ++level;
        }
        if (level == 0)
            add(m_counter->values[first], m_counter->values[first]);
        else
            add(m_blocks[level - 1][first / size].low, m_blocks[level - 1][first / size].high);
        first += size;
    }
    return bounds;
}

std::optional<double> CounterCurve::valueAt(TraceTime time_ns) const
{
    const auto after = std::ranges::upper_bound(m_counter->times, time_ns);
    if (after == m_counter->times.begin())
        return std::nullopt;
    return m_counter->values[static_cast<std::size_t>(after - m_counter->times.begin() - 1)];
}

std::vector<CounterColumn> CounterCurve::columns(const TimeRange& range, int width) const
{
    std::vector<CounterColumn> columns(static_cast<std::size_t>(width));
    const std::vector<std::int64_t>& times = m_counter->times;
    auto next = std::ranges::lower_bound(times, range.start_ns);
    for (int column = 0; column < width; ++column) {
        const auto first = next;
        const TraceTime end = timeOfColumn(column + 1, range, width);
        while (next != times.end() && *next < end && next - first < 8)
            ++next;
        if (next != times.end() && *next < end)
            next = std::lower_bound(next, times.end(), end);
        // What held before the column's first sample holds in it too.
        const auto from = static_cast<std::size_t>(first - times.begin());
        const auto to = static_cast<std::size_t>(next - times.begin());
        const std::size_t begin = from > 0 ? from - 1 : from;
        if (begin == to)
            continue;
        const Bounds bounds = boundsOf(begin, to);
        columns[static_cast<std::size_t>(column)] = {bounds.low, bounds.high, true};
    }
    return columns;
}

} // namespace shardscope
