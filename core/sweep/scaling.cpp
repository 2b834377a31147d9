#include "core/sweep/scaling.h"

namespace shardscope
{

namespace
{

// Seconds that a GPU communicates for each sequence of its own.
double communicationPerWork(const SweepPoint& point)
{
    const auto batch = static_cast<double>(point.scenario.training.global_batch_size);
    return point.time.exposed_communication_s * static_cast<double>(point.world_size) / batch;
}

ScalingPoint against(const SweepPoint& first, const SweepPoint& point)
{
    ScalingPoint scaling;
    scaling.gpus = static_cast<double>(point.world_size);
    scaling.ideal = scaling.gpus / static_cast<double>(first.world_size);
    scaling.speedup = point.time.tokens_per_s / first.time.tokens_per_s;
    const double before = communicationPerWork(first);
    const double now = communicationPerWork(point);
    if (before <= 0.0 || now <= 0.0)
        return scaling;
    scaling.network_efficiency = before / now;
    const double communication = first.time.communication_ratio;
    scaling.estimated_speedup =
        scaling.ideal * chengSpeedup(1.0 - communication, communication, *scaling.network_efficiency);
    return scaling;
}

} // namespace

double chengSpeedup(double compute_share, double communication_share, double network_efficiency)
{
    return (compute_share + communication_share) / (compute_share + communication_share / network_efficiency);
}

std::vector<ScalingPoint> scalingOf(const std::vector<SweepPoint>& points)
{
    std::vector<ScalingPoint> scaling;
    const SweepPoint* first = nullptr;
    for (const SweepPoint& point : points) {
        if (!point.isValid() || point.time.tokens_per_s <= 0.0)
            continue;
        if (first == nullptr)
            first = &point;
        scaling.push_back(against(*first, point));
    }
    return scaling;
}

} // namespace shardscope
