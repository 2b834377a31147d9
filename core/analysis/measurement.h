#pragma once

#include "core/analysis/classification/classification.h"
#include "core/collectives/collective.h"
#include "core/scenario/scenario.h"
#include "core/trace/trace_set.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// What a trace shows, as the trace summary format defines it. Times are integer nanoseconds.

// Calls of one rank that are alike: the same operation on as many bytes, in the same group.
struct MeasuredCollective {
    std::string name;
    Op op = Op::other;
    std::string dtype;
    std::int64_t in_bytes = -1;
    std::int64_t out_bytes = -1;
    std::int64_t message_bytes = -1; // as wireBytes() counts it; -1: unknown
    std::int64_t group_size = 0;     // 0: unknown
    std::string group;
    std::string description;
    Kind kind = Kind::unknown;
    // "group description", "rule", "annotation", "layout" (of the open scenario), "only group"; empty when
    // unknown.
    std::string kind_from;
    SizesFrom sizes_from = SizesFrom::none;
    std::int64_t count = 0;
    std::int64_t outside_count = 0; // of count, those that belong to none of the steps that are marked
    std::int64_t sum_ns = 0;
    std::int64_t outside_ns = 0; // of sum_ns, of those that belong to no step
    std::int64_t min_ns = 0;
    std::int64_t median_ns = 0;
    std::int64_t max_ns = 0;
    // Of sum_ns, what ran while the rank computed nothing. Calls that overlap each other each count in full.
    std::int64_t exposed_ns = 0;
    std::int64_t countInSteps() const { return count - outside_count; }
};

// All events of one name that the breakdown counts.
struct KernelRow {
    std::string name;
    EventClass of = EventClass::other;
    std::int64_t count = 0;
    std::int64_t sum_ns = 0;
    std::int64_t min_ns = 0;
    std::int64_t max_ns = 0;
    std::int64_t inner_ns = 0; // of sum_ns, other counted events within: of operators without a GPU
    std::int64_t own_ns() const { return sum_ns - inner_ns; }
    double mean_ns() const
    {
        return count > 0 ? static_cast<double>(sum_ns) / static_cast<double>(count) : 0.0;
    }
    void add(const KernelRow& other) // of the same name, on another rank
    {
        count += other.count;
        sum_ns += other.sum_ns;
        inner_ns += other.inner_ns;
        min_ns = std::min(min_ns, other.min_ns);
        max_ns = std::max(max_ns, other.max_ns);
    }
};

// What the time of a rank, or of a step of it, went to.
struct BreakdownTimes {
    std::int64_t window_ns = 0;
    std::int64_t busy_ns = 0;
    std::int64_t idle_ns = 0;
    std::int64_t compute_ns = 0;
    std::int64_t communication_ns = 0;
    std::int64_t memory_ns = 0;
    std::int64_t non_compute_ns = 0;
    std::int64_t overlap_ns = 0;
    std::int64_t exposed_communication_ns = 0;
    std::int64_t gpu_events = 0;
    std::int64_t compute_count = 0;
    std::int64_t communication_count = 0;
    std::int64_t memory_count = 0;
};

// One training step of a rank, as the profiler marked it on the CPU.
struct StepMeasurement {
    std::int64_t number = 0;
    TraceTime start_ns = 0;
    std::int64_t duration_ns = 0; // of the mark
    BreakdownTimes times;
};

// What one rank did: where its time went, its calls and its kernels.
struct RankMeasurement : BreakdownTimes {
    std::int64_t rank = 0;
    bool has_timeline = false; // false: the format lists calls alone, times and counts do not hold
    // Of exposed_communication_ns, by Kind; what kinds have at the same time they share.
    std::array<std::int64_t, kind_count> exposed_of_kind_ns{};
    std::vector<MeasuredCollective> collectives;
    std::vector<KernelRow> kernels;     // longest sum first
    std::vector<StepMeasurement> steps; // by start, of all files of the rank
};

