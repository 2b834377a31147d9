#include "core/sweep/layer_projection.h"

#include "core/base/quantity.h"
#include "core/prediction/time/layer_time.h"
#include "core/prediction/time/machine.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr double megatron_parameters = 3.9e9;
constexpr double megatron_tensor = 8.0;
constexpr double megatron_memory_GB = 32.0; // V100, DGX-2H

double bytesOf(Precision precision)
{
    return asDouble(bytesPerElement(activationDtype(precision)));
}

void evolve(Cluster& cluster, const Evolution& evolution)
{
    cluster.peak_tflops *= evolution.flop_vs_bandwidth;
    cluster.memory_bandwidth_GBps *= evolution.flop_vs_bandwidth;
    cluster.compute.kernel_us /= evolution.flop_vs_bandwidth;
}

// The layer by itself in the scenario's framework and format: a GPT layer without what other models add.
Scenario scenarioOf(const LayerCase& layer, const Scenario& base, const Evolution& evolution)
{
    Scenario scenario = base;
    Model& model = scenario.model;
    model = Model{};
    model.layers = 1;
    model.hidden_size = layer.hidden_size;
    model.head_dim = 64;
    model.attention_heads = std::max<std::int64_t>(1, layer.hidden_size / model.head_dim);
    model.kv_heads = model.attention_heads;
    model.ffn_hidden_size = 4 * layer.hidden_size;
    model.sequence_length = layer.sequence_length;
    scenario.parallel = Parallel{};
    scenario.parallel.tensor = layer.tensor;
    scenario.training.micro_batch_size = layer.batch;
    scenario.training.global_batch_size = layer.batch;
    scenario.training.recompute = Recompute::none;
    evolve(scenario.cluster, evolution);
    return scenario;
}

// A layer of the scenario by itself, as it is: heads, MLP, experts.
Scenario ownLayerOf(const Scenario& base)
{
    Scenario scenario = base;
    Model& model = scenario.model;
    const LayerForm form = layerForm(model, model.layers - 1);
    model.layers = 1;
    model.mtp_layers = 0;
    model.encoder_layers = 0;
    model.layer_pattern = {form};
    Parallel& parallel = scenario.parallel;
    parallel.pipeline = 1;
    parallel.virtual_stages = 1;
    parallel.schedule = Schedule::one_f_one_b;
    parallel.stage_layers.clear();
    parallel.zero_stage = 0;
    scenario.training.recompute = Recompute::none;
    return scenario;
}

// All ranks behind the links inside a node.
Seconds allReduce(double bytes, std::int64_t ranks, const Machine& machine, const Evolution& evolution)
{
    Communicator group;
    group.members = static_cast<int>(ranks);
    group.per_node = group.members;
    const double moved = evolution.in_network_reduction ? 0.5 * bytes : bytes;
    return collectiveTime(Op::all_reduce, Bytes{moved}, group, machine.interconnect);
}

// Where kernels are started one by one, with their dispatch.
ComputeTime computeOf(const Scenario& scenario, const Machine& machine,
                      LayerForm form = LayerForm::attention_mlp)
{
    const IterationFigures figures{scenario};
    ComputeTime compute = LayerTime{figures, machine}.layer(form);
    if (machine.launch_blocking) {
        compute.forward_s += compute.forward_dispatch_s;
        compute.input_gradient_s += compute.backward_dispatch_s;
    }
    return compute;
}

double backwardOf(const ComputeTime& compute)
{
    return compute.input_gradient_s + compute.weight_gradient_s;
}

// Two all_reduces for each block of the layer.
double serializedOf(const LayerCase& layer, const LayerCounts& counts, const Machine& machine,
                    const Evolution& evolution, std::int64_t blocks = 2)
{
    return 2.0 * asDouble(blocks)
           * allReduce(counts.serialized_bytes, layer.tensor, machine, evolution).value();
}

double reducedGradients(std::int64_t replicas, double bytes, Machine machine, const Evolution& evolution)
{
    if (bytes <= 0.0) // a dense layer has no experts
        return 0.0;
    machine.interconnect.intra = machine.interconnect.intra / evolution.slower_gradient_links;
    return allReduce(bytes, replicas, machine, evolution).value();
}

