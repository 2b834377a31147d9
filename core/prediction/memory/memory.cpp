#include "core/prediction/memory/memory.h"

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/framework_memory.h"
#include "core/prediction/memory/memory_moments.h"
#include "core/scenario/optimizer_states.h"

#include <algorithm>
#include <string>

namespace shardscope
{

namespace
{

// Whole for a moment while the rest is shared out: the ends stay whole, and one layer at a time joins them;
// with overlap the next one is gathered meanwhile.
std::int64_t wholeForAMoment(const IterationFigures& figures, const StageShape& shape)
{
    if (figures.scenario.conventions.zero_unit == ZeroUnit::model)
        return shape.trainedParameters();
    std::int64_t layer = 0;
    shape.counts.decoder.each(
        [&](LayerForm form, std::int64_t) { layer = std::max(layer, sharedOutParameters(figures, form)); });
    const std::int64_t module = shape.counts.mtp > 0 ? figures.mtp_extra.total() : 0;
    return shape.end_parameters + (layer + module) * (figures.scenario.conventions.dp_overlap ? 2 : 1);
}

// What the allocator's idle blocks take of the memory that is left.
std::int64_t idleBytes(const Scenario& scenario, const StageMemory& memory)
{
    const std::int64_t left = capacityBytes(scenario.cluster) - memory.deviceBytes();
    const std::int64_t idle = memory.allocatedBytes() / 100 * idlePercent(scenario.conventions.framework);
    return std::clamp<std::int64_t>(left, 0, idle);
}

// The backward pass or the optimizer's step, whichever needs more.
void addPassingMemory(const IterationFigures& figures, const StageShape& shape, StageMemory& memory)
{
    const MemoryMoment moment = fullestMoment(figures, shape);
    const std::int64_t kept = keptActivations(figures, shape).bytes();
    const std::int64_t backward = kept + moment.totalBytes();
    const std::int64_t step = stepTensors(figures, shape).bytes();
    memory.activations_bytes = kept + moment.keptBytes();
    memory.temporaries_bytes = moment.passing.bytes() + std::max<std::int64_t>(0, step - backward);
    memory.buffers_bytes = frameworkBuffers(figures, shape).bytes();
    const Scenario& scenario = figures.scenario;
    memory.context_bytes = contextTerms(figures).bytes();
    memory.cached_bytes = keptBlockBytes(scenario.conventions.framework, backward, step);
    memory.cached_bytes += idleBytes(scenario, memory);
}

std::int64_t measured(MemoryMeasure measure, const StageMemory& memory)
{
    switch (measure) {
    case MemoryMeasure::allocated:
        break;
    case MemoryMeasure::reserved:
        return memory.reservedBytes();
    case MemoryMeasure::device:
        return memory.deviceBytes();
    }
    return memory.allocatedBytes();
}

// ZeRO-Offload (Ren et al. 2021, section 4): the GPU keeps 16-bit weights, the host gradients and optimizer;
// each rank sends the gradients of its part and gets the new weights. From stage 2 on gradients leave in
// every micro-batch, and what was summed so far comes back to be added to (DeepSpeed,
// async_accumulate_grad_in_cpu_via_gpu).
void moveToHost(const IterationFigures& figures, const StageShape& shape, StageMemory& memory)
{
    const Scenario& scenario = figures.scenario;
    if (scenario.training.offload == Offload::none)
        return;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t own = ownedParameters(figures, shape);
    memory.host_bytes = memory.optimizer_bytes + element * own;
    memory.optimizer_bytes = 0;
    std::int64_t gradient_passes = 1;
    if (figures.reducesEachMicroBatch()) {
        memory.gradients_bytes = 0;
        gradient_passes = 2 * figures.passes - 1;
    }
    memory.host_traffic_bytes = element * own * (gradient_passes + 1);
}

StageMemory stageMemory(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    const int zero = scenario.parallel.zero_stage;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t all = shape.trainedParameters();
    const bool shared = figures.hasReplicas();
    const std::int64_t own = ownedParameters(figures, shape);
    const std::int64_t whole = shared ? wholeForAMoment(figures, shape) : 0;
    StageMemory memory;
    memory.stage = shape.stage;
    memory.weights_bytes =
        element * (shape.untrained_parameters + (zero >= 3 && shared ? std::min(all, own + whole) : all));
    memory.gradients_bytes = scenario.training.gradient_bytes * (figures.reducesEachMicroBatch() ? own : all);
    memory.optimizer_bytes = optimizerBytesPerParameter(scenario.training) * own;
    moveToHost(figures, shape, memory);
    addPassingMemory(figures, shape, memory);
    memory.total_bytes = measured(scenario.conventions.memory_measure, memory);
    return memory;
}

// Data-sheet rate of x16, GB/s one way: A100 (NVLink 3) sits on PCIe 4, H100 and later (NVLink 4, 5) on 5.
double hostLinkGBps(const Link& intra_node)
{
    const std::string& kind = intra_node.kind;
    if (kind == "pcie5" || kind == "nvlink4" || kind == "nvlink5")
        return 63.0;
    return kind == "pcie3" || kind == "nvlink2" ? 15.75 : 31.5;
}

} // namespace

std::int64_t optimizerBytesPerParameter(const Training& training)
{
    switch (training.optimizer) {
    case Optimizer::adam:
        return masterBytes(training) + training.exp_avg_bytes + training.exp_avg_sq_bytes;
    case Optimizer::sgd:
        return masterBytes(training) + training.exp_avg_bytes;
    case Optimizer::none:
        break;
    }
    return 0;
}

std::int64_t capacityBytes(const Cluster& cluster)
{
    return static_cast<std::int64_t>(cluster.memory_GB * (1 << 30));
}

bool isNearlyFull(std::int64_t device_bytes, const Cluster& cluster)
{
    constexpr double usual_error = 0.05;
    return static_cast<double>(device_bytes)
           > (1.0 - usual_error) * static_cast<double>(capacityBytes(cluster));
}

MemoryPrediction predictMemory(const IterationFigures& figures, const std::vector<StageShape>& stages)
{
    const Scenario& scenario = figures.scenario;
    MemoryPrediction prediction;
    prediction.stages.reserve(stages.size());
    std::int64_t traffic = 0;
    for (const StageShape& shape : stages) {
        const StageMemory& memory = prediction.stages.emplace_back(stageMemory(figures, shape));
        prediction.peak_bytes = std::max(prediction.peak_bytes, memory.total_bytes);
        prediction.device_bytes = std::max(prediction.device_bytes, memory.deviceBytes());
        traffic = std::max(traffic, memory.host_traffic_bytes);
    }
    prediction.capacity_bytes = capacityBytes(scenario.cluster);
    prediction.fits = prediction.device_bytes <= prediction.capacity_bytes;
    prediction.host_transfer_s =
        static_cast<double>(traffic) / (hostLinkGBps(scenario.cluster.intra_node) * 1e9);
    return prediction;
}

} // namespace shardscope
