#include "core/sweep/scaling.h"

#include <map>

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

bool canBeTrained(const SweepPoint& point)
{
    return point.isValid() && point.time.tokens_per_s > 0.0;
}

// The points that a group's others stand against.
struct Base {
    const SweepPoint& first;
    const SweepPoint* communicating = nullptr;
};

ScalingPoint against(Base& base, const SweepPoint& point)
{
    ScalingPoint scaling;
    scaling.gpus = static_cast<double>(point.world_size);
    scaling.ideal = scaling.gpus / static_cast<double>(base.first.world_size);
    scaling.speedup = point.time.tokens_per_s / base.first.time.tokens_per_s;
    const double now = communicationPerWork(point);
    if (now <= 0.0)
        return scaling;
    if (base.communicating == nullptr)
        base.communicating = &point;
    const SweepPoint& before = *base.communicating;
    scaling.network_gpus = static_cast<double>(before.world_size);
    scaling.network_efficiency = communicationPerWork(before) / now;
    const double communication = before.time.communication_ratio;
    scaling.estimated_speedup =
        before.time.tokens_per_s / base.first.time.tokens_per_s * scaling.gpus / scaling.network_gpus
        * chengSpeedup(1.0 - communication, communication, *scaling.network_efficiency);
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
    std::optional<Base> base;
    for (const SweepPoint& point : points) {
        if (!canBeTrained(point))
            continue;
        if (!base)
            base.emplace(Base{point});
        scaling.push_back(against(*base, point));
    }
    return scaling;
}

std::vector<std::optional<ScalingPoint>> scalingOfEach(const Sweep& sweep,
                                                       const std::vector<SweepPoint>& points)
{
    if (sweep.axis != SweepAxis::gpus_strong && sweep.axis != SweepAxis::gpus_weak)
        return {};
    std::vector<std::optional<ScalingPoint>> scaling;
    std::map<double, Base> bases; // by the group
    for (const SweepPoint& point : points)
        scaling.push_back(canBeTrained(point) ? std::optional{against(
                              bases.try_emplace(point.group_value, Base{point}).first->second, point)}
                                              : std::nullopt);
    return scaling;
}

} // namespace shardscope
