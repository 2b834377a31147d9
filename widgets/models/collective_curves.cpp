#include "widgets/models/collective_curves.h"

#include "widgets/session/shown_text.h"

#include "core/analysis/calibration/calibration_points.h"
#include "core/prediction/time/node_placement.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardscope
{

namespace
{

constexpr double least_constant = 1e-3;
constexpr double most_efficiency = 5.0;
constexpr double most_us = 1e5;

bool isInside(const CollectiveGroup& group)
{
    return group.ranks <= group.per_node;
}

// The constants that bound the bandwidth of a group's collectives: all of them move together.
std::vector<double*> bandwidthConstants(Cluster& cluster, Op op, const CollectiveGroup& group)
{
    CollectiveLaw& law = cluster.collectives;
    if (!isInside(group))
        return {&law.inter_efficiency};
    if (op == Op::all_reduce && law.switch_reduce_efficiency > 0.0)
        return {&law.intra_efficiency, &law.switch_link_efficiency, &law.switch_reduce_efficiency};
    return {&law.intra_efficiency};
}

double& latencyConstant(Cluster& cluster, Op op, const CollectiveGroup& group)
{
    CollectiveLaw& law = cluster.collectives;
    if (op == Op::all_reduce)
        return isInside(group) ? law.all_reduce_step_us : law.all_reduce_doubling_us;
    return isInside(group) ? law.ring_base_us : law.ring_step_us;
}

std::vector<CalibrationPoint> allMeasured(const Measurement& measurement, const Scenario& scenario)
{
    std::vector<std::string> ignored;
    return calibrationPoints(measurement, scenario, {}, ignored);
}

bool isOf(const CollectiveQuestion& call, const CollectiveGroup& group)
{
    return call.ranks == group.ranks && call.per_node == group.per_node;
}

} // namespace

CollectiveGroup groupOfNodes(const Cluster& cluster, int nodes)
{
    CollectiveGroup group;
    group.per_node = Machine{cluster}.domain;
    group.ranks = nodes * group.per_node;
    group.name = QStringLiteral("%1: %2 ranks")
                     .arg(nodes == 1 ? QStringLiteral("1 node") : QStringLiteral("%1 nodes").arg(nodes))
                     .arg(group.ranks);
    return group;
}

std::vector<CollectiveGroup> collectiveGroups(const Scenario& scenario)
{
    std::vector<CollectiveGroup> groups;
    const Machine machine{scenario.cluster};
    const RankLayout layout{scenario.parallel};
    for (const Kind kind : {Kind::tp, Kind::cp, Kind::dp, Kind::ep, Kind::edp}) {
        const Communicator lie = communicatorOf(layout, kind, machine);
        if (lie.members < 2 || (kind == Kind::edp && !scenario.parallel.expertsAreApart()))
            continue;
        CollectiveGroup group{toQString(word(kind)), kind, lie.members, lie.per_node, lie.siblings, lie.pods};
        group.name += QStringLiteral(": %1 ranks, %2 on a node").arg(group.ranks).arg(group.per_node);
        groups.push_back(group);
    }
    constexpr int most_nodes = 512;
    for (int nodes = machine.domain > 1 ? 1 : 2; nodes <= most_nodes; nodes *= 2)
        groups.push_back(groupOfNodes(scenario.cluster, nodes));
    return groups;
}

CollectiveGroup groupOn(const Cluster& cluster, const Parallel& parallel, const CollectiveGroup& group)
{
    const Machine machine{cluster};
    CollectiveGroup there = group;
    if (group.kind == Kind::unknown) {
        there.per_node = std::min(group.ranks, machine.domain);
        there.siblings = 1;
        there.pods.reset();
        return there;
    }
    const Communicator lie = communicatorOf(RankLayout{parallel}, group.kind, machine);
    there.per_node = lie.per_node;
    there.siblings = lie.siblings;
    there.pods = lie.pods;
    return there;
}

CollectiveQuestion questionOf(Op op, const CollectiveGroup& group, std::vector<std::int64_t> sizes)
{
    CollectiveQuestion question;
    question.op = op;
    question.ranks = group.ranks;
    question.per_node = group.per_node;
    question.siblings = group.siblings;
    question.pods = group.pods;
    question.message_bytes = std::move(sizes);
    return question;
}

std::vector<CollectivePoint> collectiveCurve(const Cluster& cluster, Op op, const CollectiveGroup& group)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = smallest_collective; size <= largest_collective; size *= 2) {
        sizes.push_back(size);
        if (size < largest_collective)
            sizes.push_back(std::llround(static_cast<double>(size) * std::sqrt(2.0)));
    }
    const CollectiveAnswer answer = predictCollective(cluster, questionOf(op, group, sizes));
    std::vector<CollectivePoint> curve;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        curve.push_back({sizes[i], answer.time_s[i], answer.busbw_GBps[i], answer.error_band[i]});
    return curve;
}