// How long calls of one sort take once every rank is there: the shortest of the ranks' durations.
struct TransferRow {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::int64_t message_bytes = 0;
    std::int64_t group_size = 0;
    std::int64_t count = 0;
    std::int64_t min_ns = 0;
    std::int64_t median_ns = 0;
    std::int64_t max_ns = 0;
    // As nccl-tests counts them: bytes by time, and that times 2(n-1)/n, (n-1)/n or 1 (see wireBytes()); of
    // the median, and the least and the greatest of the single calls. 0 where the size is not known; on the
    // bus also where the group's is not.
    double algbw_GBps = 0.0;
    double busbw_GBps = 0.0;
    double busbw_min_GBps = 0.0;
    double busbw_max_GBps = 0.0;
};

// The same for the calls of one process group; message_bytes -1: not known.
struct GroupTransferRow : TransferRow {
    std::string group;
    std::string description;
    std::vector<std::int64_t> ranks; // whose calls were seen, ascending: members whose traces are open
    std::int64_t wait_ns = 0;        // of all its ranks, before the transfers
};

// A rank that came last: how often, and what it cost the others. The clocks' offsets are taken out where they
// are trusted and explain most of what ends lie apart; else a clock that is ahead makes its rank look late.
struct Straggler {
    std::int64_t rank = 0;
    std::int64_t calls = 0; // matched ones that it took part in
    std::int64_t last = 0;
    std::int64_t delay_ns = 0; // what the others waited for it, all together
    std::int64_t longest_delay_ns = 0;
    std::string longest_call; // the name of the call that it delayed longest
};

// What was found out about one matched call.
struct MatchFigures {
    std::int64_t transfer_ns = 0; // the shortest of its ranks' durations
    std::int64_t last_rank = 0;   // that started last, as Straggler tells
    std::int64_t delay_ns = 0;    // what the others waited for that rank, all together
    std::int64_t longest_wait_ns = 0;
    std::size_t group_row = 0; // in CrossRank::group_transfers
};

// What the traces of several ranks tell together: calls that they took part in, who waited for whom, and by
// how much their clocks differ. Maps are by rank.
struct CrossRank {
    std::int64_t matched = 0;
    std::vector<MatchFigures> matches; // by MeasuredCall::match
    std::map<std::int64_t, std::int64_t> wait_ns;
    std::int64_t transfer_ns = 0;
    std::map<std::int64_t, std::int64_t> last_starter; // by the clocks as recorded
    std::map<std::int64_t, std::int64_t>
        delay_caused_ns; // what the others waited in calls that the rank started last, as Straggler tells
    std::map<std::int64_t, std::int64_t> clock_offset_ns;
    std::int64_t alignment_median_ns = 0; // between first and last end of a collective, as recorded
    std::int64_t alignment_spread_ns = 0; // the same with the clocks' offsets taken out
    // False: ends stay too far apart to align by the offsets, or come no nearer.
    bool alignment_trusted = false;
    std::vector<TransferRow> transfers;            // by kind, operation, size; calls of known size and group
    std::vector<GroupTransferRow> group_transfers; // by group, kind, operation, size; all calls
    std::vector<Straggler> stragglers;             // who delays the others most first; every rank
};

// How many calls of all ranks send a message of that kind and size.
struct HistogramRow {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::string name;
    std::int64_t bytes = 0;
    std::int64_t count = 0;
};

// What one rank sent another: a cell of the traffic matrix.
struct MeasuredCell {
    Kind kind = Kind::unknown;
    std::int64_t sender = 0;
    std::int64_t receiver = 0;
    double bytes = 0.0;
};

// A communication call on the timeline of its file, with what was found out about it.
struct MeasuredCall {
    std::size_t file = 0; // row in TraceSet::files
    EventIndex event{};
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::int64_t message_bytes = -1; // -1: unknown
    std::int64_t group_size = 0;     // 0: unknown
    std::int64_t exposed_ns = 0;     // while the rank computed nothing
    std::int64_t wait_ns = -1;       // before the transfer, for the ranks that came later; -1: not matched
    std::int32_t match = -1;         // equal for the calls of several ranks that are one; -1: not matched
};

enum class TrafficOf : std::uint8_t { bytes_sent, communication_ns };

