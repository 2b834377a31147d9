#include "core/analysis/gpu_time/kernel_table.h"

#include <algorithm>
#include <map>

namespace shardscope
{

namespace
{

void sortByTime(std::vector<KernelRow>& kernels)
{
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const KernelRow& a, const KernelRow& b) { return a.own_ns() > b.own_ns(); });
}

// What counted events take within other counted ones of their thread, as operators do within operators.
// Kernels stand beside each other.
class InnerTimes
{
public:
    InnerTimes(const TraceStore& store, const EventClasses& classes)
    {
        if (classes.onGpu())
            return;
        m_inner_ns.resize(store.size());
        for (const Track& track : store.tracks())
            addThread(track, store, classes);
    }

    TraceTime of(EventIndex event) const
    {
        return m_inner_ns.empty() ? 0 : m_inner_ns[static_cast<std::size_t>(event)];
    }

private:
    struct Open {
        std::uint32_t event = 0;
        TraceTime end = 0;
    };

    void addThread(const Track& track, const TraceStore& store, const EventClasses& classes)
    {
        std::vector<Open> open;
        const auto first = static_cast<std::uint32_t>(track.first);
        for (std::uint32_t i = first; i < first + track.count; ++i) {
            const EventIndex event{i};
            while (!open.empty() && open.back().end <= store.start(event))
                open.pop_back();
            if (!isCounted(classes.of(event)))
                continue;
            // One that outlasts what is around it is cut there, so that no time is within twice.
            const TraceTime end =
                open.empty() ? store.end(event) : std::min(store.end(event), open.back().end);
            if (!open.empty())
                m_inner_ns[open.back().event] += end - store.start(event);
            open.push_back({i, end});
        }
    }

    std::vector<TraceTime> m_inner_ns; // of each event; empty with a GPU
};

void addEvent(const TraceStore& store, EventIndex event, EventClass of, const InnerTimes& inner,
              KernelRow& row)
{
    const std::int64_t duration = store.duration(event);
    row.of = of;
    row.inner_ns += inner.of(event);
    row.min_ns = row.count == 0 ? duration : std::min(row.min_ns, duration);
    row.max_ns = std::max(row.max_ns, duration);
    row.sum_ns += duration;
    ++row.count;
}

} // namespace

std::vector<KernelRow> kernelTable(const TraceStore& store, const EventClasses& classes)
{
    const InnerTimes inner{store, classes};
    std::vector<KernelRow> by_name(store.names().size());
    for (std::size_t i = 0; i < store.size(); ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        if (isCounted(classes.of(event)))
            addEvent(store, event, classes.of(event), inner,
                     by_name[static_cast<std::size_t>(store.nameId(event))]);
    }
    std::vector<KernelRow> kernels;
    for (std::size_t name = 0; name < by_name.size(); ++name)
        if (by_name[name].count > 0) {
            by_name[name].name = store.names().text(NameId{static_cast<std::uint32_t>(name)});
            kernels.push_back(std::move(by_name[name]));
        }
    sortByTime(kernels);
    return kernels;
}

std::vector<std::vector<KernelRow>> stepKernels(const TraceStore& store, const EventClasses& classes,
                                                const StepOfEvents& step_of, std::size_t steps)
{
    const InnerTimes inner{store, classes};
    std::vector<std::map<NameId, KernelRow>> by_name(steps); // few of all names run in a step
    for (std::size_t i = 0; i < store.size() && steps > 0; ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        if (const auto step = step_of.of(event); step && isCounted(classes.of(event)))
            addEvent(store, event, classes.of(event), inner, by_name[*step][store.nameId(event)]);
    }
    std::vector<std::vector<KernelRow>> tables;
    for (auto& of_step : by_name) {
        std::vector<KernelRow>& kernels = tables.emplace_back();
        for (auto& [name, row] : of_step) {
            row.name = store.names().text(name);
            kernels.push_back(std::move(row));
        }
        sortByTime(kernels);
    }
    return tables;
}

void addKernels(std::vector<KernelRow>& kernels, const std::vector<KernelRow>& others)
{
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        known[kernels[i].name] = i;
    for (const KernelRow& other : others) {
        const auto found = known.find(other.name);
        if (found == known.end()) {
            kernels.push_back(other);
            continue;
        }
        kernels[found->second].add(other);
    }
    sortByTime(kernels);
}

} // namespace shardscope
