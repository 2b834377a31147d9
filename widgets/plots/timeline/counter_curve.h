#pragma once

#include "core/trace/counter.h"
#include "widgets/plots/timeline/time_axis.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace shardscope
{

// The least and the most that a counter held within a pixel column.
struct CounterColumn {
    double low = 0.0;
    double high = 0.0;
    bool is_known = false; // false before the first sample
    bool operator==(const CounterColumn&) const = default;
};

// A counter, ready to be drawn at any zoom: samples that share a pixel are not walked.
class CounterCurve
{
public:
    // The counter must outlive it.
    explicit CounterCurve(const Counter& counter);

    const Counter& counter() const { return *m_counter; }
    // Of all its values.
    double least() const { return m_least; }
    double most() const { return m_most; }
    // Nothing before the first sample.
    std::optional<double> valueAt(TraceTime time_ns) const;
    // One for each pixel column.
    std::vector<CounterColumn> columns(const TimeRange& range, int width) const;

private:
    struct Bounds {
        double low = 0.0;
        double high = 0.0;
    };
    Bounds boundsOf(std::size_t first, std::size_t last) const;

    const Counter* m_counter;
    std::vector<std::vector<Bounds>> m_blocks; // of 32, 1024, ... samples
    double m_least = 0.0;
    double m_most = 0.0;
};

} // namespace shardscope
