#include "core/trace/trace_builder.h"

#include "core/base/side_by_side.h"
#include "core/trace/natural_order.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace shardscope
{

namespace
{

// Rows that a track may have. Events beyond share the last one: a picture with more rows tells nothing, and
// the search for a free row must end.
constexpr std::size_t most_rows = 1024;

template<class T>
void permute(std::span<T> column, std::span<const std::uint32_t> order, std::vector<T>& scratch)
{
    scratch.assign(column.begin(), column.end());
    for (std::size_t i = 0; i < order.size(); ++i)
        column[i] = scratch[order[i]];
}

// Events come nearly in order: each is moved a few places back. False, with the items in some order, where
// they do not.
template<class Before>
bool sortNearlySorted(std::span<std::uint32_t> items, const Before& before)
{
    std::size_t moves_left = items.size() * 8;
    for (std::size_t i = 1; i < items.size(); ++i) {
        const std::uint32_t item = items[i];
        std::size_t place = i;
        for (; place > 0 && before(item, items[place - 1]); --place) {
            if (moves_left-- == 0) {
                items[place] = item;
                return false;
            }
            items[place] = items[place - 1];
        }
        items[place] = item;
    }
    return true;
}

// The row of an event that starts now: below the deepest open event that contains it, on the first free row.
std::size_t freeRow(const std::vector<TraceTime>& row_ends, TraceTime start, TraceTime end)
{
    std::size_t row = row_ends.size();
    while (row > 0 && (row_ends[row - 1] < end || row_ends[row - 1] <= start))
        --row;
    while (row < row_ends.size() && row_ends[row] > start)
        ++row;
    return std::min(row, most_rows - 1);
}

} // namespace

TraceBuilder::TraceBuilder() : m_names(std::make_shared<NameTable>()) {}

TrackIndex TraceBuilder::addTrack(Track track)
{
    m_tracks.push_back(std::move(track));
    m_tracks.back().count = 0;
    return TrackIndex{static_cast<std::uint32_t>(m_tracks.size() - 1)};
}

TrackIndex TraceBuilder::addTrack(std::string_view pid, std::string_view tid, bool is_gpu)
{
    Track track;
    track.pid = pid;
    track.tid = tid;
    track.is_gpu = is_gpu;
    return addTrack(std::move(track));
}

EventIndex TraceBuilder::addEvent(TrackIndex track, TraceTime start, TraceTime duration, NameId name,
                                  NameId category, std::int64_t source_offset)
{
    if (m_blocks.empty() || m_blocks.back().size() == m_blocks.back().capacity()) {
        m_blocks.emplace_back();
        m_blocks.back().reserve(std::clamp(m_size, std::size_t{16}, block_events));
    }
    const TraceEvent event{start, duration, source_offset, name, category, track};
    m_blocks.back().push_back(event);
    return note(event);
}

EventIndex TraceBuilder::addBlock(std::vector<TraceEvent> events)
{
    const EventIndex first{static_cast<std::uint32_t>(m_size)};
    for (const TraceEvent& event : events)
        note(event);
    m_blocks.push_back(std::move(events));
    return first;
}

std::vector<TrackIndex> TraceBuilder::tracksOfEvents() const
{
    std::vector<TrackIndex> tracks;
    tracks.reserve(m_size);
    for (const std::vector<TraceEvent>& block : m_blocks)
        for (const TraceEvent& event : block)
            tracks.push_back(event.track);
    return tracks;
}

// Counts an event that has been added to the last block.
EventIndex TraceBuilder::note(const TraceEvent& event)
{
    assert(event.duration >= 0 && event.start <= std::numeric_limits<TraceTime>::max() - event.duration);
    assert(m_size < most_events);
    ++m_tracks[static_cast<std::size_t>(event.track)].count;
    m_has_offsets = m_has_offsets || event.source_offset >= 0;
    return EventIndex{static_cast<std::uint32_t>(m_size++)};
}

EventIndex TraceBuilder::addEvent(TrackIndex track, TraceTime start, TraceTime duration,
                                  std::string_view name, std::string_view category)
{
    return addEvent(track, start, duration, intern(name), intern(category));
}

std::shared_ptr<const TraceStore> TraceBuilder::finish(std::size_t threads)
{
    auto store = std::make_shared<TraceStore>();
    placeTracks(*store);
    constexpr std::size_t worth_threads = std::size_t{1} << 17;
    threads = m_size < worth_threads ? 1 : threads;
    scatter(*store, threads);
    finishTracks(*store, threads);
    moveReferences(*store);
    finishCounters(*store);
    store->m_names = std::move(m_names);
    return store;
}

std::size_t TraceBuilder::addCounter(std::string_view pid, std::string_view name, bool is_bytes,
                                     bool counts_changes)
{
    const auto [row, is_new] =
        m_counter_rows.try_emplace({std::string{pid}, std::string{name}}, m_counters.size());
    if (is_new)
        m_counters.push_back({{std::string{pid}, std::string{name}, is_bytes, {}, {}}, counts_changes});
    return row->second;
}

void TraceBuilder::addSample(std::size_t counter, TraceTime time, double value)
{
    m_counters[counter].counter.times.push_back(time);
    m_counters[counter].counter.values.push_back(value);
}

// Puts the samples in order of time, as written where times are equal.
void TraceBuilder::finishCounters(TraceStore& store)
{
    for (const auto& [key, row] : m_counter_rows) {
        Counter& counter = m_counters[row].counter;
        if (!std::ranges::is_sorted(counter.times)) {
            std::vector<std::uint32_t> order(counter.times.size());
            std::iota(order.begin(), order.end(), 0U);
            std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return counter.times[i]; });
            std::vector<TraceTime> times;
            std::vector<double> values;
            permute(std::span{counter.times}, order, times);
            permute(std::span{counter.values}, order, values);
        }
        if (m_counters[row].counts_changes)
            std::partial_sum(counter.values.begin(), counter.values.end(), counter.values.begin());
        if (!counter.times.empty())
            store.m_counters.push_back(std::move(counter));
    }
}

