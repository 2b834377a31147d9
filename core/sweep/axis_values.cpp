#include "core/sweep/axis_values.h"

#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/recomputation.h"
#include "core/scenario/zero_stages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace shardscope
{

namespace
{

using Values = std::vector<double>;

// Ours: what can be told apart side by side, of lengths that are not too far from the scenario's own to be
// read beside it, for clusters of up to about a million GPUs.
constexpr int most_bars = 16;
constexpr std::int64_t most_times_own = 8;
constexpr std::int64_t most_gpus = 1 << 20;

// The whole numbers that an axis can take lie between two ends on a grid.
struct Grid {
    std::int64_t low = 1;
    std::int64_t high = 1;
    std::int64_t step = 1;
};

Values tidied(Values values)
{
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

Values named(int count)
{
    Values values;
    for (int i = 0; i < count; ++i)
        values.push_back(i);
    return values;
}

Values divisors(std::int64_t number, std::int64_t most)
{
    Values values;
    for (std::int64_t divisor = 1; divisor <= std::min(number, most); ++divisor)
        if (number % divisor == 0)
            values.push_back(static_cast<double>(divisor));
    return values;
}

Values times(double own, std::initializer_list<double> factors)
{
    Values values;
    for (const double factor : factors)
        values.push_back(own * factor);
    return values;
}

Values doublings(const Grid& grid, double own)
{
    Values values{own};
    for (std::int64_t value = grid.low; value <= grid.high && values.size() < most_bars; value *= 2)
        values.push_back(static_cast<double>(value));
    return tidied(std::move(values));
}

std::int64_t roundedUp(std::int64_t value, std::int64_t step)
{
    return (value + step - 1) / step * step;
}

// What a replica takes.
std::int64_t gpusOfReplica(const Parallel& parallel)
{
    return std::max<std::int64_t>(1, parallel.pipeline * parallel.tensor * parallel.context);
}

// Sizes that keep heads whole and split over the tensor ranks.
std::int64_t hiddenStep(const Scenario& scenario)
{
    const Model& model = scenario.model;
    const std::int64_t head = std::max<std::int64_t>(1, model.hidden_size / model.attention_heads);
    return head * scenario.parallel.tensor;
}

// Sizes as models have them; around those of a model that is far smaller, whose halves keep to the step.
Grid sizesAround(std::int64_t own, std::int64_t step, std::int64_t usual_low, std::int64_t usual_high)
{
    constexpr std::int64_t most_times_a_small_one = 64;
    if (own >= 2 * usual_low)
        return {roundedUp(usual_low, step), usual_high, step};
    std::int64_t low = own;
    for (int halvings = 0; halvings < 3 && low % (2 * step) == 0; ++halvings)
        low /= 2;
    return {low, own * most_times_a_small_one, step};
}

Grid gridOf(const Scenario& scenario, SweepAxis axis)
{
    const Parallel& parallel = scenario.parallel;
    const Training& training = scenario.training;
    const std::int64_t replica = gpusOfReplica(parallel);
    const std::int64_t world = scenario.worldSize();
    switch (axis) {
    case SweepAxis::gpus_weak:
        return {replica, std::min(most_gpus, std::max(world * 16, replica * 64)), replica};
    case SweepAxis::global_batch_size: {
        const std::int64_t step = training.micro_batch_size * parallel.data;
        return {step, std::max(training.global_batch_size * 16, step * 64), step};
    }
    case SweepAxis::sequence_length: {
        const std::int64_t step = parallel.context * (parallel.sequence_parallel ? parallel.tensor : 1);
        const std::int64_t own = scenario.model.sequence_length;
        return sizesAround(own, step, 512, std::max<std::int64_t>(own * 16, 65536));
    }
    case SweepAxis::hidden_size:
        return sizesAround(scenario.model.hidden_size, hiddenStep(scenario), 1024,
                           std::max<std::int64_t>(scenario.model.hidden_size, 65536));
    case SweepAxis::layers: {
        const std::int64_t step = parallel.pipeline * parallel.virtual_stages;
        return {step, std::max(scenario.model.layers * 4, step * 8), step};
    }
    default:
        break;
    }
    return {};
}

bool hasGrid(SweepAxis axis)
{
    return axis == SweepAxis::gpus_weak || axis == SweepAxis::global_batch_size
           || axis == SweepAxis::sequence_length || axis == SweepAxis::hidden_size
           || axis == SweepAxis::layers;
}

// Axes that take any size between two ends: the ends.
std::array<double, 2> endsOf(const Scenario& scenario, SweepAxis axis)
{
    if (axis == SweepAxis::flop_vs_bandwidth)
        return {1.0, 4.0}; // Pati et al. 2023: compute grows two to four times faster than networks
    if (axis == SweepAxis::slower_links)
        return {1.0, 8.0};
    const double own = ownValue(scenario, axis);
    return {own / 16.0, own * 16.0};
}

// Numbers of GPUs whose replicas share the global batch evenly.
Values replicasOf(const Scenario& scenario)
{
    const Training& training = scenario.training;
    const std::int64_t replica = gpusOfReplica(scenario.parallel);
    Values values = divisors(training.global_batch_size / training.micro_batch_size, most_gpus / replica);
    for (double& value : values)
        value *= static_cast<double>(replica);
    return values;
}

Values dividingValues(const Scenario& scenario, SweepAxis axis)
{
    const Parallel& parallel = scenario.parallel;
    const Model& model = scenario.model;
    const std::int64_t world = scenario.worldSize();
    switch (axis) {
    case SweepAxis::gpus_strong:
        return replicasOf(scenario);
    case SweepAxis::pipeline:
        return divisors(world / (parallel.tensor * parallel.context), model.layers);
    case SweepAxis::tensor:
        return divisors(world / (parallel.pipeline * parallel.context), mostTensor(model));
    case SweepAxis::tensor_for_pipeline:
        return divisors(parallel.pipeline * parallel.tensor, mostTensor(model));
    case SweepAxis::context:
        return divisors(world / (parallel.pipeline * parallel.tensor), 256);
    case SweepAxis::expert:
        return divisors(std::gcd(model.experts.count, parallel.expertRanks()), most_gpus);
    default:
        break;
    }
    return divisors(scenario.training.global_batch_size / parallel.data, 4096);
}

bool hasDivisors(SweepAxis axis)
{
    return axis == SweepAxis::gpus_strong || axis == SweepAxis::pipeline || axis == SweepAxis::tensor
           || axis == SweepAxis::tensor_for_pipeline || axis == SweepAxis::context
           || axis == SweepAxis::expert || axis == SweepAxis::micro_batch_size;
}

Values namedValues(const Scenario& scenario, SweepAxis axis)
{
    constexpr int stages = 4;
    switch (axis) {
    case SweepAxis::schedule:
        return named(static_cast<int>(Schedule::dualpipe) + 1);
    case SweepAxis::in_network_reduction:
        return named(2);
    case SweepAxis::precision: {
        const ComputeLaw& law = scenario.cluster.compute;
        const Precision smallest = law.hasFp4()   ? Precision::fp4
                                   : law.hasFp8() ? Precision::fp8
                                                  : Precision::bf16;
        return named(static_cast<int>(std::max(smallest, scenario.training.precision)) + 1);
    }
    default:
        return named(stages);
    }
}

// Those that the framework has, and the scenario's own.
Values zeroStages(const Scenario& scenario)
{
    Values stages = namedValues(scenario, SweepAxis::zero_stage);
    std::erase_if(stages, [&](double stage) {
        return stage != ownValue(scenario, SweepAxis::zero_stage)
               && !hasZeroStage(scenario.conventions.framework, static_cast<int>(stage));
    });
    return stages;
}

// From none to all of a stage's.
Values recomputedLayers(const Scenario& scenario)
{
    const std::int64_t all = layersOfVirtualStage(scenario);
    const std::int64_t step = all / most_bars + 1;
    Values values{static_cast<double>(all), ownValue(scenario, SweepAxis::recomputed_layers)};
    for (std::int64_t layers = 0; layers < all; layers += step)
        values.push_back(static_cast<double>(layers));
    return tidied(std::move(values));
}

// Of many divisors those near the scenario's own, by ratio.
Values nearest(Values values, double own)
{
    std::ranges::sort(values, {}, [own](double value) { return std::fabs(std::log(value / own)); });
    values.resize(std::min<std::size_t>(values.size(), most_bars));
    return tidied(std::move(values));
}

} // namespace

std::vector<double> barValues(const Scenario& scenario, SweepAxis axis)
{
    const double own = ownValue(scenario, axis);
    if (axis == SweepAxis::zero_stage)
        return zeroStages(scenario);
    if (axis == SweepAxis::recomputed_layers)
        return recomputedLayers(scenario);
    if (isNamed(axis))
        return namedValues(scenario, axis);
    if (hasGrid(axis)) {
        Grid grid = gridOf(scenario, axis);
        // Beyond that the others would be too short to be read.
        if (axis != SweepAxis::gpus_weak)
            grid.high = std::min(grid.high, static_cast<std::int64_t>(own) * most_times_own);
        return doublings(grid, own);
    }
    if (hasDivisors(axis)) {
        Values values = dividingValues(scenario, axis);
        values.push_back(own);
        return nearest(tidied(std::move(values)), own);
    }
    if (axis == SweepAxis::flop_vs_bandwidth)
        return {1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0};
    if (axis == SweepAxis::slower_links)
        return {1.0, 2.0, 4.0, 8.0};
    return times(own, {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0});
}

std::vector<double> mapValues(const Scenario& scenario, SweepAxis axis, int most)
{
    if (!isContinuous(axis) && !hasGrid(axis))
        return barValues(scenario, axis);
    const Grid grid = gridOf(scenario, axis);
    const auto ends = isContinuous(axis) ? endsOf(scenario, axis)
                                         : std::array{static_cast<double>(grid.low),
                                                      static_cast<double>(std::max(grid.low, grid.high))};
    Values values;
    for (int i = 0; i < most; ++i) {
        const double part = most > 1 ? static_cast<double>(i) / (most - 1) : 0.0;
        const double value = ends[0] * std::pow(ends[1] / ends[0], part);
        const auto step = static_cast<double>(grid.step);
        values.push_back(isContinuous(axis) ? value : std::max(1.0, std::round(value / step)) * step);
    }
    return tidied(std::move(values));
}

} // namespace shardscope
