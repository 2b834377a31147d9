#include "core/analysis/calibration/fit_constants.h"

#include "core/analysis/calibration/fit_judgement.h"
#include "core/prediction/predict.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

namespace shardscope
{

namespace
{

FitConstant ofCollectives(const char* name, double CollectiveLaw::*member, double least, double most)
{
    return {std::string{"cluster.collectives."} + name,
            [member](Cluster& cluster) -> double& { return cluster.collectives.*member; }, least, most};
}

FitConstant ofCompute(const char* name, double ComputeLaw::*member, double least, double most)
{
    return {std::string{"cluster.compute."} + name,
            [member](Cluster& cluster) -> double& { return cluster.compute.*member; }, least, most};
}

FitConstant mu()
{
    return {"cluster.mu", [](Cluster& cluster) -> double& { return cluster.mu; }, 1e-3, 1.0};
}

// What sorts of points there are.
struct Sorts {
    bool inner_reduce = false; // all_reduce inside a node
    bool switched = false;     // of it, by the node's switch
    bool inner_ring = false;   // other collectives inside a node
    bool outer_reduce = false; // the same across nodes
    bool outer_ring = false;
    std::set<std::int64_t> reduce_sizes;
    bool steps = false;
    bool li = false;
    bool detailed = false;
};

bool isSwitched(const Cluster& cluster, int members)
{
    const CollectiveLaw& law = cluster.collectives;
    const double g = members;
    const double by_link = law.switch_link_efficiency * (2.0 * (g - 1.0) / g) / (1.0 + 1.0 / g);
    return std::min(law.switch_reduce_efficiency, by_link) > law.intra_efficiency;
}

void sortCollective(const Cluster& cluster, const CollectiveQuestion& question, Sorts& sorts)
{
    const bool inside = question.ranks <= question.per_node;
    if (question.op != Op::all_reduce) {
        (inside ? sorts.inner_ring : sorts.outer_ring) = true;
        return;
    }
    sorts.reduce_sizes.insert(question.message_bytes.front());
    (inside ? sorts.inner_reduce : sorts.outer_reduce) = true;
    if (inside && isSwitched(cluster, question.ranks))
        sorts.switched = true;
}

Sorts sortsOf(const Cluster& cluster, const std::vector<CalibrationPoint>& points)
{
    Sorts sorts;
    for (const CalibrationPoint& point : points) {
        if (point.collective)
            sortCollective(cluster, *point.collective, sorts);
        if (!point.step)
            continue;
        sorts.steps = true;
        (point.step->time_model == TimeModel::li ? sorts.li : sorts.detailed) = true;
    }
    return sorts;
}

// Middle sizes tell how latency and bandwidth blend.
bool tellsBlend(const std::set<std::int64_t>& sizes)
{
    return sizes.size() >= 6 && *sizes.rbegin() / *sizes.begin() >= 64;
}

void addCollectives(const Sorts& sorts, std::vector<FitConstant>& constants)
{
    using Law = CollectiveLaw;
    const auto add = [&](const char* name, double Law::*member, double least, double most) {
        constants.push_back(ofCollectives(name, member, least, most));
    };
    if (sorts.switched) {
        add("switch_link_efficiency", &Law::switch_link_efficiency, 1e-3, 5.0);
        add("switch_reduce_efficiency", &Law::switch_reduce_efficiency, 1e-3, 5.0);
    }
    if ((sorts.inner_reduce && !sorts.switched) || sorts.inner_ring)
        add("intra_efficiency", &Law::intra_efficiency, 1e-3, 5.0);
    if (sorts.outer_reduce || sorts.outer_ring)
        add("inter_efficiency", &Law::inter_efficiency, 1e-3, 5.0);
    if (sorts.inner_reduce)
        add("all_reduce_step_us", &Law::all_reduce_step_us, 1e-3, 1e4);
    if (sorts.outer_reduce)
        add("all_reduce_doubling_us", &Law::all_reduce_doubling_us, 1e-2, 1e5);
    if (sorts.inner_ring)
        add("ring_base_us", &Law::ring_base_us, 1e-2, 1e5);
    if (sorts.outer_ring)
        add("ring_step_us", &Law::ring_step_us, 1e-3, 1e4);
    if (tellsBlend(sorts.reduce_sizes))
        add("blend", &Law::blend, 0.3, 1.0);
}

enum class PointsOf { steps, collectives };

// By how much the times of the iterations, or of the collectives, follow a constant: 1 in proportion, 0 not
// at all. A sample of the points, and a change of a tenth, tell; both are ours.
double influence(const FitConstant& constant, const Cluster& cluster,
                 const std::vector<CalibrationPoint>& points, PointsOf of)
{
    constexpr std::size_t sample = 40;
    constexpr double change = 1.1;
    Cluster changed = cluster;
    constant.of(changed) *= change;
    double sum = 0.0;
    int asked = 0;
    for (std::size_t i = 0; i < points.size(); i += 1 + points.size() / sample) {
        const auto before = predictedTime(points[i], cluster);
        const auto after = predictedTime(points[i], changed);
        if (points[i].step.has_value() != (of == PointsOf::steps) || !before || !after)
            continue;
        sum += std::abs(std::log(*after / *before)) / std::log(change);
        ++asked;
    }
    return asked > 0 ? sum / asked : 0.0;
}

// What iterations can tell, most telling first: large models the efficiency of products, small ones the
// dispatch of kernels, those on many nodes the network. Ours: what moves the times by less than a twentieth
// of its own change is left as it is, and so are what is not among the first four and what collectives tell.
// One iteration alone tells how fast the cluster computes.
std::vector<FitConstant> stepConstants(const Cluster& cluster, const std::vector<CalibrationPoint>& points,
                                       const std::vector<FitConstant>& of_collectives, bool is_alone)
{
    constexpr double least_influence = 0.05;
    constexpr std::size_t most_constants = 4;
    const auto canTell = [&](const std::string& key) {
        return is_alone ? isOfComputing(key)
                        : std::ranges::find(of_collectives, key, &FitConstant::key) == of_collectives.end();
    };
    std::vector<std::pair<double, FitConstant>> ranked;
    for (const FitConstant& constant :
         {ofCompute("gemm_efficiency", &ComputeLaw::gemm_efficiency, 0.01, 1.0),
          ofCompute("memory_efficiency", &ComputeLaw::memory_efficiency, 0.01, 1.0),
          ofCompute("dispatch_us", &ComputeLaw::dispatch_us, 0.1, 1e3),
          ofCompute("attention_efficiency", &ComputeLaw::attention_efficiency, 0.01, 1.0),
          ofCollectives("intra_efficiency", &CollectiveLaw::intra_efficiency, 0.01, 1.5),
          ofCollectives("inter_efficiency", &CollectiveLaw::inter_efficiency, 0.01, 1.5)})
        if (canTell(constant.key))
            if (const double now = influence(constant, cluster, points, PointsOf::steps);
                now >= least_influence)
                ranked.emplace_back(now, constant);
    std::ranges::stable_sort(ranked, std::greater{}, [](const auto& entry) { return entry.first; });
    std::vector<FitConstant> constants;
    for (const auto& [now, constant] : ranked)
        if (constants.size() < most_constants)
            constants.push_back(constant);
    return constants;
}

// Each sort of measurement fits constants of its own, as many as it can tell apart.
void keepFirst(std::vector<FitConstant>& constants, std::size_t most)
{
    if (constants.size() > std::max<std::size_t>(1, most))
        constants.erase(constants.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, most)),
                        constants.end());
}

} // namespace

