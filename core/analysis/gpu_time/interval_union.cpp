#include "core/analysis/gpu_time/interval_union.h"

#include <algorithm>

namespace shardscope
{

IntervalUnion::IntervalUnion(std::vector<Interval> intervals) : m_spans{std::move(intervals)}
{
    const auto before = [](const Interval& a, const Interval& b) { return a.start < b.start; };
    if (!std::is_sorted(m_spans.begin(), m_spans.end(), before))
        std::sort(m_spans.begin(), m_spans.end(), before);
    std::size_t kept = 0;
    for (const Interval& next : m_spans) {
        if (kept > 0 && next.start <= m_spans[kept - 1].end)
            m_spans[kept - 1].end = std::max(m_spans[kept - 1].end, next.end);
        else
            m_spans[kept++] = next;
    }
    m_spans.resize(kept);
}

std::int64_t IntervalUnion::length_ns() const
{
    std::int64_t sum = 0;
    for (const Interval& span : m_spans)
        sum += span.end - span.start;
    return sum;
}

IntervalUnion IntervalUnion::both(const IntervalUnion& a, const IntervalUnion& b)
{
    std::vector<Interval> all;
    all.reserve(a.m_spans.size() + b.m_spans.size());
    std::merge(a.m_spans.begin(), a.m_spans.end(), b.m_spans.begin(), b.m_spans.end(),
               std::back_inserter(all),
               [](const Interval& x, const Interval& y) { return x.start < y.start; });
    return IntervalUnion{std::move(all)};
}

std::int64_t IntervalUnion::overlap_ns(const IntervalUnion& a, const IntervalUnion& b)
{
    std::int64_t sum = 0;
    auto x = a.m_spans.begin();
    auto y = b.m_spans.begin();
    while (x != a.m_spans.end() && y != b.m_spans.end()) {
        sum += std::max<std::int64_t>(0, std::min(x->end, y->end) - std::max(x->start, y->start));
        if (x->end < y->end)
            ++x;
        else
            ++y;
    }
    return sum;
}

std::int64_t IntervalUnion::covered_ns(TraceTime start, TraceTime end) const
{
    std::int64_t sum = 0;
    auto span = std::upper_bound(m_spans.begin(), m_spans.end(), start,
                                 [](TraceTime time, const Interval& x) { return time < x.end; });
    for (; span != m_spans.end() && span->start < end; ++span)
        sum += std::min(span->end, end) - std::max(span->start, start);
    return sum;
}

} // namespace shardscope