// Sorts the tracks, side by side, and keeps the store's first start and last end.
void TraceBuilder::finishTracks(TraceStore& store, std::size_t threads)
{
    m_rows.resize(m_slots.empty() ? 0 : m_size); // sortTrack() fills it
    std::vector<std::size_t> largest_first(store.m_tracks.size());
    std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
    std::ranges::sort(largest_first, std::ranges::greater{},
                      [&](std::size_t i) { return store.m_tracks[i].count; });
    std::vector<TraceTime> ends(store.m_tracks.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&](std::size_t) {
        std::vector<std::uint32_t> order;
        for (std::size_t i = next++; i < largest_first.size(); i = next++) {
            Track& track = store.m_tracks[largest_first[i]];
            sortTrack(store, track, order);
            ends[largest_first[i]] = assignDepths(store, track);
        }
    };
    runSideBySide(std::min(threads, largest_first.size()), work);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const TraceTime start = store.m_start[static_cast<std::size_t>(store.m_tracks[i].first)];
        store.m_first = i == 0 ? start : std::min(store.m_first, start);
        store.m_last = i == 0 ? ends[i] : std::max(store.m_last, ends[i]);
    }
}

bool TraceBuilder::hasReferences() const
{
    return !m_collectives.empty() || !m_launches.empty() || !m_memory_moves.empty();
}

EventIndex TraceBuilder::rowOf(EventIndex added) const
{
    const std::uint32_t slot = m_slots[static_cast<std::size_t>(added)];
    return EventIndex{m_rows.empty() ? slot : m_rows[slot]};
}

// Gives what refers to events the rows that they have now. Of several calls of one event the last holds.
void TraceBuilder::moveReferences(TraceStore& store)
{
    for (CollectiveCall& call : m_collectives)
        call.event = rowOf(call.event);
    std::ranges::stable_sort(m_collectives, {}, &CollectiveCall::event);
    for (const CollectiveCall& call : m_collectives) {
        if (!store.m_collectives.empty() && store.m_collectives.back().event == call.event)
            store.m_collectives.back() = call;
        else
            store.m_collectives.push_back(call);
    }
    for (GpuLaunch& launch : m_launches)
        launch = {rowOf(launch.gpu), rowOf(launch.call)};
    std::ranges::sort(m_launches, {}, &GpuLaunch::gpu);
    store.m_launches = std::move(m_launches);
    for (MemoryMove& move : m_memory_moves)
        move.event = rowOf(move.event);
    std::ranges::sort(m_memory_moves, {}, &MemoryMove::event);
    store.m_memory_moves = std::move(m_memory_moves);
}

