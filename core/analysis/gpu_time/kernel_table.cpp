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
                     [](const KernelRow& a, const KernelRow& b) { return a.sum_ns > b.sum_ns; });
}

void addEvent(const TraceStore& store, EventIndex event, EventClass of, KernelRow& row)
{
    const std::int64_t duration = store.duration(event);
    row.of = of;
    row.min_ns = row.count == 0 ? duration : std::min(row.min_ns, duration);
    row.max_ns = std::max(row.max_ns, duration);
    row.sum_ns += duration;
    ++row.count;
}

} // namespace

std::vector<KernelRow> kernelTable(const TraceStore& store, const EventClasses& classes, Interval range)
{
    std::vector<KernelRow> by_name(store.names().size());
    for (std::size_t i = 0; i < store.size(); ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        if (isCounted(classes.of(event)) && store.start(event) < range.end && store.end(event) >= range.start)
            addEvent(store, event, classes.of(event), by_name[static_cast<std::size_t>(store.nameId(event))]);
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
    std::vector<std::map<NameId, KernelRow>> by_name(steps); // few of all names run in a step
    for (std::size_t i = 0; i < store.size() && steps > 0; ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        if (const auto step = step_of.of(event); step && isCounted(classes.of(event)))
            addEvent(store, event, classes.of(event), by_name[*step][store.nameId(event)]);
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
        KernelRow& row = kernels[found->second];
        row.count += other.count;
        row.sum_ns += other.sum_ns;
        row.min_ns = std::min(row.min_ns, other.min_ns);
        row.max_ns = std::max(row.max_ns, other.max_ns);
    }
    sortByTime(kernels);
}

} // namespace shardscope
