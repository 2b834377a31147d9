#include "widgets/plots/timeline/worked_time.h"

#include "widgets/plots/timeline/trace_row.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::size_t events_of_a_mark = 512;

// Adds up stretches that come in the order of their starts; a moment of several counts once.
class UnionLength
{
public:
    void add(TraceTime start, TraceTime end)
    {
        m_length_ns += std::max(end, m_covered_until) - std::max(start, m_covered_until);
        m_covered_until = std::max(end, m_covered_until);
    }
    // Of what lies before a time that no stretch so far starts after.
    TraceTime before(TraceTime time) const { return m_length_ns - (std::max(m_covered_until, time) - time); }
    TraceTime all() const { return m_length_ns; }

private:
    TraceTime m_length_ns = 0;
    TraceTime m_covered_until = std::numeric_limits<TraceTime>::min();
};

} // namespace

WorkedTime::WorkedTime(const TraceStore& store, const EventPaints& paints)
    : m_store{&store}, m_paints{&paints}
{
    std::vector<EventIndex> events;
    for (std::uint32_t event = 0; event < store.size(); ++event)
        if (isWork(paints.paint(event)) && paints.counts(event))
            events.push_back(EventIndex{event});
    std::ranges::sort(events, {}, [&store](EventIndex event) { return store.start(event); });
    UnionLength worked;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const TraceTime start = store.start(events[i]);
        if (i % events_of_a_mark == 0)
            m_marks.push_back({start, worked.before(start)});
        worked.add(start, store.end(events[i]));
    }
}

TraceTime WorkedTime::within(const TimeRange& range, std::span<const TraceRow* const> rows) const
{
    return until(range.end_ns(), rows) - until(range.start_ns, rows);
}

TraceTime WorkedTime::until(TraceTime time, std::span<const TraceRow* const> rows) const
{
    auto mark = std::ranges::upper_bound(m_marks, time, {}, &Mark::time);
    if (mark == m_marks.begin())
        return 0;
    --mark;
    if (mark->time == time)
        return mark->worked_ns;
    std::vector<std::pair<TraceTime, TraceTime>> since; // starts and ends
    for (const TraceRow* row : rows) {
        const auto [first, last] = row->visible({mark->time, time - mark->time});
        for (std::size_t i = first; i < last; ++i) {
            const auto event = static_cast<std::size_t>(row->event(i));
            if (isWork(m_paints->paint(event)) && m_paints->counts(event))
                since.emplace_back(std::max(m_store->start(row->event(i)), mark->time),
                                   std::min(m_store->end(row->event(i)), time));
        }
    }
    std::ranges::sort(since);
    UnionLength worked;
    for (const auto& [start, end] : since)
        worked.add(start, end);
    return mark->worked_ns + worked.all();
}

} // namespace shardscope
