#include "core/analysis/gpu_time/operator_times.h"

#include "core/trace/step_mark.h"

#include <algorithm>
#include <unordered_map>

namespace shardscope
{

namespace
{

// Which events are operators. Marks of the profiler's steps are none, though the category of 2021 says so.
class Operators
{
public:
    Operators(const TraceStore& store, const EventClasses& classes)
        : m_store(store),
          m_classes(classes),
          m_is_operator(store.names().size()),
          m_is_mark(store.names().size())
    {
        for (std::uint32_t id = 0; id < store.names().size(); ++id) {
            const std::string_view text = store.names().text(NameId{id});
            m_is_operator[id] = isOperatorCategory(text);
            m_is_mark[id] = isStepMark(text);
        }
    }

    bool contain(EventIndex event) const
    {
        return m_is_operator[static_cast<std::size_t>(m_store.categoryId(event))]
               && !m_is_mark[static_cast<std::size_t>(m_store.nameId(event))]
               && m_classes.of(event) != EventClass::other;
    }

private:
    const TraceStore& m_store;
    const EventClasses& m_classes;
    std::vector<bool> m_is_operator; // by name, of the category
    std::vector<bool> m_is_mark;     // by name
};

IntervalUnion busyUnion(const BusyTimes& times)
{
    return IntervalUnion::both(IntervalUnion::both(times.compute, times.communication), times.memory);
}

// Launches by the call's row.
std::vector<GpuLaunch> launchesByCall(const TraceStore& store, const EventClasses& classes)
{
    std::vector<GpuLaunch> launches;
    for (const GpuLaunch& launch : store.launches())
        if (classes.of(launch.gpu) != EventClass::other)
            launches.push_back(launch);
    std::ranges::sort(launches, {}, &GpuLaunch::call);
    return launches;
}

// Adds up one thread after the other.
class OperatorSums
{
public:
    OperatorSums(const TraceStore& store, const EventClasses& classes, const BusyTimes& times)
        : m_store(store),
          m_operators(store, classes),
          m_launches(launchesByCall(store, classes)),
          m_busy(busyUnion(times)),
          m_window(times.window)
    {
    }

    void addThread(const Track& track)
    {
        m_open.clear();
        const auto first = static_cast<std::uint32_t>(track.first);
        auto launch = std::ranges::lower_bound(m_launches, EventIndex{first}, {}, &GpuLaunch::call);
        for (std::uint32_t i = first; i < first + track.count; ++i) {
            const EventIndex event{i};
            while (!m_open.empty() && m_open.back().end <= m_store.start(event))
                close();
            if (m_operators.contain(event))
                open(event);
            for (; launch != m_launches.end() && launch->call == event; ++launch)
                if (!m_open.empty()) {
                    OperatorRow& row = m_rows[m_open.back().name];
                    ++row.launches;
                    row.gpu_ns += m_store.duration(launch->gpu);
                }
        }
        while (!m_open.empty())
            close();
    }

    std::vector<OperatorRow> rows()
    {
        std::vector<OperatorRow> rows;
        for (auto& [name, row] : m_rows) {
            row.name = m_store.names().text(name);
            rows.push_back(std::move(row));
        }
        std::ranges::sort(rows, [](const OperatorRow& a, const OperatorRow& b) {
            return a.self_ns != b.self_ns ? a.self_ns > b.self_ns : a.name < b.name;
        });
        return rows;
    }

private:
    struct Open {
        NameId name{};
        TraceTime start = 0;
        TraceTime end = 0;
        std::int64_t inner_ns = 0;
        std::int64_t inner_idle_ns = 0;
    };

    void open(EventIndex event)
    {
        const NameId name = m_store.nameId(event);
        const bool is_within_itself =
            std::ranges::any_of(m_open, [&](const Open& outer) { return outer.name == name; });
        // An operator that outlasts the one around it is cut there, so that no time counts twice.
        const TraceTime end =
            m_open.empty() ? m_store.end(event) : std::min(m_store.end(event), m_open.back().end);
        OperatorRow& row = m_rows[name];
        ++row.calls;
        row.total_ns += is_within_itself ? 0 : end - m_store.start(event);
        m_open.push_back({name, m_store.start(event), end});
    }

    void close()
    {
        const Open done = m_open.back();
        m_open.pop_back();
        const std::int64_t idle_ns = idleWithin(done.start, done.end);
        OperatorRow& row = m_rows[done.name];
        row.self_ns += done.end - done.start - done.inner_ns;
        row.gpu_idle_ns += idle_ns - done.inner_idle_ns;
        if (!m_open.empty()) {
            m_open.back().inner_ns += done.end - done.start;
            m_open.back().inner_idle_ns += idle_ns;
        }
    }

    std::int64_t idleWithin(TraceTime start, TraceTime end) const
    {
        const TraceTime from = std::max(start, m_window.start);
        const TraceTime to = std::min(end, m_window.end);
        return from < to ? to - from - m_busy.covered_ns(from, to) : 0;
    }

    const TraceStore& m_store;
    Operators m_operators;
    std::vector<GpuLaunch> m_launches;
    IntervalUnion m_busy;
    Interval m_window;
    std::vector<Open> m_open; // the outermost first
    std::unordered_map<NameId, OperatorRow> m_rows;
};

} // namespace

double TimeDistribution::kernelShare() const
{
    const std::int64_t compute_ns = kernel_ns + intra_operator_ns + inter_operator_ns;
    return compute_ns > 0 ? static_cast<double>(kernel_ns) / static_cast<double>(compute_ns) : 0.0;
}

TimeDistribution timeDistribution(const TraceStore& store, const EventClasses& classes,
                                  const BusyTimes& times)
{
    const Operators operators{store, classes};
    std::vector<Interval> spans;
    for (std::uint32_t i = 0; i < store.size(); ++i)
        if (const EventIndex event{i}; operators.contain(event)) {
            const Interval span{std::max(store.start(event), times.window.start),
                                std::min(store.end(event), times.window.end)};
            if (span.start < span.end)
                spans.push_back(span);
        }
    const IntervalUnion dispatching{std::move(spans)};
    const IntervalUnion kernels = IntervalUnion::both(times.communication, times.compute);
    const IntervalUnion busy = IntervalUnion::both(kernels, times.memory);
    TimeDistribution distribution;
    distribution.window_ns = times.window.end - times.window.start;
    distribution.communication_ns = times.communication.length_ns();
    distribution.kernel_ns = kernels.length_ns() - distribution.communication_ns;
    distribution.memory_ns = busy.length_ns() - kernels.length_ns();
    distribution.intra_operator_ns = dispatching.length_ns() - IntervalUnion::overlap_ns(dispatching, busy);
    distribution.inter_operator_ns =
        distribution.window_ns - busy.length_ns() - distribution.intra_operator_ns;
    return distribution;
}

std::vector<OperatorRow> operatorTimes(const TraceStore& store, const EventClasses& classes,
                                       const BusyTimes& times)
{
    OperatorSums sums{store, classes, times};
    for (const Track& track : store.tracks())
        if (!track.is_gpu)
            sums.addThread(track);
    return sums.rows();
}

} // namespace shardscope
