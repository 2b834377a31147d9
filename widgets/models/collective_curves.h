#pragma once

#include "core/analysis/calibration/calibration.h"
#include "core/analysis/measurement.h"
#include "core/prediction/time/collective_prediction.h"

#include <QString>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// A group of ranks whose collectives the explorer draws: one of the scenario's, or some number of whole
// nodes.
struct CollectiveGroup {
    QString name;              // "tp: 8 ranks, 8 on a node", "4 nodes: 32 ranks"
    Kind kind = Kind::unknown; // of the scenario's groups
    int ranks = 2;
    int per_node = 2;
    int siblings = 1;
    std::optional<PodPlace> pods{}; // none: its ranks fill one pod after the other
    bool operator==(const CollectiveGroup&) const = default;
};

// The scenario's groups of more than one rank, then one node and doublings of it.
std::vector<CollectiveGroup> collectiveGroups(const Scenario& scenario);

// `nodes` whole nodes of the cluster.
CollectiveGroup groupOfNodes(const Cluster& cluster, int nodes);

// As many ranks on another cluster: as the scenario's layout puts them there, or filling its nodes.
CollectiveGroup groupOn(const Cluster& cluster, const Parallel& parallel, const CollectiveGroup& group);

CollectiveQuestion questionOf(Op op, const CollectiveGroup& group, std::vector<std::int64_t> message_bytes);

// Time of one call.
struct CollectivePoint {
    std::int64_t message_bytes = 0;
    double time_s = 0.0;
    double busbw_GBps = 0.0;
    std::array<double, 2> error_band{}; // of the time: shares below and above
};

// The law's curve over sizes from 1 KiB to 16 GiB, two points for each doubling.
std::vector<CollectivePoint> collectiveCurve(const Cluster& cluster, Op op, const CollectiveGroup& group);
CollectivePoint collectivePoint(const Cluster& cluster, Op op, const CollectiveGroup& group,
                                std::int64_t message_bytes);

// What was measured of this operation on a group of this size: lines of nccl-tests tables and calls of
// traces.
std::vector<CalibrationPoint> measuredCollectives(const Measurement& measurement, const Scenario& scenario,
                                                  Op op, const CollectiveGroup& group);

// Groups that calls were measured of and `groups` has none like, one each: "24 ranks: 8 on a node".
std::vector<CollectiveGroup> measuredGroups(const Measurement& measurement, const Scenario& scenario,
                                            const std::vector<CollectiveGroup>& groups);

// What most calls were measured of, the first of several: an operation, and its group's place in `groups`.
struct MeasuredChoice {
    Op op = Op::all_reduce;
    std::size_t group = 0;
};
// Nothing: none was measured of these groups.
std::optional<MeasuredChoice> mostMeasured(const Measurement& measurement, const Scenario& scenario,
                                           const std::vector<CollectiveGroup>& groups);

// The cluster whose constants put the curve's end there: the bandwidth of its narrowest link at the largest
// size, or the time of a small message, which is latency. A wish beyond what any constant gives is met as far
// as possible.
Cluster withBusBandwidth(Cluster cluster, Op op, const CollectiveGroup& group, double busbw_GBps);
Cluster withLatency(Cluster cluster, Op op, const CollectiveGroup& group, std::int64_t message_bytes,
                    double time_s);

inline constexpr std::int64_t smallest_collective = std::int64_t{1} << 10;
inline constexpr std::int64_t largest_collective = std::int64_t{1} << 34;

} // namespace shardscope