CollectivePoint collectivePoint(const Cluster& cluster, Op op, const CollectiveGroup& group,
                                std::int64_t message_bytes)
{
    const CollectiveAnswer answer = predictCollective(cluster, questionOf(op, group, {message_bytes}));
    return {message_bytes, answer.time_s.front(), answer.busbw_GBps.front(), answer.error_band.front()};
}

std::vector<CalibrationPoint> measuredCollectives(const Measurement& measurement, const Scenario& scenario,
                                                  Op op, const CollectiveGroup& group)
{
    std::vector<CalibrationPoint> points = allMeasured(measurement, scenario);
    std::erase_if(points, [&](const CalibrationPoint& point) {
        return point.collective->op != op || !isOf(*point.collective, group);
    });
    return points;
}

std::vector<CollectiveGroup> measuredGroups(const Measurement& measurement, const Scenario& scenario,
                                            const std::vector<CollectiveGroup>& groups)
{
    std::vector<CollectiveGroup> found;
    for (const CalibrationPoint& point : allMeasured(measurement, scenario)) {
        const CollectiveQuestion& call = *point.collective;
        const auto is_like = [&](const CollectiveGroup& group) { return isOf(call, group); };
        if (std::ranges::any_of(groups, is_like) || std::ranges::any_of(found, is_like))
            continue;
        const QString name = QStringLiteral("%1 ranks: %2 on a node").arg(call.ranks).arg(call.per_node);
        found.push_back({name, Kind::unknown, call.ranks, call.per_node, call.siblings, call.pods});
    }
    return found;
}

std::optional<MeasuredChoice> mostMeasured(const Measurement& measurement, const Scenario& scenario,
                                           const std::vector<CollectiveGroup>& groups)
{
    const std::vector<CalibrationPoint> points = allMeasured(measurement, scenario);
    std::optional<MeasuredChoice> choice;
    std::ptrdiff_t most = 0;
    for (std::size_t group = 0; group < groups.size(); ++group) {
        std::map<Op, std::ptrdiff_t> counts;
        for (const CalibrationPoint& point : points) {
            const CollectiveQuestion& call = *point.collective;
            if (!isOf(call, groups[group]) || ++counts[call.op] <= most)
                continue;
            most = counts[call.op];
            choice = MeasuredChoice{call.op, group};
        }
    }
    return choice;
}

Cluster withBusBandwidth(Cluster cluster, Op op, const CollectiveGroup& group, double busbw_GBps)
{
    if (!(busbw_GBps > 0.0))
        return cluster;
    // Latency has a small share at that size, so that a few proportional steps arrive.
    for (int step = 0; step < 8; ++step) {
        const double now = collectivePoint(cluster, op, group, largest_collective).busbw_GBps;
        for (double* constant : bandwidthConstants(cluster, op, group))
            *constant = std::clamp(*constant * busbw_GBps / now, least_constant, most_efficiency);
    }
    return cluster;
}

Cluster withLatency(Cluster cluster, Op op, const CollectiveGroup& group, std::int64_t message_bytes,
                    double time_s)
{
    // The time grows with the constant; halving finds it to a millionth.
    double low = least_constant;
    double high = most_us;
    double& constant = latencyConstant(cluster, op, group);
    for (int step = 0; step < 60; ++step) {
        constant = std::sqrt(low * high);
        const double now = collectivePoint(cluster, op, group, message_bytes).time_s;
        (now < time_s ? low : high) = constant;
    }
    return cluster;
}

} // namespace shardscope