// What all ranks together send over time, for drawing: bin i covers [start_ns + i * bin_ns, + bin_ns). A
// call's bytes are spread evenly over its time, waiting included; where no call has a size, the nanoseconds
// that each rank communicates.
struct TrafficRate {
    TrafficOf of = TrafficOf::bytes_sent; // what the amounts are
    TraceTime start_ns = 0;
    TraceTime bin_ns = 1;
    std::vector<double> amounts; // by bin
    std::int64_t sized_calls = 0;
    std::int64_t unsized_calls = 0; // left out of the amounts
};

// A named timer of a training log, over all files.
struct MeasuredTimer {
    std::string name;
    std::int64_t count = 0;
    double median_s = 0.0;
};

// What the passes of a measured pipeline schedule took of one rank, the median over its iterations.
struct MeasuredPasses {
    std::int64_t rank = 0;
    double busy_s = 0.0;
};

// How much of a measured pipeline schedule its ranks stood idle, and how much the schedule makes unavoidable.
struct MeasuredBubble {
    double measured_ratio = 0.0;
    double ideal_ratio = 0.0;
    std::int64_t iterations = 0;
    double iteration_s = 0.0; // the median over them, each as long as the rank that it takes longest
    std::vector<MeasuredPasses> ranks;
};

enum class MemoryFrom : std::uint8_t { log, schedule, profiler };

// What a rank's GPU held at the fullest moment that was recorded. -1: not told.
struct RankMemory {
    std::int64_t rank = -1;                 // -1: one of the run's, which nothing names
    std::int64_t peak_allocated_bytes = -1; // of tensors
    std::int64_t peak_reserved_bytes = -1;  // by PyTorch's allocator, with what it keeps of no use
    MemoryFrom from = MemoryFrom::log;
};

// A collective of a process group that had not completed when the dumps of PyTorch's flight recorder were
// written: of each group one, that which members wait in for others, else the first. Lists of ranks ascend.
struct UnfinishedCollective {
    std::string group;
    std::string description;
    std::vector<std::int64_t> ranks; // the group's; where no dump has them, those that list calls of it
    std::string name;                // as most of its ranks call it
    std::string dtype;
    std::int64_t in_bytes = -1; // of the first rank that waits
    std::int64_t out_bytes = -1;
    std::int64_t message_bytes = -1;  // as wireBytes() counts it; -1: unknown
    std::int64_t sequence = 0;        // among the group's collectives
    std::int64_t last_completed = -1; // by all members whose dumps tell; -1: unknown
    std::vector<std::int64_t> started;
    std::vector<std::int64_t> scheduled; // called, not running on the GPU
    std::vector<std::int64_t> completed; // by the rank's own account
    std::vector<std::int64_t> missing;   // their dumps end before it
    std::vector<std::int64_t> no_dump;   // no dump, or a damaged one that does not tell
    std::vector<std::int64_t> differing; // called another operation in its place
    std::vector<std::int64_t> lagging;   // have a call of the group open that another member has completed
    // The row that keeps its ranks: each waits there since earlier, or waits for a message of a rank that
    // stands there, or does not come to either, or waits for the others here. Nothing: it may be a cause
    // itself.
    std::optional<std::size_t> follows;
};

// All that the analysis of a run finds out: analyze() makes it of a TraceSet.
struct Measurement {
    std::vector<RankMeasurement> ranks; // by rank
    CrossRank cross_rank;
    std::vector<HistogramRow> message_histogram; // by kind, op, bytes
    std::vector<MeasuredCell> matrix;
    std::vector<MeasuredCall> calls; // by file, then event
    TrafficRate traffic_rate;
    std::vector<MeasuredTimer> timers;
    std::optional<MeasuredBubble> bubble;
    std::vector<RankMemory> memory; // by rank; ranks that nothing tells of are left out
    std::vector<BandwidthPoint> points;
    std::vector<UnfinishedCollective> unfinished; // the likely cause first
    bool is_of_known_layout = false; // AnalysisOptions::known_layout told the kinds, not the open scenario
    bool knows_all_kinds = false;    // of its calls
    std::optional<std::int64_t>
        step; // the profiler step that alone is counted; nothing: all that was recorded
    // In which the run's ranks were laid out, where nothing but what single ranks sent tells so and the open
    // scenario, of the same degrees, has another: groups and pairs are of this one. Nothing: not so.
    std::optional<RankOrder> other_order;
    std::vector<std::string> notes; // what could not be told, and what was assumed
};

} // namespace shardscope
