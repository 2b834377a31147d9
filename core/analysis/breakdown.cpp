#include "core/analysis/breakdown.h"

#include <algorithm>

namespace shardscope
{

BusyTimes busyTimes(const TraceStore& store, const EventClasses& classes)
{
    std::vector<Interval> compute;
    std::vector<Interval> communication;
    std::vector<Interval> memory;
    Interval window;
    bool any = false;
    for (std::size_t i = 0; i < store.size(); ++i) {
        const EventClass of = classes.of(EventIndex{static_cast<std::uint32_t>(i)});
        std::vector<Interval>* list = of == EventClass::compute         ? &compute
                                      : of == EventClass::communication ? &communication
                                      : of == EventClass::memory        ? &memory
                                                                        : nullptr;
        if (!list)
            continue;
        const Interval span{store.starts()[i], store.starts()[i] + store.durations()[i]};
        list->push_back(span);
        window = any ? Interval{std::min(window.start, span.start), std::max(window.end, span.end)} : span;
        any = true;
    }
    return {IntervalUnion{std::move(compute)}, IntervalUnion{std::move(communication)},
            IntervalUnion{std::move(memory)}, window};
}

void addBreakdown(const TraceStore& store, const EventClasses& classes, const BusyTimes& times,
                  RankMeasurement& rank)
{
    const std::int64_t window_ns = times.window.end - times.window.start;
    const std::int64_t compute_ns = times.compute.length_ns();
    const std::int64_t communication_ns = times.communication.length_ns();
    const std::int64_t overlap_ns = IntervalUnion::overlap_ns(times.communication, times.compute);
    const std::int64_t busy_ns =
        IntervalUnion::both(IntervalUnion::both(times.compute, times.communication), times.memory)
            .length_ns();
    rank.window_ns += window_ns;
    rank.busy_ns += busy_ns;
    rank.idle_ns += window_ns - busy_ns;
    rank.compute_ns += compute_ns;
    rank.communication_ns += communication_ns;
    rank.memory_ns += times.memory.length_ns();
    rank.non_compute_ns += busy_ns - compute_ns;
    rank.overlap_ns += overlap_ns;
    rank.exposed_communication_ns += communication_ns - overlap_ns;

    std::int64_t compute = 0;
    std::int64_t communication = 0;
    std::int64_t memory = 0;
    for (std::size_t i = 0; i < store.size(); ++i) {
        const EventClass of = classes.of(EventIndex{static_cast<std::uint32_t>(i)});
        compute += of == EventClass::compute;
        communication += of == EventClass::communication;
        memory += of == EventClass::memory;
    }
    rank.compute_count += compute;
    rank.communication_count += communication;
    rank.memory_count += memory;
    if (classes.onGpu())
        rank.gpu_events += compute + communication + memory;
}

} // namespace shardscope
