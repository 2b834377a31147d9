#include "core/sweep/sweep_place.h"

#include "core/prediction/model/recomputation.h"
#include "core/scenario/defaults.h"
#include "core/scenario/micro_batch_groups.h"
#include "core/scenario/node_wiring.h"
#include "core/scenario/scenario_change.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace shardscope
{

namespace
{

// Heads keep their size, so that there are more of them, of recurrences too, whose groups of keys stay; the
// widths of the MLP and of its experts, and head counts, keep their ratios.
bool setHiddenSize(Model& model, const Model& base, std::int64_t hidden)
{
    if (base.hidden_size <= 0 || base.attention_heads * hidden % base.hidden_size != 0)
        return false;
    model.hidden_size = hidden;
    model.attention_heads = base.attention_heads * hidden / base.hidden_size;
    const bool has_whole_groups = base.kv_heads * hidden % base.hidden_size == 0;
    model.kv_heads = has_whole_groups ? base.kv_heads * hidden / base.hidden_size : base.kv_heads;
    model.ffn_hidden_size = base.ffn_hidden_size * hidden / base.hidden_size;
    model.experts.ffn_hidden_size = base.experts.ffn_hidden_size * hidden / base.hidden_size;
    const std::int64_t recurrences = base.recurrence.heads * hidden;
    if (recurrences % base.hidden_size != 0)
        return false;
    model.recurrence.heads = recurrences / base.hidden_size;
    return model.attention_heads > 0
           && (base.recurrence.heads == 0 || model.recurrence.heads >= base.recurrence.key_groups);
}

void setPrecision(Scenario& scenario, const Scenario& base, Precision precision)
{
    scenario.training.precision = precision;
    scenario.training.gradient_bytes = precision == base.training.precision
                                           ? base.training.gradient_bytes
                                           : gradientBytesThere(base, base.conventions.framework, precision);
    scenario.training.master_bytes = masterBytesThere(base.training, precision);
}

void slowLinks(Cluster& cluster, double times)
{
    cluster.intra_node.bandwidth_GBps /= times;
    cluster.inter_node.bandwidth_GBps /= times;
    for (std::optional<double>* given :
         {&cluster.effective.tp_GBps, &cluster.effective.pp_GBps, &cluster.effective.dp_GBps})
        if (*given)
            **given /= times;
}

// What more than one axis moves, or what follows from another's value.
void takeSharedFigures(Scenario& scenario, const Scenario& base)
{
    scenario.parallel.schedule = base.parallel.schedule;
    scenario.parallel.expert = base.parallel.expert;
    scenario.parallel.virtual_stages = base.parallel.virtual_stages;
    scenario.training.recompute = base.training.recompute;
    scenario.training.recompute_layers = base.training.recompute_layers;
    scenario.training.recompute_modules = base.training.recompute_modules;
    scenario.cluster.intra_node.bandwidth_GBps = base.cluster.intra_node.bandwidth_GBps;
    scenario.cluster.node_wiring = base.cluster.node_wiring;
    scenario.cluster.inter_node.bandwidth_GBps = base.cluster.inter_node.bandwidth_GBps;
    scenario.cluster.effective = base.cluster.effective;
}

Misfit setOfModel(Scenario& scenario, const Scenario& base, const AxisValue& place)
{
    switch (place.axis) {
    case SweepAxis::micro_batch_size:
        scenario.training.micro_batch_size = place.whole();
        break;
    case SweepAxis::global_batch_size:
        scenario.training.global_batch_size = place.whole();
        break;
    case SweepAxis::sequence_length:
        scenario.model.sequence_length = place.whole();
        break;
    case SweepAxis::hidden_size:
        return setHiddenSize(scenario.model, base.model, place.whole()) ? Misfit::none : Misfit::heads;
    case SweepAxis::layers:
        scenario.model.layers = place.whole();
        break;
    case SweepAxis::precision:
        setPrecision(scenario, base, static_cast<Precision>(place.whole()));
        break;
    default:
        break;
    }
    return Misfit::none;
}

// All of a stage's are 0 in a file.
void recomputeLayers(Scenario& scenario, const Scenario& base, std::int64_t layers)
{
    Training& training = scenario.training;
    const bool are_all = layers >= layersOfVirtualStage(scenario);
    training.recompute_layers = are_all ? 0 : layers;
    if (layers > 0) {
        training.recompute = Recompute::full;
        if (base.training.recompute == Recompute::selective)
            training.recompute_modules.clear(); // of the place where no layer is whole
    } else if (base.training.recompute == Recompute::full)
        training.recompute = Recompute::none;
}

void setOfCluster(Cluster& cluster, const Cluster& base, const AxisValue& place)
{
    switch (place.axis) {
    case SweepAxis::network_bandwidth:
        cluster.inter_node.bandwidth_GBps = place.value;
        break;
    case SweepAxis::node_bandwidth:
        cluster.intra_node.bandwidth_GBps = place.value;
        break;
    case SweepAxis::flop_vs_bandwidth:
        cluster.peak_tflops = base.peak_tflops * place.value;
        cluster.memory_bandwidth_GBps = base.memory_bandwidth_GBps * place.value;
        break;
    case SweepAxis::in_network_reduction:
        cluster.in_network_reduction = place.value != 0.0;
        break;
    default:
        break;
    }
}

void setOfLayout(Parallel& parallel, const Parallel& base, const AxisValue& place)
{
    const std::int64_t value = place.whole();
    switch (place.axis) {
    case SweepAxis::pipeline:
        parallel.pipeline = value;
        break;
    case SweepAxis::tensor:
        parallel.tensor = value;
        break;
    case SweepAxis::tensor_for_pipeline:
        parallel.tensor = value;
        parallel.pipeline = base.pipeline * base.tensor / std::max<std::int64_t>(1, value);
        break;
    case SweepAxis::context:
        parallel.context = value;
        break;
    case SweepAxis::expert:
        parallel.expert = value;
        break;
    case SweepAxis::zero_stage:
        parallel.zero_stage = static_cast<int>(value);
        break;
    case SweepAxis::schedule:
        setSchedule(parallel, static_cast<Schedule>(value));
        break;
    default:
        break;
    }
}

// One stage has no schedule to choose. A split by hand holds where as many layers are cut into as many parts.
void setStages(Scenario& scenario, const Scenario& base)
{
    Parallel& parallel = scenario.parallel;
    const bool is_now_single = parallel.pipeline == 1 && base.parallel.pipeline != 1;
    if (is_now_single && parallel.schedule != Schedule::gpipe)
        setSchedule(parallel, Schedule::one_f_one_b);
    if (scenario.model.layers == base.model.layers && parallel.pipeline == base.parallel.pipeline
        && parallel.virtual_stages == base.parallel.virtual_stages)
        parallel.stage_layers = base.parallel.stage_layers;
    else
        parallel.stage_layers.clear();
}

// The base's groups of micro-batches, where these fill them.
void keepGroup(Scenario& scenario, const Scenario& base)
{
    Parallel& parallel = scenario.parallel;
    parallel.micro_batch_group = base.parallel.micro_batch_group;
    if (parallel.micro_batch_group > 0
        && !fillGroups(parallel, scenario.conventions.framework, scenario.microBatches()))
        parallel.micro_batch_group = 0;
}

// Where replicas give way, the ranks that share experts do too, to the most that they leave.
void shareExperts(Parallel& parallel, std::span<const AxisValue> place)
{
    if (std::ranges::find(place, SweepAxis::expert, &AxisValue::axis) == place.end())
        parallel.expert = std::gcd(parallel.expert, parallel.expertRanks());
}

bool movesData(SweepAxis axis)
{
    return setsGpus(axis) || axis == SweepAxis::pipeline || axis == SweepAxis::tensor
           || axis == SweepAxis::tensor_for_pipeline || axis == SweepAxis::context;
}

} // namespace

Misfit setPlace(Scenario& scenario, const Scenario& base, std::span<const AxisValue> place)
{
    auto gpus = base.worldSize();
    bool data_moves = false;
    bool batch_follows = false;
    std::int64_t batch = base.training.global_batch_size;
    double slower = 1.0;
    takeSharedFigures(scenario, base);
    for (const AxisValue& each : place) {
        setOfLayout(scenario.parallel, base.parallel, each);
        setOfCluster(scenario.cluster, base.cluster, each);
        if (const Misfit misfit = setOfModel(scenario, base, each); misfit != Misfit::none)
            return misfit;
        if (setsGpus(each.axis))
            gpus = each.whole();
        if (each.axis == SweepAxis::global_batch_size)
            batch = each.whole();
        data_moves = data_moves || movesData(each.axis);
        batch_follows = batch_follows || each.axis == SweepAxis::gpus_weak;
        slower *= each.axis == SweepAxis::slower_links ? each.value : 1.0;
    }
    slowLinks(scenario.cluster, slower);
    keepWiring(scenario.cluster, base.cluster);
    setStages(scenario, base);
    if (const auto again = std::ranges::find(place, SweepAxis::recomputed_layers, &AxisValue::axis);
        again != place.end())
        recomputeLayers(scenario, base, again->whole());
    if (data_moves) {
        const Parallel& parallel = scenario.parallel;
        const std::int64_t others = parallel.pipeline * parallel.tensor * parallel.context;
        if (others <= 0 || gpus % others != 0)
            return Misfit::gpus;
        scenario.parallel.data = gpus / others;
        shareExperts(scenario.parallel, place);
    }
    scenario.conventions = conventionsThere(base, scenario);
    if (batch_follows && batch * gpus % base.worldSize() != 0)
        return Misfit::batch;
    if (batch_follows)
        scenario.training.global_batch_size = batch * gpus / base.worldSize();
    keepGroup(scenario, base);
    return Misfit::none;
}

std::string misfitSentence(Misfit misfit, const Scenario& scenario)
{
    const Parallel& parallel = scenario.parallel;
    switch (misfit) {
    case Misfit::gpus:
        return "the GPUs do not divide by pipeline * tensor * context (" + std::to_string(parallel.pipeline)
               + " * " + std::to_string(parallel.tensor) + " * " + std::to_string(parallel.context) + ")";
    case Misfit::heads:
        return "no whole number of heads of the same size fills that hidden_size";
    case Misfit::batch:
        return "no whole number of sequences leaves each GPU the work that it has";
    case Misfit::none:
        break;
    }
    return {};
}

} // namespace shardscope
