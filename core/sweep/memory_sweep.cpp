#include "core/sweep/memory_sweep.h"

#include "core/prediction/predict.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

// Ours: doublings go to a million tokens, or to micro-batches of 2,048; what fits is looked for further up.
constexpr std::int64_t most_doublings = 12;
constexpr std::int64_t most_value = std::int64_t{1} << 24;

std::int64_t valueOn(const Scenario& scenario, MemoryAxis axis)
{
    return axis == MemoryAxis::sequence_length ? scenario.model.sequence_length
                                               : scenario.training.micro_batch_size;
}

// Lengths that context and sequence parallelism can split.
std::int64_t stepOf(const Scenario& scenario, MemoryAxis axis)
{
    if (axis == MemoryAxis::micro_batch_size)
        return 1;
    const Parallel& parallel = scenario.parallel;
    return parallel.context * (parallel.sequence_parallel ? parallel.tensor : 1);
}

std::int64_t firstOf(const Scenario& scenario, MemoryAxis axis)
{
    if (axis == MemoryAxis::micro_batch_size)
        return 1;
    const std::int64_t step = stepOf(scenario, axis);
    return (512 + step - 1) / step * step;
}

std::optional<MemoryPoint> pointAt(const Scenario& scenario, MemoryAxis axis, std::int64_t value)
{
    const auto memory = predictMemory(withMemoryAxis(scenario, axis, value));
    if (!memory)
        return std::nullopt;
    const std::vector<StageMemory>& stages = memory.value().stages;
    return MemoryPoint{value, *std::ranges::max_element(stages, {}, &StageMemory::deviceBytes),
                       memory.value().fits};
}

// Doubling values, with the scenario's own and the largest that fits among them.
std::vector<std::int64_t> valuesOf(const Scenario& scenario, MemoryAxis axis, std::int64_t largest)
{
    std::vector<std::int64_t> values{valueOn(scenario, axis)};
    if (largest > 0)
        values.push_back(largest);
    std::int64_t value = firstOf(scenario, axis);
    for (std::int64_t i = 0; i < most_doublings && value <= most_value; ++i, value *= 2)
        values.push_back(value);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

// Memory grows with either value, so the border between what fits and what does not is halved.
std::int64_t largestFitting(const Scenario& scenario, MemoryAxis axis)
{
    const std::int64_t step = stepOf(scenario, axis);
    std::int64_t low = 0; // in steps
    std::int64_t high = most_value / step + 1;
    while (low + 1 < high) {
        const std::int64_t middle = low + (high - low) / 2;
        const auto point = pointAt(scenario, axis, middle * step);
        (point && point->fits ? low : high) = middle;
    }
    return low * step;
}

} // namespace

Scenario withMemoryAxis(Scenario scenario, MemoryAxis axis, std::int64_t value)
{
    if (axis == MemoryAxis::sequence_length) {
        scenario.model.sequence_length = value;
        return scenario;
    }
    const std::int64_t micro_batches = std::max<std::int64_t>(1, scenario.microBatches());
    scenario.training.micro_batch_size = value;
    scenario.training.global_batch_size = micro_batches * value * scenario.parallel.data;
    return scenario;
}

MemorySweep sweepMemory(const Scenario& scenario, MemoryAxis axis)
{
    MemorySweep sweep;
    const auto own = predictMemory(scenario);
    if (!own || scenario.model.kind == ModelKind::parameter_list)
        return sweep;
    sweep.capacity_bytes = own.value().capacity_bytes;
    sweep.largest = largestFitting(scenario, axis);
    bool is_over = false;
    for (const std::int64_t value : valuesOf(scenario, axis, sweep.largest)) {
        const auto point = pointAt(scenario, axis, value);
        if (!point)
            continue;
        const bool is_far = is_over && point->fullest.deviceBytes() > 2 * sweep.capacity_bytes;
        if (is_far && value != valueOn(scenario, axis))
            continue;
        is_over = is_over || !point->fits;
        sweep.points.push_back(*point);
    }
    return sweep;
}

} // namespace shardscope
