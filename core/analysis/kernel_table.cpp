#include "core/analysis/kernel_table.h"

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

} // namespace

std::vector<KernelRow> kernelTable(const TraceStore& store, const EventClasses& classes, Interval range)
{
    std::vector<KernelRow> by_name(store.names().size());
    for (std::size_t i = 0; i < store.size(); ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        const EventClass of = classes.of(event);
        const bool counted =
            of == EventClass::compute || of == EventClass::communication || of == EventClass::memory;
        if (!counted || store.start(event) >= range.end || store.end(event) < range.start)
            continue;
        KernelRow& row = by_name[static_cast<std::size_t>(store.nameId(event))];
        const std::int64_t duration = store.duration(event);
        row.of = of;
        row.min_ns = row.count == 0 ? duration : std::min(row.min_ns, duration);
        row.max_ns = std::max(row.max_ns, duration);
        row.sum_ns += duration;
        ++row.count;
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
