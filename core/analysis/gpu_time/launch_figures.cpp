#include "core/analysis/gpu_time/gpu_activity.h"
#include "core/base/median.h"

#include <algorithm>
#include <map>

namespace shardscope
{

std::vector<LaunchFigures> launchFigures(const TraceStore& store, const EventClasses& classes)
{
    struct Sort {
        LaunchFigures figures;
        std::vector<std::int64_t> delays;
    };
    std::map<NameId, Sort> sorts;
    for (const GpuLaunch& launch : store.launches()) {
        const EventClass of = classes.of(launch.gpu);
        if (of != EventClass::compute && of != EventClass::communication && of != EventClass::memory)
            continue;
        Sort& sort = sorts[store.nameId(launch.call)];
        const std::int64_t gpu_ns = store.duration(launch.gpu);
        const std::int64_t call_ns = store.duration(launch.call);
        const std::int64_t delay_ns =
            std::max<std::int64_t>(0, store.start(launch.gpu) - store.end(launch.call));
        ++sort.figures.count;
        sort.figures.call_ns += call_ns;
        sort.figures.gpu_ns += gpu_ns;
        sort.figures.delay_ns += delay_ns;
        sort.figures.short_count += gpu_ns < call_ns;
        sort.delays.push_back(delay_ns);
    }
    std::vector<LaunchFigures> rows;
    for (auto& [name, sort] : sorts) {
        LaunchFigures figures = sort.figures;
        figures.call = store.names().text(name);
        std::ranges::sort(sort.delays);
        figures.delay_median_ns = medianOfSorted(sort.delays);
        figures.delay_max_ns = sort.delays.back();
        rows.push_back(std::move(figures));
    }
    std::ranges::stable_sort(rows, std::greater{}, &LaunchFigures::delay_ns);
    return rows;
}

} // namespace shardscope