std::optional<double> predictedTime(const CalibrationPoint& point, const Cluster& cluster)
{
    if (point.collective)
        return predictCollective(cluster, *point.collective).time_s.front();
    Scenario scenario = *point.step;
    scenario.cluster = cluster;
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return std::nullopt;
    return prediction.value().time.iteration_s;
}

std::vector<FitConstant> constantsFor(const Cluster& cluster, const std::vector<CalibrationPoint>& points)
{
    const Sorts sorts = sortsOf(cluster, points);
    const auto steps = static_cast<std::size_t>(
        std::ranges::count_if(points, [](const CalibrationPoint& point) { return point.step.has_value(); }));
    std::vector<FitConstant> of_collectives;
    addCollectives(sorts, of_collectives);
    const std::size_t most = std::max<std::size_t>(1, (points.size() - steps) / 2);
    // Of few points: small messages tell latencies, large ones bandwidths.
    if (of_collectives.size() > most)
        std::ranges::stable_sort(of_collectives, std::greater{}, [&](const FitConstant& constant) {
            return influence(constant, cluster, points, PointsOf::collectives);
        });
    keepFirst(of_collectives, most);
    std::vector<FitConstant> constants;
    if (sorts.li)
        constants.push_back(mu());
    if (sorts.detailed)
        std::ranges::move(stepConstants(cluster, points, of_collectives, steps == 1),
                          std::back_inserter(constants));
    keepFirst(constants, steps / 3);
    std::ranges::move(of_collectives, std::back_inserter(constants));
    return constants;
}

} // namespace shardscope
