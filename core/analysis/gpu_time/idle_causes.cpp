#include "core/analysis/gpu_time/gpu_activity.h"

#include "core/analysis/gpu_time/interval_union.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace shardscope
{

namespace
{

// The rows of counted events among [first, first + count).
std::vector<std::uint32_t> countedRows(const EventClasses& classes, std::uint32_t first, std::uint32_t count)
{
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = first; i < first + count; ++i)
        if (isCounted(classes.of(EventIndex{i})))
            rows.push_back(i);
    return rows;
}

std::vector<std::uint32_t> countedRows(const EventClasses& classes, const Track& track)
{
    return countedRows(classes, static_cast<std::uint32_t>(track.first), track.count);
}

// Of all tracks, by start.
std::vector<std::uint32_t> countedRows(const TraceStore& store, const EventClasses& classes)
{
    std::vector<std::uint32_t> rows = countedRows(classes, 0, static_cast<std::uint32_t>(store.size()));
    std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return store.start(EventIndex{row}); });
    return rows;
}

void addGap(const TraceStore& store, const IdleGap& gap, IdleCauses& causes)
{
    const std::int64_t gap_ns = gap.length_ns;
    const std::optional<EventIndex> launch = store.launchOf(gap.next);
    if (launch && store.start(*launch) > store.start(gap.next) - gap_ns) {
        causes.host_wait_ns += gap_ns;
        ++causes.host_wait_count;
    } else if (gap_ns < consecutive_kernel_delay_ns) {
        causes.kernel_wait_ns += gap_ns;
        ++causes.kernel_wait_count;
    } else {
        causes.other_ns += gap_ns;
        ++causes.other_count;
    }
}

// Between events that are given by start.
std::vector<IdleGap> gapsBetween(const TraceStore& store, std::span<const std::uint32_t> rows)
{
    std::vector<IdleGap> gaps;
    TraceTime idle_since = 0;
    bool is_first = true;
    for (const std::uint32_t row : rows) {
        const EventIndex event{row};
        if (!is_first && store.start(event) > idle_since)
            gaps.push_back({event, store.start(event) - idle_since});
        idle_since = is_first ? store.end(event) : std::max(idle_since, store.end(event));
        is_first = false;
    }
    return gaps;
}

IdleCauses causesOf(const TraceStore& store, std::span<const std::uint32_t> rows)
{
    IdleCauses causes;
    for (const IdleGap& gap : gapsBetween(store, rows))
        addGap(store, gap, causes);
    return causes;
}

// As HTA has it: of an even number the lower one of the two in the middle.
std::int64_t lowerMedian(std::vector<std::int64_t> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

QueueLength queueLength(const TraceStore& store, std::span<const std::uint32_t> rows)
{
    std::vector<TraceTime> launches;
    std::vector<TraceTime> starts;
    for (const std::uint32_t row : rows)
        if (const auto launch = store.launchOf(EventIndex{row})) {
            launches.push_back(store.start(*launch));
            starts.push_back(store.start(EventIndex{row}));
        }
    QueueLength queue;
    if (launches.empty())
        return queue;
    std::ranges::sort(launches);
    std::ranges::sort(starts);
    std::vector<std::int64_t> lengths;
    lengths.reserve(2 * launches.size());
    const TraceTime first = std::min(launches.front(), starts.front());
    TraceTime before = first;
    double sum = 0.0;
    double area = 0.0;
    std::int64_t length = 0;
    for (std::size_t launch = 0, start = 0; launch < launches.size() || start < starts.size();) {
        const bool is_launch =
            start == starts.size() || (launch < launches.size() && launches[launch] <= starts[start]);
        const TraceTime now = is_launch ? launches[launch++] : starts[start++];
        area += static_cast<double>(length) * static_cast<double>(now - before);
        before = now;
        length += is_launch ? 1 : -1;
        sum += static_cast<double>(length);
        lengths.push_back(length);
    }
    queue.points = static_cast<std::int64_t>(lengths.size());
    queue.mean = sum / static_cast<double>(lengths.size());
    queue.mean_of_time = before > first ? area / static_cast<double>(before - first) : 0.0;
    queue.max = *std::ranges::max_element(lengths);
    queue.median = lowerMedian(std::move(lengths));
    return queue;
}

} // namespace

IdleCauses idleCauses(const TraceStore& store, const EventClasses& classes)
{
    return causesOf(store, countedRows(store, classes));
}

std::vector<IdleGap> idleGaps(const TraceStore& store, const EventClasses& classes,
                              std::optional<std::string_view> stream)
{
    if (!stream)
        return gapsBetween(store, countedRows(store, classes));
    std::vector<IdleGap> gaps;
    for (const Track& track : store.tracks())
        if (track.tid == *stream)
            for (const IdleGap& gap : gapsBetween(store, countedRows(classes, track)))
                gaps.push_back(gap);
    return gaps;
}

std::vector<StreamActivity> streamActivity(const TraceStore& store, const EventClasses& classes)
{
    std::vector<StreamActivity> streams;
    for (const Track& track : store.tracks()) {
        const std::vector<std::uint32_t> rows = countedRows(classes, track);
        if (rows.empty())
            continue;
        std::vector<Interval> spans;
        for (const std::uint32_t row : rows)
            spans.push_back({store.start(EventIndex{row}), store.end(EventIndex{row})});
        streams.push_back({.device = track.pid,
                           .stream = track.tid,
                           .events = static_cast<std::int64_t>(rows.size()),
                           .busy_ns = IntervalUnion{std::move(spans)}.length_ns(),
                           .idle = causesOf(store, rows),
                           .queue = queueLength(store, rows)});
    }
    return streams;
}

} // namespace shardscope
