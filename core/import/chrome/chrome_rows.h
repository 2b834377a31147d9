#pragma once

#include "core/import/warning_log.h"
#include "core/trace/trace_builder.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// How a warning names an element without "ph".
inline constexpr std::string_view event_without_phase = "event without a phase";

// What one piece of a Chrome trace holds, on its way from the thread that parsed it to the assembler. Names
// and tracks are rows in that thread's tables.

// The beginning or end of a slice: B and E, or one of the asynchronous phases, which an id pairs.
struct SliceEdge {
    TraceTime time = 0;
    std::int64_t offset = 0;
    NameId name{};
    NameId category{};
    NameId id{}; // of an asynchronous slice, with its scope
    TrackIndex track{};
    bool is_begin = true;
    bool is_nested = false; // b and e: slices of one id nest; S and F do not
};

// A call of the runtime or driver that starts something on the GPU.
struct LaunchRow {
    TraceTime time = 0;
    std::int64_t correlation = 0;
    TrackIndex track{};
    EventIndex event{}; // within the piece
};

// A kernel, copy or fill on the GPU, and what names the call that launched it.
struct LaunchedRow {
    std::int64_t correlation = -1;
    std::int64_t external_id = -1;
    EventIndex event{};          // within the piece
    bool asks_for_sizes = false; // a kernel whose own arguments tell nothing of communication
};

// record_param_comms, or the annotation of a backend such as "nccl:all_reduce": says what the kernels that it
// launches send.
struct CommunicationRow {
    TraceTime start = 0;
    TraceTime end = 0;
    std::int64_t external_id = -1;
    CollectiveCall call;        // event is not set
    std::int64_t elements = -1; // where the element type is not known
    TrackIndex track{};
    bool is_annotation = false;
};

// A value of a counter: a C event has one for each of its series.
struct CounterRow {
    TraceTime time = 0;
    double value = 0.0;
    NameId pid{};
    NameId name{};
    bool is_bytes = false;
    bool is_change = false; // a difference to the value before
};

// Names and places of processes and threads.
struct MetadataRow {
    enum class What : std::uint8_t { process_name, process_labels, process_order, thread_name, thread_order };
    What what = What::process_name;
    std::string pid;
    std::string tid;
    std::string text;
    std::int64_t order = 0;
};

// The pid and tid of a track, as text.
struct TrackKey {
    std::string pid;
    std::string tid;
    bool is_gpu = false;
};

// What one worker has read from one piece of a Chrome trace, before pieces are put together.
struct ChromeRows {
    std::size_t bytes_read = 0;              // of the piece; a guess that is wrong is not read to its end
    std::size_t worker = 0;                  // whose tables name the names and tracks
    std::vector<std::string_view> new_names; // that this piece has added to the worker's tables
    std::vector<TrackKey> new_tracks;
    std::vector<TraceEvent> events;
    std::vector<CollectiveCall> calls; // event: within the piece
    std::vector<SliceEdge> edges;
    std::vector<SliceEdge> async_edges;
    std::vector<LaunchRow> launches;
    std::vector<LaunchedRow> launched;
    std::vector<MemoryMove> memory_moves; // event: within the piece
    std::vector<CommunicationRow> communications;
    std::vector<MetadataRow> metadata;
    std::vector<CounterRow> samples;
    std::int64_t records = 0; // events of any phase that could be read
    std::int64_t flows = 0;   // beginnings of arrows
    TraceTime last_end = 0;   // of the events
    bool has_kineto_categories = false;
    bool has_work_of_mtia = false; // Meta's accelerator
    WarningLog warnings;
};

} // namespace shardscope
