#pragma once

#include "core/base/run_argument.h"
#include "core/trace/trace_digest.h"
#include "core/trace/trace_store.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

enum class FileStatus : std::uint8_t { ok, recovered, rejected };

// What a warning of a whole set counts, where that is asked for again: its words may change.
enum class WarningOf : std::uint8_t {
    others,
    no_traces,       // files of a folder
    quick_digests,   // files read as digests, to be quick
    fitting_digests, // ... as memory would not suffice for all
    ranks,           // what noteRanks() says of claims to ranks
    other_runs,      // traces that onlyRun() left out
};

// Something odd in a file that was skipped or repaired, and how often.
struct ImportWarning {
    std::string what;
    std::int64_t count = 0;
    std::vector<std::int64_t> positions = {}; // bytes into the uncompressed file, of the first few
    std::string sentence = {}; // says the same to people: "2 ranks have no file"; of a whole set always
    WarningOf of = WarningOf::others;
};

// Ranks that call collectives together, as the framework has named them.
struct ProcessGroup {
    std::string name;
    std::string description;
    std::vector<std::int64_t> ranks; // empty: unknown
    std::int64_t size = 0;
    // By its own count, when a dump of the flight recorder was written; -1: none, or not told. The recorder
    // counts sends and receives apart from collectives, and tells here which of them came last.
    std::int64_t last_called = -1;
    std::int64_t last_completed = -1;
};

// Calls that a format lists without a place on a timeline (flight recorder, communication and NCCL logs,
// execution traces). Sizes are -1 where nothing told them.
struct SizedCall {
    std::string name; // "all_reduce", "send": without the backend
    std::string dtype;
    std::int64_t in_bytes = -1; // what the rank puts in
    std::int64_t out_bytes = -1;
    std::int64_t count = 1;
    double time_s = -1.0; // of one call, the mean when count > 1; -1: not told
    std::string group;
    std::string group_description;
    std::int64_t group_size = 0; // 0: unknown
    std::int64_t peer = -1;      // global rank for send and recv; -1: unknown
    std::string state;           // flight recorder: "scheduled", "started", "completed"
    std::string in_splits;       // of an all_to_all, "[4, 12]": what goes to each member; may be cut or empty
    std::int64_t sequence = -1;  // flight recorder: among the group's collectives; -1: not told, or of none
};

// What the timer is called that holds whole iterations, as Megatron-LM's log has them.
inline constexpr std::string_view iteration_timer = "elapsed time per iteration";

// A named timer of a training log: one value for each time it was written.
struct TimerRecord {
    std::string name;
    std::vector<double> values_s;
};

// A measured bandwidth: one line of an nccl-tests table.
struct BandwidthPoint {
    std::string name; // the collective, where the file names it
    std::string dtype;
    std::int64_t bytes = 0;
    double time_s = 0.0;
    double algbw_GBps = 0.0;
    double busbw_GBps = 0.0;
    int table = 0;    // of the file, from 0
    int ranks = 0;    // as the table's head lists them; 0: it does not
    int per_node = 0; // of them, on the host with the most
};

// Channels that NCCL has set up from one rank of a communicator to another.
struct Connection {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::string transport; // "P2P/IPC", "NET/IB/2"
    std::int64_t channels = 0;
};

// What one rank of a measured pipeline schedule did in one iteration; seconds since its first start.
struct ScheduleSpan {
    bool is_forward = true;
    std::int64_t iteration = 0;
    double start_s = 0.0;
    double end_s = 0.0;
};

// What a rank was found by where neither content nor name of a file tell it.
enum class RankGuess : std::uint8_t {
    none,
    folder_name,   // known, but only by the name of a folder that the file lies in
    order_in_file, // not known: the file holds several ranks, and this is the place among them
    layout,        // known, but only by the name's place in a layout, counted in the usual order
    degrees,       // not known: the name's numbers are degrees of parallelism
};

// How much memory one rank's GPU held at the fullest moment that a training log or a measured schedule tells
// of. -1: not told.
struct MemoryRecord {
    std::int64_t rank = -1;            // -1: the file's, where that is known
    std::int64_t allocated_bytes = -1; // of tensors
    std::int64_t reserved_bytes = -1;  // by PyTorch's allocator, with what it keeps of no use
};

// How many parameters the ranks of one place in the layout hold, as the run's log has counted them.
struct PlaceParameters {
    std::int64_t tensor_rank = 0;
    std::int64_t stage = 0;
    std::int64_t parameters = 0;
    bool operator==(const PlaceParameters&) const = default;
};

// One file of a run: where it came from, what was odd, and its events.
struct TraceFile {
    std::string path;
    std::string format; // "kineto", "chrome", ...
    std::int64_t rank = 0;
    bool rank_is_known = false; // false: nothing named the rank, 0 is assumed
    RankGuess rank_guess = RankGuess::none;
    std::int64_t world_size = 0; // 0: unknown
    std::string gpu; // as the profiler names all GPUs that it saw; empty: it named none, or several
    std::int64_t gpu_memory_bytes = 0; // of one of these; 0: not told
    FileStatus status = FileStatus::ok;
    std::string rejection; // why nothing could be read
    std::int64_t slices = 0;
    std::int64_t tracks = 0;
    std::int64_t flows = 0;
    std::int64_t devices = 0;
    std::int64_t bytes_uncompressed = 0;
    double load_s = 0.0;
    std::vector<ImportWarning> warnings;
    std::vector<std::string> notes; // what to know about figures of this format; nothing was lost or repaired
    std::vector<ProcessGroup> groups;
    std::vector<SizedCall> calls;    // formats without a timeline
    std::vector<TimerRecord> timers; // training logs
    std::vector<BandwidthPoint> points;
    std::vector<Connection> connections;
    std::vector<ScheduleSpan> schedule;      // pipeline schedules
    std::vector<MemoryRecord> memory;        // training logs and pipeline schedules; by rank
    std::vector<RunArgument> arguments;      // training logs: the last table, without paths and free text
    std::vector<PlaceParameters> parameters; // training logs; by stage and tensor rank
    std::shared_ptr<const TraceStore> store; // never null unless rejected
    // Not null where the file is a digest: the store has a part of the trace's events, `slices` and the other
    // counts are the trace's.
    std::shared_ptr<const TraceDigest> digest;

    // The format of the trace itself, also where a digest stands for it.
    std::string_view sourceFormat() const { return digest ? digest->source_format : format; }
};

// The files of one run, by rank, then path. Immutable.
struct TraceSet {
    std::vector<TraceFile> files;
    std::vector<ImportWarning> warnings = {}; // what concerns several files
};

} // namespace shardscope
