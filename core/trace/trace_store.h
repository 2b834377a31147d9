#pragma once

#include "core/trace/column.h"
#include "core/trace/counter.h"
#include "core/trace/name_table.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

using TraceTime = std::int64_t;           // nanoseconds; absolute (since 1970) where the file tells
enum class EventIndex : std::uint32_t {}; // row in the event columns
enum class TrackIndex : std::uint32_t {}; // row in the track table

// A row of the timeline: the events of one (pid, tid). Events of a track are one range of the columns, by
// start time.
struct Track {
    std::string pid; // as text: "0", "Spans"
    std::string tid;
    std::string process_name; // from metadata events; may be empty
    std::string thread_name;
    std::int64_t process_order = 0; // as the file wants them sorted: lower first, then by pid and tid
    std::int64_t thread_order = 0;
    bool is_gpu = false;
    EventIndex first{};
    std::uint32_t count = 0;
    std::uint16_t depths = 1; // rows needed to draw it without overlaps
};

enum class SizesFrom : std::uint8_t { none, kernel, record_param_comms, annotation };

// What a file says of one communication call, beside its time. Sizes are -1 where nothing told them.
struct CollectiveCall {
    EventIndex event{};
    NameId name{}; // "allreduce", "_allgather_base", "gloo:all_reduce": as the file says
    NameId dtype{};
    std::int64_t in_bytes = -1;
    std::int64_t out_bytes = -1;
    std::int32_t group_size = 0; // 0: unknown
    NameId group{};              // process group name
    NameId group_description{};
    NameId group_ranks{}; // the file's text, "[0, 1]"; may be cut
    NameId in_splits{};   // of an all_to_all, what goes to each member, as above; "[]": the same to all
    std::int32_t source_rank = -1;
    std::int32_t destination_rank = -1;
    std::int64_t sequence = -1; // Seq, where the file has it
    SizesFrom sizes_from = SizesFrom::none;
    bool is_of_launch = false; // told by the call that launched the event, which may launch others too
};

// Which call of the runtime or driver started an event of the GPU. One call may start many (graphs).
struct GpuLaunch {
    EventIndex gpu{};
    EventIndex call{};
};

// A copy or fill of the GPU's memory, with what the file says of it.
struct MemoryMove {
    EventIndex event{};
    std::int64_t bytes = -1;
    double bandwidth_GBps = -1.0; // as the file has it: finer than a duration cut to microseconds; -1: none
};

// All events with a duration of one trace file, in columns: row i of every column is event i, grouped by
// track and sorted by start. Never changes after import, so threads share it freely.
class TraceStore
{
public:
    std::size_t size() const { return m_start.size(); }
    TraceTime start(EventIndex event) const { return m_start[row(event)]; }
    TraceTime duration(EventIndex event) const { return m_duration[row(event)]; }
    TraceTime end(EventIndex event) const { return start(event) + duration(event); }
    NameId nameId(EventIndex event) const { return m_name[row(event)]; }
    std::string_view name(EventIndex event) const { return m_names->text(nameId(event)); }
    NameId categoryId(EventIndex event) const { return m_category[row(event)]; }
    std::string_view category(EventIndex event) const { return m_names->text(categoryId(event)); }
    // Nesting or spill row within the track.
    std::uint16_t depth(EventIndex event) const { return m_depth[row(event)]; }
    TrackIndex track(EventIndex event) const; // a binary search

    // Whole columns, for loops over many events.
    std::span<const TraceTime> starts() const { return m_start; }
    std::span<const TraceTime> durations() const { return m_duration; }
    std::span<const NameId> nameIds() const { return m_name; }
    std::span<const NameId> categoryIds() const { return m_category; }
    std::span<const std::uint16_t> depths() const { return m_depth; }

    // Where the event begins in the uncompressed file; -1 where that is not known.
    std::int64_t sourceOffset(EventIndex event) const { return m_offset.empty() ? -1 : m_offset[row(event)]; }

    const std::vector<Track>& tracks() const { return m_tracks; }
    const NameTable& names() const { return *m_names; }
    // Communication calls with what is known of their sizes, by event.
    const std::vector<CollectiveCall>& collectives() const { return m_collectives; }
    const CollectiveCall* collective(EventIndex event) const;
    // Launches whose call and whose event on the GPU are both in the file, by event on the GPU.
    const std::vector<GpuLaunch>& launches() const { return m_launches; }
    std::optional<EventIndex> launchOf(EventIndex gpu_event) const;
    const std::vector<MemoryMove>& memoryMoves() const { return m_memory_moves; } // by event

    // By process, then name.
    const std::vector<Counter>& counters() const { return m_counters; }

    TraceTime firstStart() const { return m_first; } // 0 without events
    TraceTime lastEnd() const { return m_last; }

private:
    friend class TraceBuilder;
    static std::size_t row(EventIndex event) { return static_cast<std::size_t>(event); }

    Column<TraceTime> m_start;
    Column<TraceTime> m_duration;
    Column<NameId> m_name;
    Column<NameId> m_category;
    Column<std::uint16_t> m_depth;
    Column<std::int64_t> m_offset; // empty, or one for each event
    std::vector<Track> m_tracks;
    std::vector<CollectiveCall> m_collectives;
    std::vector<GpuLaunch> m_launches;
    std::vector<MemoryMove> m_memory_moves;
    std::vector<Counter> m_counters;
    std::shared_ptr<const NameTable> m_names;
    TraceTime m_first = 0;
    TraceTime m_last = 0;
};

} // namespace shardscope
