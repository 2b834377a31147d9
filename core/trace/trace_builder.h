#pragma once

#include "core/trace/trace_store.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope
{

// An event on its way into a store.
struct TraceEvent {
    TraceTime start = 0;
    TraceTime duration = 0;
    std::int64_t source_offset = -1;
    NameId name{};
    NameId category{};
    TrackIndex track{};
};

// Collects events in any order and makes a TraceStore of them. Every importer ends here; tests build stores
// by hand.
class TraceBuilder
{
public:
    // What an EventIndex can number. Importers count what a file has beyond.
    static constexpr std::size_t most_events = std::numeric_limits<std::uint32_t>::max();

    TraceBuilder();

    NameId intern(std::string_view name) { return m_names->intern(name); }
    std::string_view text(NameId id) const { return m_names->text(id); }

    // A track without events is left out of the store. first, count and depths are set by finish().
    TrackIndex addTrack(Track track);
    TrackIndex addTrack(std::string_view pid, std::string_view tid, bool is_gpu = false);
    Track& track(TrackIndex index) { return m_tracks[static_cast<std::size_t>(index)]; }

    // The index holds until finish(). Pre: duration >= 0, the end fits TraceTime, size() < most_events.
    EventIndex addEvent(TrackIndex track, TraceTime start, TraceTime duration, NameId name, NameId category,
                        std::int64_t source_offset = -1);
    EventIndex addEvent(TrackIndex track, TraceTime start, TraceTime duration, std::string_view name,
                        std::string_view category);
    // Takes many at once, as if addEvent were called for each; answers the index of the first.
    EventIndex addBlock(std::vector<TraceEvent> events);
    // call.event is an index that addEvent gave; one call an event, the last one counts.
    void addCollective(const CollectiveCall& call) { m_collectives.push_back(call); }
    // Both are indices that addEvent gave; an event of the GPU has one call.
    void addLaunch(GpuLaunch launch) { m_launches.push_back(launch); }
    void addMemoryMove(const MemoryMove& move) { m_memory_moves.push_back(move); }
    // A counter of a process; the same one for the same name. One that `counts_changes` gets differences,
    // which are added up from 0 at its first sample.
    std::size_t addCounter(std::string_view pid, std::string_view name, bool is_bytes,
                           bool counts_changes = false);
    void addSample(std::size_t counter, TraceTime time, double value);
    std::size_t size() const { return m_size; }
    const std::vector<Track>& tracks() const { return m_tracks; }
    // Of each event, as they were added.
    std::vector<TrackIndex> tracksOfEvents() const;

    // Sorts tracks by process and thread, the events of each by start, longer first, and gives each event its
    // row within the track: below the event that contains it, or on a free row when it overlaps others.
    // Nothing is dropped. The builder is spent afterwards. Large stores are sorted on so many threads.
    std::shared_ptr<const TraceStore> finish(std::size_t threads = 1);

private:
    static constexpr std::size_t block_events = 32 * 1024;

    EventIndex note(const TraceEvent& event);
    void placeTracks(TraceStore& store);
    // trace_scatter.cpp
    void scatter(TraceStore& store, std::size_t threads);
    std::vector<std::size_t> shareBlocks(std::size_t shares) const;
    void scatterShare(TraceStore& store, std::span<std::vector<TraceEvent>> blocks, std::uint32_t index,
                      std::vector<std::uint32_t>& next);
    void finishTracks(TraceStore& store, std::size_t threads);
    void sortTrack(TraceStore& store, const Track& track, std::vector<std::uint32_t>& order);
    static TraceTime assignDepths(TraceStore& store, Track& track);
    bool hasReferences() const;
    EventIndex rowOf(EventIndex added) const;
    void moveReferences(TraceStore& store);

    struct Sampled {
        Counter counter;
        bool counts_changes = false;
    };
    void finishCounters(TraceStore& store);

    std::shared_ptr<NameTable> m_names;
    std::vector<Track> m_tracks;
    std::vector<std::uint32_t> m_places; // where in the store's track table each track went
    std::vector<std::vector<TraceEvent>> m_blocks;
    std::vector<CollectiveCall> m_collectives;
    std::vector<GpuLaunch> m_launches;
    std::vector<MemoryMove> m_memory_moves;
    std::vector<Sampled> m_counters;
    std::map<std::pair<std::string, std::string>, std::size_t> m_counter_rows;
    // Where the added events went, for what refers to them: the slot of each, then the row of each slot
    // (both empty where nothing does).
    Column<std::uint32_t> m_slots;
    Column<std::uint32_t> m_rows;
    std::size_t m_size = 0;
    bool m_has_offsets = false;
};

} // namespace shardscope
