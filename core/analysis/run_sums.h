#pragma once

#include "core/analysis/iteration_times.h"
#include "core/analysis/run_difference.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace shardscope
{

using CallKey = std::tuple<Kind, Op, std::int64_t, std::int64_t>; // and bytes, group size
using CallSize = std::tuple<Op, std::int64_t, std::int64_t>;
using KernelKey = std::pair<std::string_view, EventClass>;
using PartKey = std::pair<IterationPart, Kind>;

void addAmount(const IterationAmount& amount, IterationAmount& sum);

// A run, added up for one rank in one iteration.
class RunSums
{
public:
    RunSums(const AnalysedRun& run, const std::vector<std::int64_t>& ranks);

    // Whether it tells what calls are for that the other one does not tell it of.
    bool tellsMoreThan(const RunSums& other) const;
    // Takes all kinds for one: their sums are known, however they are divided.
    void uniteKinds();

    double iteration_s = 0.0;
    std::int64_t iterations = 0;
    bool is_by_steps = true;    // every rank's work is told by marked steps
    double outside_steps = 0.0; // of the counted events
    std::map<PartKey, double> parts_s;
    std::map<CallKey, IterationAmount> calls;
    std::map<KernelKey, IterationAmount> kernels; // names are the measurement's
    std::map<CallKey, double> transfer_s;
    std::map<std::string, double> timers_s;

private:
    void add(const RankMeasurement& rank, std::int64_t recorded);
    void addTo(IterationAmount& amount, std::int64_t calls_made, std::int64_t sum_ns,
               double exposed_ns) const;
    void addCalls(const RankMeasurement& rank);
    void addParts(const IterationTimes& times);
    void addOutside(const RankMeasurement& rank);
    void takeUndivided(const Measurement& run);
    std::set<CallSize> callsOfNoKind() const;

    std::vector<IterationTimes> m_times; // of each rank
    double m_each_rank;
    double m_each = 1.0; // of the rank that is being added, and an iteration of it
};

} // namespace shardscope
