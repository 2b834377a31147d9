#include "core/analysis/gpu_time/breakdown.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Gathers events one by one; times() is asked once.
class BusyTimesGatherer
{
public:
    void add(EventClass of, Interval span)
    {
        std::vector<Interval>* list = listOf(of);
        if (!list)
            return;
        m_window = isEmpty()
                       ? span
                       : Interval{std::min(m_window.start, span.start), std::max(m_window.end, span.end)};
        list->push_back(span);
    }

    BusyTimes times(bool on_gpu)
    {
        BusyTimes times;
        times.window = m_window;
        times.compute_count = static_cast<std::int64_t>(m_compute.size());
        times.communication_count = static_cast<std::int64_t>(m_communication.size());
        times.memory_count = static_cast<std::int64_t>(m_memory.size());
        times.on_gpu = on_gpu;
        times.compute = IntervalUnion{std::move(m_compute)};
        times.communication = IntervalUnion{std::move(m_communication)};
        times.memory = IntervalUnion{std::move(m_memory)};
        return times;
    }

private:
    bool isEmpty() const { return m_compute.empty() && m_communication.empty() && m_memory.empty(); }

    std::vector<Interval>* listOf(EventClass of)
    {
        switch (of) {
        case EventClass::compute:
            return &m_compute;
        case EventClass::communication:
            return &m_communication;
        case EventClass::memory:
            return &m_memory;
        case EventClass::cpu:
        case EventClass::runtime:
        case EventClass::annotation:
        case EventClass::other:
            break;
        }
        return nullptr;
    }

    std::vector<Interval> m_compute;
    std::vector<Interval> m_communication;
    std::vector<Interval> m_memory;
    Interval m_window;
};

Interval spanOf(const TraceStore& store, std::size_t row)
{
    return {store.starts()[row], store.starts()[row] + store.durations()[row]};
}

} // namespace

BusyTimes busyTimes(const TraceStore& store, const EventClasses& classes)
{
    BusyTimesGatherer gatherer;
    for (std::size_t i = 0; i < store.size(); ++i)
        gatherer.add(classes.of(EventIndex{static_cast<std::uint32_t>(i)}), spanOf(store, i));
    return gatherer.times(classes.onGpu());
}

void addBreakdown(const BusyTimes& times, BreakdownTimes& rank)
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
    rank.compute_count += times.compute_count;
    rank.communication_count += times.communication_count;
    rank.memory_count += times.memory_count;
    if (times.on_gpu)
        rank.gpu_events += times.compute_count + times.communication_count + times.memory_count;
}

void addTimes(const BreakdownTimes& times, BreakdownTimes& sum)
{
    sum.window_ns += times.window_ns;
    sum.busy_ns += times.busy_ns;
    sum.idle_ns += times.idle_ns;
    sum.compute_ns += times.compute_ns;
    sum.communication_ns += times.communication_ns;
    sum.memory_ns += times.memory_ns;
    sum.non_compute_ns += times.non_compute_ns;
    sum.overlap_ns += times.overlap_ns;
    sum.exposed_communication_ns += times.exposed_communication_ns;
    sum.gpu_events += times.gpu_events;
    sum.compute_count += times.compute_count;
    sum.communication_count += times.communication_count;
    sum.memory_count += times.memory_count;
}

std::vector<BusyTimes> stepTimes(const TraceStore& store, const EventClasses& classes,
                                 const std::vector<ProfilerStep>& steps, const StepOfEvents& step_of)
{
    std::vector<BusyTimesGatherer> gatherers(steps.size());
    for (std::size_t i = 0; i < store.size() && !steps.empty(); ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        if (const auto step = step_of.of(event))
            gatherers[*step].add(classes.of(event), spanOf(store, i));
    }
    std::vector<BusyTimes> times;
    for (BusyTimesGatherer& gatherer : gatherers)
        times.push_back(gatherer.times(classes.onGpu()));
    return times;
}

std::vector<StepMeasurement> stepBreakdowns(const TraceStore& store, const EventClasses& classes,
                                            const std::vector<ProfilerStep>& steps,
                                            const StepOfEvents& step_of)
{
    const std::vector<BusyTimes> times = stepTimes(store, classes, steps, step_of);
    std::vector<StepMeasurement> measured;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        StepMeasurement step{.number = steps[s].number,
                             .start_ns = steps[s].start,
                             .duration_ns = steps[s].end - steps[s].start,
                             .times = {}};
        addBreakdown(times[s], step.times);
        measured.push_back(std::move(step));
    }
    return measured;
}

void addSteps(std::vector<StepMeasurement>& steps, std::vector<StepMeasurement> others)
{
    const auto before = static_cast<std::ptrdiff_t>(steps.size());
    for (StepMeasurement& other : others) {
        const auto end = steps.begin() + before;
        if (std::find_if(steps.begin(), end,
                         [&](const StepMeasurement& step) { return step.number == other.number; })
            == end)
            steps.push_back(std::move(other));
    }
    std::ranges::stable_sort(steps, {}, &StepMeasurement::start_ns);
}

} // namespace shardscope