// Fills the store's track table with the tracks that have events, in their order, and counts their ranges
// out.
void TraceBuilder::placeTracks(TraceStore& store)
{
    std::vector<std::uint32_t> sorted(m_tracks.size());
    std::iota(sorted.begin(), sorted.end(), 0U);
    std::ranges::stable_sort(sorted, [this](std::uint32_t a, std::uint32_t b) {
        const Track& left = m_tracks[a];
        const Track& right = m_tracks[b];
        if (left.process_order != right.process_order)
            return left.process_order < right.process_order;
        if (left.pid != right.pid)
            return naturallyBefore(left.pid, right.pid);
        if (left.thread_order != right.thread_order)
            return left.thread_order < right.thread_order;
        return naturallyBefore(left.tid, right.tid);
    });
    m_places.assign(m_tracks.size(), 0);
    std::uint32_t first = 0;
    for (const std::uint32_t index : sorted) {
        if (m_tracks[index].count == 0)
            continue;
        m_places[index] = static_cast<std::uint32_t>(store.m_tracks.size());
        store.m_tracks.push_back(std::move(m_tracks[index]));
        store.m_tracks.back().first = EventIndex{first};
        first += store.m_tracks.back().count;
    }
}

void TraceBuilder::sortTrack(TraceStore& store, const Track& track, std::vector<std::uint32_t>& order)
{
    const std::size_t first = static_cast<std::size_t>(track.first);
    const std::span<TraceTime> start = std::span(store.m_start).subspan(first, track.count);
    const std::span<TraceTime> duration = std::span(store.m_duration).subspan(first, track.count);
    order.resize(track.count);
    std::iota(order.begin(), order.end(), 0U);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(start[a], -duration[a], a) < std::tuple(start[b], -duration[b], b);
    };
    if (!m_rows.empty())
        std::iota(m_rows.begin() + static_cast<std::ptrdiff_t>(first),
                  m_rows.begin() + static_cast<std::ptrdiff_t>(first + track.count),
                  static_cast<std::uint32_t>(first));
    if (std::ranges::is_sorted(order, before))
        return;
    if (!sortNearlySorted(order, before))
        std::ranges::sort(order, before);
    std::vector<TraceTime> times;
    std::vector<NameId> names;
    permute(start, order, times);
    permute(duration, order, times);
    permute(std::span(store.m_name).subspan(first, track.count), order, names);
    permute(std::span(store.m_category).subspan(first, track.count), order, names);
    if (!store.m_offset.empty())
        permute(std::span(store.m_offset).subspan(first, track.count), order, times);
    if (m_slots.empty())
        return;
    for (std::uint32_t i = 0; i < order.size(); ++i)
        m_rows[first + order[i]] = static_cast<std::uint32_t>(first) + i;
}

// Answers the end of the last event.
TraceTime TraceBuilder::assignDepths(TraceStore& store, Track& track)
{
    const std::size_t first = static_cast<std::size_t>(track.first);
    std::vector<TraceTime> row_ends;
    TraceTime last = store.m_start[first] + store.m_duration[first];
    std::size_t deepest = 0;
    for (std::size_t i = first; i < first + track.count; ++i) {
        const TraceTime start = store.m_start[i];
        const TraceTime end = start + store.m_duration[i];
        while (!row_ends.empty() && row_ends.back() <= start)
            row_ends.pop_back();
        const std::size_t row = freeRow(row_ends, start, end);
        if (row == row_ends.size())
            row_ends.push_back(end);
        else
            row_ends[row] = std::max(row_ends[row], end);
        store.m_depth[i] = static_cast<std::uint16_t>(row);
        deepest = std::max(deepest, row);
        last = std::max(last, end);
    }
    track.depths = static_cast<std::uint16_t>(deepest + 1);
    return last;
}

} // namespace shardscope
