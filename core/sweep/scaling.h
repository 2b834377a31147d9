#pragma once

#include "core/sweep/sweep.h"

#include <optional>
#include <vector>

namespace shardscope
{

// What more GPUs gain against the first point of a sweep over GPUs that can be trained.
struct ScalingPoint {
    double gpus = 0.0;
    double ideal = 1.0;   // GPUs against the first point's
    double speedup = 1.0; // tokens a second against the first point's
    // Time of exposed communication at the first point that has any over that here, each for the same work
    // of a GPU; nothing where there is none. Above 1 where communication becomes shorter: of a mesh two GPUs
    // have one link alone, and four have all.
    std::optional<double> network_efficiency;
    double network_gpus = 0.0; // of that first point
    // From that point's time and efficiency alone: Cheng et al. 2024's estimate.
    std::optional<double> estimated_speedup;

    double efficiency() const { return speedup / ideal; }
};

// Cheng et al. 2024: work for each GPU stays, so that of the time at g GPUs, r_comp + r_comm, only the
// communication becomes longer, by 1 / eff(g to n): (r_comp + r_comm) / (r_comp + r_comm / eff). At most 1
// where eff is; times n / g it is the gain in throughput.
double chengSpeedup(double compute_share, double communication_share, double network_efficiency);

// One for each point that can be trained, in order. Pre: a sweep over GPUs, without a second axis.
std::vector<ScalingPoint> scalingOf(const std::vector<SweepPoint>& points);

// One for every point of a sweep over GPUs, against the first of its group; nothing where it cannot be
// trained. Empty for other sweeps.
std::vector<std::optional<ScalingPoint>> scalingOfEach(const Sweep& sweep,
                                                       const std::vector<SweepPoint>& points);

} // namespace shardscope
