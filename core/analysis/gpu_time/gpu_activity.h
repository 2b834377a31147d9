#pragma once

#include "core/analysis/classification/classification.h"
#include "core/trace/trace_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// How the GPU of one file was fed. All figures are over the events that the classes count as compute,
// communication or memory. "Its launch" is the call of the runtime or driver with the event's correlation.

// Time without work, by what ended it. As HTA's get_idle_time_breakdown defines it: the host was awaited
// where the next event's launch starts after the work before it has ended; else the kernel where the gap is
// shorter than what one launch after another takes; else other (a dependency, an event of another stream).
// Unlike HTA, the gap counts from the last end so far, so events that overlap on one stream make no negative
// idle time.
struct IdleCauses {
    std::int64_t host_wait_ns = 0;
    std::int64_t kernel_wait_ns = 0;
    std::int64_t other_ns = 0;
    std::int64_t host_wait_count = 0;
    std::int64_t kernel_wait_count = 0;
    std::int64_t other_count = 0;
    std::int64_t total_ns() const { return host_wait_ns + kernel_wait_ns + other_ns; }
};

// HTA's default is 30, which it calls nanoseconds and compares with microseconds; in fact it is this.
inline constexpr std::int64_t consecutive_kernel_delay_ns = 30'000;

// A time without work, and the event that ended it.
struct IdleGap {
    EventIndex next{};
    TraceTime length_ns = 0;
};

// How many launches of a stream have not started on the GPU: one more at the start of each launch, one less
// at the start of its event; of both at one time the launch goes first.
struct QueueLength {
    std::int64_t points = 0;   // changes: two for each launch
    double mean = 0.0;         // over the changes, as HTA has it
    double mean_of_time = 0.0; // over the time from the first change to the last
    std::int64_t median = 0;   // over the changes, the lower one
    std::int64_t max = 0;
};

struct StreamActivity {
    std::string device; // pid and tid of the stream's track
    std::string stream;
    std::int64_t events = 0;
    std::int64_t busy_ns = 0;
    IdleCauses idle;
    QueueLength queue;
};

// "Memcpy HtoD" of "Memcpy HtoD (Pageable -> Device)".
std::string_view sortOfMove(std::string_view name);

// Copies and fills of one sort ("Memcpy HtoD"). Bandwidth of each is the one that the file gives, else bytes
// by duration; one without bytes or without duration is not among them.
struct MemoryMoveRow {
    std::string name;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t time_ns = 0;
    double mean_GBps = 0.0; // of the single ones
    double min_GBps = 0.0;
    double median_GBps = 0.0;
    double max_GBps = 0.0;
};

// The launches made by one call ("cudaLaunchKernel"), counted by what they started. The delay of one goes
// from the end of the call to the start on the GPU, 0 where the GPU was faster.
struct LaunchFigures {
    std::string call;
    std::int64_t count = 0;
    std::int64_t call_ns = 0;
    std::int64_t gpu_ns = 0;
    std::int64_t delay_ns = 0; // sum
    std::int64_t delay_median_ns = 0;
    std::int64_t delay_max_ns = 0;
    std::int64_t short_count = 0; // ran shorter than its call
};

// Idle time of the whole GPU: gaps in which no stream works.
IdleCauses idleCauses(const TraceStore& store, const EventClasses& classes);
// The same gaps one by one, or those of a stream by its name.
std::vector<IdleGap> idleGaps(const TraceStore& store, const EventClasses& classes,
                              std::optional<std::string_view> stream);
std::vector<StreamActivity> streamActivity(const TraceStore& store, const EventClasses& classes);
std::vector<MemoryMoveRow> memoryMoves(const TraceStore& store, const EventClasses& classes);
// Longest sum of delays first.
std::vector<LaunchFigures> launchFigures(const TraceStore& store, const EventClasses& classes);

} // namespace shardscope