LayerTimes timesOf(const ComputeTime& compute, double serialized_s, double reduced_s, const Machine& machine,
                   const Evolution& evolution)
{
    LayerTimes times;
    times.compute_s = compute.forward_s + backwardOf(compute);
    times.serialized_s = serialized_s;
    if (machine.launch_blocking) {
        times.exposed_s = reduced_s;
        return times;
    }
    const double window = backwardOf(compute);
    if (evolution.interferes)
        times.slowed_s = machine.law.overlap_contention * std::min(reduced_s, window);
    times.hidden_s = std::min(reduced_s, window + times.slowed_s);
    times.exposed_s = reduced_s - times.hidden_s;
    return times;
}

// Experts' replicas are fewer than the layer's. Its messages for experts and between the parts of a sequence
// are not the paper's and left out.
LayerTimes ownLayerTimes(const LayerCase& layer, Scenario own, const Evolution& evolution)
{
    evolve(own.cluster, evolution);
    const Machine machine{own.cluster};
    const IterationFigures figures{own};
    const LayerForm form = layerForm(own.model, 0);
    const LayerParameters& held = figures.layer(form);
    const Precision precision = own.training.precision;
    const double reduced_s =
        reducedGradients(figures.data_group, bytesOf(precision) * asDouble(held.dense()), machine, evolution)
        + reducedGradients(figures.expert_data_group, bytesOf(precision) * asDouble(held.routed), machine,
                           evolution);
    LayerCounts counts = layerCounts(layer, precision);
    counts.serialized_bytes /= figures.context; // of a rank's part of the sequence
    return timesOf(computeOf(own, machine, form),
                   serializedOf(layer, counts, machine, evolution, blocksOf(form)), reduced_s, machine,
                   evolution);
}

} // namespace

LayerCounts layerCounts(const LayerCase& layer, Precision precision)
{
    const double h = asDouble(layer.hidden_size);
    const double s = asDouble(layer.sequence_length);
    const double b = asDouble(layer.batch);
    const double t = asDouble(layer.tensor);
    const double bytes = bytesOf(precision);
    LayerCounts counts;
    counts.fc_flops = 2.0 * 4.0 * h * h / t * s * b;
    counts.attention_flops = 2.0 * h / t * s * s * b;
    counts.projection_flops = 3.0 * 2.0 * h / t * h * s * b;
    counts.serialized_bytes = bytes * h * s * b;
    counts.slack_flops = 4.0 * (4.0 * h * h / t * s * b);
    counts.gradient_bytes = bytes * 4.0 * h * h / t;
    counts.amdahl_edge = (h + s) / t;
    counts.slack_advantage = s * b;
    return counts;
}

LayerProjection projectLayer(const LayerCase& layer, const Scenario& base, const Evolution& evolution)
{
    const Scenario scenario = scenarioOf(layer, base, evolution);
    const Precision precision = scenario.training.precision;
    const Machine machine{scenario.cluster};
    const ComputeTime compute = computeOf(scenario, machine);
    const LayerCounts counts = layerCounts(layer, precision);

    LayerProjection projection;
    projection.compute_s = compute.forward_s + backwardOf(compute);
    projection.serialized_s = serializedOf(layer, counts, machine, evolution);
    const OperatorTime operators{machine, precision};
    const double h = asDouble(layer.hidden_size);
    const Gemm product{asDouble(layer.batch * layer.sequence_length), 4.0 * h / asDouble(layer.tensor), h};
    projection.slack_s = (operators.inputGradient(product) + operators.weightGradient(product)).value();
    projection.overlapped_s = reducedGradients(layer.data, counts.gradient_bytes, machine, evolution);
    return projection;
}

LayerFutures layerFutures(const Scenario& scenario, const Evolution& evolution)
{
    constexpr double far_links = 8.0;
    LayerFutures futures;
    futures.layer = {scenario.model.hidden_size, scenario.model.sequence_length,
                     scenario.training.micro_batch_size, scenario.parallel.tensor, scenario.parallel.data};
    Evolution today;
    today.in_network_reduction = evolution.in_network_reduction;
    Evolution faster = today;
    faster.flop_vs_bandwidth = evolution.flop_vs_bandwidth;
    Evolution shared = faster;
    shared.slower_gradient_links = far_links;
    shared.interferes = true;
    const Scenario own = ownLayerOf(scenario);
    futures.times = {ownLayerTimes(futures.layer, own, today), ownLayerTimes(futures.layer, own, faster),
                     ownLayerTimes(futures.layer, own, shared)};
    return futures;
}

double requiredTensor(double parameters, double memory_GB)
{
    return megatron_tensor * (parameters / megatron_parameters) / (memory_GB / megatron_memory_GB);
}

} // namespace shardscope
