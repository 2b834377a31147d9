#include "core/analysis/event_ranking.h"

#include "core/analysis/gpu_time/gpu_activity.h"
#include "core/trace/step_mark.h"

#include <algorithm>
#include <string>

namespace shardscope
{

namespace
{

// Calls `visit(file, store)` for every file of the rank that has events.
template<typename Visit>
void forFiles(const TraceSet& traces, std::optional<std::int64_t> rank, Visit visit)
{
    for (std::size_t file = 0; file < traces.files.size(); ++file)
        if (traces.files[file].store && (!rank || traces.files[file].rank == *rank))
            visit(file, *traces.files[file].store);
}

// Every text is in the table once; nothing where it is not.
std::optional<NameId> idOf(const NameTable& names, std::string_view text)
{
    for (std::uint32_t id = 0; id < names.size(); ++id)
        if (names.text(NameId{id}) == text)
            return NameId{id};
    return std::nullopt;
}

// Adds the events of a name that `counts(event)` takes.
template<typename Counts>
void addNamed(std::size_t file, const TraceStore& store, std::string_view name, Counts counts,
              std::vector<RunEvent>& found)
{
    const std::optional<NameId> id = idOf(store.names(), name);
    if (!id)
        return;
    const std::span<const NameId> names = store.nameIds();
    for (std::uint32_t i = 0; i < names.size(); ++i)
        if (const EventIndex event{i}; names[i] == *id && counts(event))
            found.push_back({file, event, 0, store.duration(event)});
}

// Matched calls on the rank that came last: `weigh(figures)` is what one weighs; nothing leaves it out.
template<typename Weigh>
std::vector<RunEvent> matchedCalls(const TraceSet& traces, const Measurement& measurement, Weigh weigh)
{
    std::vector<RunEvent> found;
    for (const MeasuredCall& call : measurement.calls) {
        if (call.match < 0)
            continue;
        const MatchFigures& figures = measurement.cross_rank.matches[static_cast<std::size_t>(call.match)];
        if (traces.files[call.file].rank != figures.last_rank)
            continue;
        if (const std::optional<std::int64_t> weight = weigh(figures))
            found.push_back({call.file, call.event, figures.longest_wait_ns, *weight});
    }
    return heaviest(std::move(found));
}

// Leaves as many as are ranked, in their order.
void keepHeaviest(std::vector<RunEvent>& events)
{
    std::vector<TraceTime> weights(events.size());
    std::ranges::transform(events, weights.begin(), &RunEvent::weight_ns);
    const auto last_kept = weights.begin() + static_cast<std::ptrdiff_t>(most_ranked_events) - 1;
    std::ranges::nth_element(weights, last_kept, std::ranges::greater{});
    const TraceTime least = *last_kept;
    auto room = most_ranked_events
                - static_cast<std::size_t>(std::count_if(
                    weights.begin(), last_kept, [least](TraceTime weight) { return weight > least; }));
    std::erase_if(events, [&](const RunEvent& event) {
        if (event.weight_ns != least || room == 0)
            return event.weight_ns <= least;
        --room;
        return false;
    });
}

} // namespace

std::vector<RunEvent> heaviest(std::vector<RunEvent> events)
{
    if (events.size() > most_ranked_events)
        keepHeaviest(events);
    std::ranges::stable_sort(events, std::ranges::greater{}, &RunEvent::weight_ns);
    return events;
}

std::vector<RunEvent> longestKernels(const TraceSet& traces, const ClassificationRules& rules,
                                     std::string_view name, std::optional<std::int64_t> rank)
{
    std::vector<RunEvent> found;
    forFiles(traces, rank, [&](std::size_t file, const TraceStore& store) {
        const EventClasses classes{store, rules};
        addNamed(
            file, store, name, [&](EventIndex event) { return isCounted(classes.of(event)); }, found);
    });
    return heaviest(std::move(found));
}

std::vector<RunEvent> longestOperators(const TraceSet& traces, std::string_view name,
                                       std::optional<std::int64_t> rank)
{
    std::vector<RunEvent> found;
    forFiles(traces, rank, [&](std::size_t file, const TraceStore& store) {
        const auto is_operator = [&](EventIndex event) { return isOperatorCategory(store.category(event)); };
        addNamed(file, store, name, is_operator, found);
    });
    return heaviest(std::move(found));
}

std::vector<RunEvent> slowestLaunches(const TraceSet& traces, std::string_view call, std::int64_t rank)
{
    std::vector<RunEvent> found;
    forFiles(traces, rank, [&](std::size_t file, const TraceStore& store) {
        for (const GpuLaunch& launch : store.launches()) {
            if (store.name(launch.call) != call)
                continue;
            const TraceTime delay_ns =
                std::max<TraceTime>(0, store.start(launch.gpu) - store.end(launch.call));
            const TraceTime before_ns =
                std::max<TraceTime>(0, store.start(launch.gpu) - store.start(launch.call));
            found.push_back({file, launch.gpu, before_ns, delay_ns});
        }
    });
    return heaviest(std::move(found));
}

std::vector<RunEvent> longestMoves(const TraceSet& traces, std::string_view sort, std::int64_t rank)
{
    std::vector<RunEvent> found;
    forFiles(traces, rank, [&](std::size_t file, const TraceStore& store) {
        for (const MemoryMove& move : store.memoryMoves())
            if (sortOfMove(store.name(move.event)) == sort)
                found.push_back({file, move.event, 0, store.duration(move.event)});
    });
    return heaviest(std::move(found));
}

std::vector<RunEvent> longestGaps(const TraceSet& traces, const ClassificationRules& rules,
                                  std::optional<std::string_view> stream, std::int64_t rank)
{
    std::vector<RunEvent> found;
    forFiles(traces, rank, [&](std::size_t file, const TraceStore& store) {
        for (const IdleGap& gap : idleGaps(store, EventClasses{store, rules}, stream))
            found.push_back({file, gap.next, gap.length_ns, gap.length_ns});
    });
    return heaviest(std::move(found));
}

std::vector<RunEvent> marksOfStep(const TraceSet& traces, std::int64_t number, std::int64_t rank)
{
    const std::string name = std::string{step_mark} + std::to_string(number);
    std::vector<RunEvent> found;
    forFiles(traces, rank, [&](std::size_t file, const TraceStore& store) {
        const auto is_of_host = [&](EventIndex event) {
            return !store.tracks()[static_cast<std::size_t>(store.track(event))].is_gpu;
        };
        addNamed(file, store, name, is_of_host, found);
    });
    return heaviest(std::move(found));
}

std::vector<RunEvent> longestExposedCalls(const Measurement& measurement)
{
    std::vector<RunEvent> found;
    for (const MeasuredCall& call : measurement.calls)
        if (call.exposed_ns > 0)
            found.push_back({call.file, call.event, 0, call.exposed_ns});
    return heaviest(std::move(found));
}

std::vector<RunEvent> delayingCalls(const TraceSet& traces, const Measurement& measurement, std::int64_t rank)
{
    return matchedCalls(
        traces, measurement, [rank](const MatchFigures& figures) -> std::optional<std::int64_t> {
            return figures.last_rank == rank && figures.delay_ns > 0 ? std::optional{figures.delay_ns}
                                                                     : std::nullopt;
        });
}

std::vector<RunEvent> slowestTransfers(const TraceSet& traces, const Measurement& measurement,
                                       std::size_t group_row)
{
    return matchedCalls(
        traces, measurement, [group_row](const MatchFigures& figures) -> std::optional<std::int64_t> {
            return figures.group_row == group_row ? std::optional{figures.transfer_ns} : std::nullopt;
        });
}

} // namespace shardscope
