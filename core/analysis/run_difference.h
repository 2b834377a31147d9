#pragma once

#include "core/analysis/classification/kernel_class.h"
#include "core/analysis/measurement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// A measured run with its analysis.
struct AnalysedRun {
    const TraceSet& traces;
    const Measurement& measurement;
};

// Of one rank in one iteration, the mean over the ranks.
struct IterationAmount {
    double calls = 0.0;
    double seconds = 0.0;   // all calls together
    double exposed_s = 0.0; // of them, while the rank computed nothing; of communication alone
};

// The same thing in both runs; what one of them does not have is 0 there.
struct AmountChange {
    IterationAmount before;
    IterationAmount after;
    double added_s() const { return after.seconds - before.seconds; }
};

// What an iteration is divided into. compute: alone; overlapped: with communication beside it; communication:
// exposed.
enum class IterationPart : std::uint8_t { compute, overlapped, communication, copies, idle };
std::string_view word(IterationPart part);

struct PartChange {
    IterationPart part = IterationPart::idle;
    Kind kind = Kind::unknown; // of communication
    double before_s = 0.0;
    double after_s = 0.0;
    double added_s() const { return after_s - before_s; }
};

// Calls that are alike in both runs.
struct CallsChange {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::int64_t message_bytes = -1; // -1: not known
    std::int64_t group_size = 0;     // 0: not known
    AmountChange amount;
    // How long one takes once every rank is there, the median: what it takes beyond that is waiting. Nothing:
    // no calls were matched across ranks.
    std::optional<double> before_transfer_s;
    std::optional<double> after_transfer_s;
};

struct KernelChange {
    std::string name;
    EventClass of = EventClass::other;
    AmountChange amount; // without other counted events within
};

// Computing kernels of one class, whatever they are called: other sizes and precisions have other names.
struct KernelClassChange {
    KernelClass of = KernelClass::other;
    AmountChange amount;
};

// What the fullest rank's GPU held at most. Nothing: not told.
struct PeakChange {
    std::optional<std::int64_t> before_bytes;
    std::optional<std::int64_t> after_bytes;
    bool isTold() const { return before_bytes || after_bytes; }
};

// A timer of training logs, its medians. Nothing: the run's logs do not have it.
struct TimerChange {
    std::string name;
    std::optional<double> before_s;
    std::optional<double> after_s;
};

// What is not the same in two measured runs, an iteration of one against an iteration of the other: why one
// is slower. Ranks count where they were read, of equally large runs those that were read of both.
struct RunDifference {
    // The mean of the ranks, whose parts are below; of logs the median. 0: nothing tells.
    double before_iteration_s = 0.0;
    double after_iteration_s = 0.0;
    std::int64_t before_ranks = 0; // that the means are over
    std::int64_t after_ranks = 0;
    std::int64_t before_iterations = 0; // the most that one of them recorded
    std::int64_t after_iterations = 0;
    std::vector<PartChange> parts;     // in the order of the enumerations; what neither has is left out
    std::vector<CallsChange> calls;    // the greatest difference first, as of all that follow
    std::vector<KernelChange> kernels; // communication too
    std::vector<KernelClassChange> classes;
    std::vector<TimerChange> timers;
    PeakChange allocated; // of all ranks that tell
    PeakChange reserved;
    std::vector<std::string> notes; // what was left out, and what was assumed
};

// Pure. Kernels of other runs may have other names for the same work: each is then a row of its own.
RunDifference differenceOf(const AnalysedRun& before, const AnalysedRun& after);

} // namespace shardscope
