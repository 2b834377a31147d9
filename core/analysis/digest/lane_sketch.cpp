#include "core/analysis/digest/lane_sketch.h"

#include "core/analysis/digest/counter_sketch.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::size_t most_parts = 256;        // of the time, for each track
constexpr std::size_t parts_of_a_trace = 8192; // for all tracks together

class LaneSketch
{
public:
    LaneSketch(const TraceStore& store, const std::vector<bool>& kept)
        : m_store{store}, m_kept{kept}, m_rows(store.size(), nowhere)
    {
        const std::size_t tracks = std::max<std::size_t>(store.tracks().size(), 1);
        const std::size_t parts = std::clamp(parts_of_a_trace / tracks, std::size_t{1}, most_parts);
        m_part_ns = sinceBegin(store.lastEnd()) / parts + 1;
    }

    std::shared_ptr<const TraceStore> make()
    {
        for (const Track& track : m_store.tracks())
            addTrack(track);
        addReferences();
        for (const Counter& counter : m_store.counters())
            addCounter(sketchCounter(counter));
        return m_builder.finish();
    }

private:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

    // Outermost events of a track that start in one part.
    struct Group {
        std::uint64_t part = 0;
        std::size_t count = 0;
        EventIndex longest{};
        TraceTime start = 0;
        TraceTime end = 0;
        std::int64_t busy_ns = 0;
    };

    // Unsigned, as times may lie further apart than a signed number reaches.
    std::uint64_t sinceBegin(TraceTime time) const
    {
        return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(m_store.firstStart());
    }

    void addTrack(const Track& track)
    {
        m_track = m_builder.addTrack(track);
        Group group;
        TraceTime covered = std::numeric_limits<TraceTime>::min();
        for (std::uint32_t i = 0; i < track.count; ++i) {
            const EventIndex event{static_cast<std::uint32_t>(track.first) + i};
            if (m_kept[static_cast<std::size_t>(event)]) {
                addAsItIs(event);
                continue;
            }
            const TraceTime start = m_store.start(event);
            const TraceTime end = m_store.end(event);
            if (end < covered || (end == covered && m_store.duration(event) > 0))
                continue; // within one that is there already
            const std::uint64_t part = sinceBegin(start) / m_part_ns;
            if (group.count > 0 && part != group.part)
                addGroup(std::exchange(group, {}));
            if (group.count++ == 0)
                group = {part, 1, event, start, end, 0};
            group.busy_ns += end - std::max(start, covered);
            group.end = end;
            if (m_store.duration(event) > m_store.duration(group.longest))
                group.longest = event;
            covered = end;
        }
        if (group.count > 0) {
            // So that the lane begins and ends where it did.
            const bool is_all = group.start == m_store.start(track.first);
            group.start = is_all ? group.start : group.end - group.busy_ns;
            group.busy_ns = group.end - group.start;
            addGroup(group);
        }
    }

    void addGroup(const Group& group)
    {
        if (group.count == 1)
            return addAsItIs(group.longest);
        m_builder.addEvent(m_track, group.start, group.busy_ns, mostly(m_store.nameId(group.longest)),
                           m_builder.intern(m_store.category(group.longest)));
    }

    void addAsItIs(EventIndex event)
    {
        const EventIndex row = m_builder.addEvent(m_track, m_store.start(event), m_store.duration(event),
                                                  m_store.name(event), m_store.category(event));
        m_rows[static_cast<std::size_t>(event)] = static_cast<std::uint32_t>(row);
    }

    NameId mostly(NameId name)
    {
        const auto [known, is_new] = m_mostly.try_emplace(name);
        if (is_new)
            known->second = m_builder.intern("mostly " + std::string(m_store.names().text(name)));
        return known->second;
    }

    void addReferences()
    {
        for (CollectiveCall call : m_store.collectives()) {
            const auto row = rowOf(call.event);
            if (!row)
                continue;
            call.event = *row;
            for (NameId* id : {&call.name, &call.dtype, &call.group, &call.group_description,
                               &call.group_ranks, &call.in_splits})
                *id = m_builder.intern(m_store.names().text(*id));
            m_builder.addCollective(call);
        }
        for (const GpuLaunch& launch : m_store.launches()) {
            const auto gpu = rowOf(launch.gpu);
            const auto call = rowOf(launch.call);
            if (gpu && call)
                m_builder.addLaunch({*gpu, *call});
        }
    }

    void addCounter(const Counter& counter)
    {
        const std::size_t row = m_builder.addCounter(counter.pid, counter.name, counter.is_bytes);
        for (std::size_t i = 0; i < counter.times.size(); ++i)
            m_builder.addSample(row, counter.times[i], counter.values[i]);
    }

    std::optional<EventIndex> rowOf(EventIndex event) const
    {
        const std::uint32_t row = m_rows[static_cast<std::size_t>(event)];
        return row == nowhere ? std::nullopt : std::optional(EventIndex{row});
    }

    const TraceStore& m_store;
    const std::vector<bool>& m_kept;
    TraceBuilder m_builder;
    std::vector<std::uint32_t> m_rows; // of the store's events in the builder
    std::map<NameId, NameId> m_mostly;
    std::uint64_t m_part_ns = 1;
    TrackIndex m_track{};
};

} // namespace

std::shared_ptr<const TraceStore> sketchLanes(const TraceStore& store, const std::vector<bool>& kept)
{
    return LaneSketch{store, kept}.make();
}

} // namespace shardscope
