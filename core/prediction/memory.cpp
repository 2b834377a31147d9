#include "core/prediction/memory.h"

#include "core/prediction/activation_memory.h"

#include <algorithm>

namespace shardscope
{

namespace
{

std::int64_t part(std::int64_t parameters, int ranks)
{
    return (parameters + ranks - 1) / ranks;
}

// Parameters that a rank keeps when its group shares them out.
std::int64_t ownPart(const IterationFigures& figures, const StageShape& shape)
{
    return part(shape.dense_parameters, figures.data_group)
           + part(shape.routed_parameters, figures.expert_data_group);
}

// Whole for a moment while the rest is shared out: the ends stay whole, and one layer at a time joins them.
std::int64_t wholeForAMoment(const IterationFigures& figures, const StageShape& shape)
{
    if (figures.scenario.conventions.zero_unit == ZeroUnit::model)
        return shape.trainedParameters();
    const std::int64_t dense = shape.dense_layers > 0 ? figures.dense_layer.total() : 0;
    const std::int64_t moe = shape.moe_layers > 0 ? figures.moe_layer.total() : 0;
    return shape.end_parameters + std::max(dense, moe);
}

StageMemory stageMemory(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    const int zero = scenario.parallel.zero_stage;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t all = shape.trainedParameters();
    const bool shared = figures.data_group > 1;
    const std::int64_t own = ownPart(figures, shape);
    const std::int64_t whole = shared ? wholeForAMoment(figures, shape) : 0;
    StageMemory memory;
    memory.stage = shape.stage;
    memory.weights_bytes =
        element * (shape.untrained_parameters + (zero >= 3 && shared ? std::min(all, own + whole) : all));
    memory.gradients_bytes = scenario.training.gradient_bytes * (zero >= 2 ? own : all);
    // A unit's gradient is whole, in the format of the weights, until it has been reduced.
    if (zero >= 2 && shared)
        memory.gradients_bytes += element * whole;
    memory.optimizer_bytes = optimizerBytesPerParameter(scenario.training) * (zero >= 1 ? own : all);
    memory.activations_bytes = stageActivationBytes(figures, shape);
    memory.total_bytes =
        memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes + memory.activations_bytes;
    return memory;
}

} // namespace

std::int64_t optimizerBytesPerParameter(const Training& training)
{
    const std::int64_t master_copy = training.precision == Precision::fp32 ? 0 : 4;
    if (training.optimizer == "adam")
        return master_copy + 8;
    if (training.optimizer == "sgd")
        return master_copy + 4;
    return 0;
}

MemoryPrediction predictMemory(const IterationFigures& figures, const std::vector<StageShape>& stages)
{
    MemoryPrediction prediction;
    prediction.stages.reserve(stages.size());
    for (const StageShape& shape : stages) {
        const StageMemory& memory = prediction.stages.emplace_back(stageMemory(figures, shape));
        prediction.peak_bytes = std::max(prediction.peak_bytes, memory.total_bytes);
    }
    const double capacity = figures.scenario.cluster.memory_GB * 1e9;
    prediction.fits = static_cast<double>(prediction.peak_bytes) <= capacity;
    return prediction;
}

} // namespace shardscope
