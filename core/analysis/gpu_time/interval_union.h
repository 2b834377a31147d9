#pragma once

#include "core/trace/trace_store.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

struct Interval {
    TraceTime start = 0;
    TraceTime end = 0; // not before start
};

// Spans of time that neither touch nor overlap, in order: what intervals cover together.
class IntervalUnion
{
public:
    IntervalUnion() = default;
    // Any order; intervals that touch or overlap are merged.
    explicit IntervalUnion(std::vector<Interval> intervals);

    const std::vector<Interval>& spans() const { return m_spans; }
    std::int64_t length_ns() const;

    static IntervalUnion both(const IntervalUnion& a, const IntervalUnion& b);      // a or b
    static std::int64_t overlap_ns(const IntervalUnion& a, const IntervalUnion& b); // a and b
    // How much of [start, end) the union covers.
    std::int64_t covered_ns(TraceTime start, TraceTime end) const;

private:
    std::vector<Interval> m_spans;
};

} // namespace shardscope
