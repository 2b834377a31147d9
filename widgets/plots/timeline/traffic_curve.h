#pragma once

#include "widgets/plots/timeline/time_axis.h"

#include <vector>

namespace shardscope
{

// Bytes sent up to each time: a line through (time_ns[i], bytes[i]), level before and after. The rate between
// any two times is exact, whatever lies between them.
class CumulativeBytes
{
public:
    // Times must not fall.
    void add(TraceTime time_ns, double bytes_until);
    double until(TraceTime time_ns) const;
    bool empty() const { return m_time.empty(); }

private:
    std::vector<TraceTime> m_time;
    std::vector<double> m_bytes;
};

// A number of bytes sent evenly over a time.
struct Sending {
    TraceTime start_ns = 0;
    TraceTime duration_ns = 0;
    double bytes = 0.0;
};
// The sum of what may overlap.
CumulativeBytes cumulative(std::vector<Sending> sendings);

// How much is sent in each pixel column, by layer: rates[layer][column] in bytes a second.
struct TrafficColumns {
    std::vector<std::vector<double>> rates;
    double most = 0.0; // of all layers together
};
TrafficColumns columnsOf(const std::vector<const CumulativeBytes*>& layers, const TimeRange& range,
                         int width);

// The least of 1, 2, 5 times a power of ten (of 1024 for the unit) that is not below: an axis that does not
// tremble.
double niceCeiling(double bytes_per_s);

} // namespace shardscope
