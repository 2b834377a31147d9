#include "core/sweep/sweep_axis.h"

#include "core/base/format.h"
#include "core/scenario/defaults.h"
#include "core/scenario/node_wiring.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace shardscope
{

namespace
{

struct AxisWords {
    std::string_view key;
    std::string_view name;
    std::string_view title; // with the unit, or what gives way
};

constexpr std::array<AxisWords, sweep_axis_count> axis_words{{
    {"gpus", "GPUs, same batch", "GPUs (more replicas, the same global batch)"},
    {"gpus", "GPUs, larger batch", "GPUs (more replicas, each with the same work)"},
    {"pipeline", "pipeline p", "pipeline stages p (the GPUs stay, data gives way)"},
    {"tensor", "tensor t", "tensor ranks t (the GPUs stay, data gives way)"},
    {"tensor", "tensor t for pipeline", "tensor ranks t (the GPUs stay, pipeline gives way)"},
    {"context", "context c", "context ranks c (the GPUs stay, data gives way)"},
    {"zero_stage", "ZeRO stage", "ZeRO stage"},
    {"schedule", "schedule", "pipeline schedule"},
    {"micro_batch_size", "micro-batch b", "micro-batch b (sequences)"},
    {"global_batch_size", "global batch", "global batch (sequences)"},
    {"sequence_length", "sequence length s", "sequence length s (tokens)"},
    {"hidden_size", "hidden size h", "hidden size h"},
    {"layers", "layers l", "layers l"},
    {"precision", "number format", "number format"},
    {"network_GBps", "network GB/s", "network bandwidth (GB/s)"},
    {"node_GBps", "node links GB/s", "bandwidth inside a node (GB/s)"},
    {"flop_vs_bandwidth", "compute against network", "compute against network (times today's)"},
    {"slower_links", "slower links", "links slower by"},
    {"in_network_reduction", "reduction", "reduction in the network"},
}};

const AxisWords& wordsOf(SweepAxis axis)
{
    return axis_words[static_cast<std::size_t>(axis)];
}

std::string brief(double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
}

// "4K" for multiples of 1,024.
std::string lengthText(double value)
{
    const auto whole = static_cast<std::int64_t>(std::llround(value));
    return whole >= 1024 && whole % 1024 == 0 ? std::to_string(whole / 1024) + "K" : std::to_string(whole);
}

std::int64_t whole(double value)
{
    return std::llround(value);
}

// Heads keep their size, so that there are more of them; the widths of the MLP and of its experts, and head
// counts, keep their ratios.
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
    return model.attention_heads > 0;
}

void setPrecision(Scenario& scenario, const Scenario& base, Precision precision)
{
    scenario.training.precision = precision;
    scenario.training.gradient_bytes = precision == base.training.precision
                                           ? base.training.gradient_bytes
                                           : gradientBytesThere(base, base.conventions.framework, precision);
}

void setSchedule(Parallel& parallel, const Parallel& base, Schedule schedule)
{
    parallel.schedule = schedule;
    parallel.virtual_stages =
        schedule == Schedule::interleaved ? std::max<std::int64_t>(2, base.virtual_stages) : 1;
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
    scenario.parallel.virtual_stages = base.parallel.virtual_stages;
    scenario.cluster.intra_node.bandwidth_GBps = base.cluster.intra_node.bandwidth_GBps;
    scenario.cluster.node_wiring = base.cluster.node_wiring;
    scenario.cluster.inter_node.bandwidth_GBps = base.cluster.inter_node.bandwidth_GBps;
    scenario.cluster.effective = base.cluster.effective;
}

Misfit setOfModel(Scenario& scenario, const Scenario& base, const AxisValue& place)
{
    switch (place.axis) {
    case SweepAxis::micro_batch_size:
        scenario.training.micro_batch_size = whole(place.value);
        break;
    case SweepAxis::global_batch_size:
        scenario.training.global_batch_size = whole(place.value);
        break;
    case SweepAxis::sequence_length:
        scenario.model.sequence_length = whole(place.value);
        break;
    case SweepAxis::hidden_size:
        return setHiddenSize(scenario.model, base.model, whole(place.value)) ? Misfit::none : Misfit::heads;
    case SweepAxis::layers:
        scenario.model.layers = whole(place.value);
        break;
    case SweepAxis::precision:
        setPrecision(scenario, base, static_cast<Precision>(whole(place.value)));
        break;
    default:
        break;
    }
    return Misfit::none;
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
    const std::int64_t value = whole(place.value);
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
    case SweepAxis::zero_stage:
        parallel.zero_stage = static_cast<int>(value);
        break;
    case SweepAxis::schedule:
        setSchedule(parallel, base, static_cast<Schedule>(value));
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
        setSchedule(parallel, base.parallel, Schedule::one_f_one_b);
    if (scenario.model.layers == base.model.layers && parallel.pipeline == base.parallel.pipeline
        && parallel.virtual_stages == base.parallel.virtual_stages)
        parallel.stage_layers = base.parallel.stage_layers;
    else
        parallel.stage_layers.clear();
}

bool isOfGpus(SweepAxis axis)
{
    return axis == SweepAxis::gpus_strong || axis == SweepAxis::gpus_weak;
}

bool movesData(SweepAxis axis)
{
    return isOfGpus(axis) || axis == SweepAxis::pipeline || axis == SweepAxis::tensor
           || axis == SweepAxis::tensor_for_pipeline || axis == SweepAxis::context;
}

template<class Enum>
Result<double> namedValue(SweepAxis axis, std::string_view text)
{
    if (const std::optional<Enum> named = fromWord<Enum>(text))
        return static_cast<double>(*named);
    std::string known;
    for (const std::string_view one : words<Enum>())
        known += (known.empty() ? "" : ", ") + std::string{one};
    return Error{"\"" + std::string{text} + "\" is no " + axisName(axis) + "; there are " + known};
}

bool isMeasure(SweepAxis axis)
{
    return axis == SweepAxis::network_bandwidth || axis == SweepAxis::node_bandwidth
           || axis == SweepAxis::flop_vs_bandwidth || axis == SweepAxis::slower_links;
}

} // namespace

double ownValue(const Scenario& scenario, SweepAxis axis)
{
    const auto number = [](auto value) { return static_cast<double>(value); };
    switch (axis) {
    case SweepAxis::gpus_strong:
    case SweepAxis::gpus_weak:
        return number(scenario.worldSize());
    case SweepAxis::pipeline:
        return number(scenario.parallel.pipeline);
    case SweepAxis::tensor:
    case SweepAxis::tensor_for_pipeline:
        return number(scenario.parallel.tensor);
    case SweepAxis::context:
        return number(scenario.parallel.context);
    case SweepAxis::zero_stage:
        return number(scenario.parallel.zero_stage);
    case SweepAxis::schedule:
        return number(static_cast<int>(scenario.parallel.schedule));
    case SweepAxis::micro_batch_size:
        return number(scenario.training.micro_batch_size);
    case SweepAxis::global_batch_size:
        return number(scenario.training.global_batch_size);
    case SweepAxis::sequence_length:
        return number(scenario.model.sequence_length);
    case SweepAxis::hidden_size:
        return number(scenario.model.hidden_size);
    case SweepAxis::layers:
        return number(scenario.model.layers);
    case SweepAxis::precision:
        return number(static_cast<int>(scenario.training.precision));
    case SweepAxis::network_bandwidth:
        return scenario.cluster.inter_node.bandwidth_GBps;
    case SweepAxis::node_bandwidth:
        return scenario.cluster.intra_node.bandwidth_GBps;
    case SweepAxis::in_network_reduction:
        return scenario.cluster.in_network_reduction ? 1.0 : 0.0;
    case SweepAxis::flop_vs_bandwidth:
    case SweepAxis::slower_links:
        break;
    }
    return 1.0;
}

bool isNamed(SweepAxis axis)
{
    return axis == SweepAxis::zero_stage || axis == SweepAxis::schedule || axis == SweepAxis::precision
           || axis == SweepAxis::in_network_reduction;
}

std::string axisTitle(SweepAxis axis)
{
    return std::string{wordsOf(axis).title};
}

std::string axisName(SweepAxis axis)
{
    return std::string{wordsOf(axis).name};
}

std::string axisKey(SweepAxis axis)
{
    return std::string{wordsOf(axis).key};
}

Result<double> axisValue(SweepAxis axis, std::string_view text)
{
    if (axis == SweepAxis::schedule)
        return namedValue<Schedule>(axis, text);
    if (axis == SweepAxis::precision)
        return namedValue<Precision>(axis, text);
    constexpr double largest = 1e12;
    const bool is_measure = isMeasure(axis);
    const bool may_be_0 = axis == SweepAxis::zero_stage || axis == SweepAxis::in_network_reduction;
    double value = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = problem == std::errc{} && end == text.data() + text.size() && value <= largest
                           && (value > 0.0 || (may_be_0 && value == 0.0));
    if (!is_number || (!is_measure && value != std::floor(value)))
        return Error{"\"" + std::string{text} + "\" cannot be a value of \"" + axisName(axis)
                     + "\", which takes "
                     + (is_measure ? "numbers above 0"
                        : may_be_0 ? "whole numbers from 0 on"
                                   : "whole numbers above 0")};
    return value;
}

std::string axisText(SweepAxis axis, double value)
{
    switch (axis) {
    case SweepAxis::zero_stage:
        return "ZeRO " + std::to_string(whole(value));
    case SweepAxis::schedule:
        return std::string{word(static_cast<Schedule>(whole(value)))};
    case SweepAxis::precision:
        return std::string{word(static_cast<Precision>(whole(value)))};
    case SweepAxis::in_network_reduction:
        return value != 0.0 ? "in the switches" : "by the GPUs";
    case SweepAxis::network_bandwidth:
    case SweepAxis::node_bandwidth:
        return brief(value);
    case SweepAxis::flop_vs_bandwidth:
    case SweepAxis::slower_links:
        return brief(value) + "x";
    case SweepAxis::sequence_length:
    case SweepAxis::hidden_size:
        return lengthText(value);
    default:
        break;
    }
    return std::to_string(whole(value));
}

Misfit setPlace(Scenario& scenario, const Scenario& base, std::span<const AxisValue> place)
{
    auto gpus = base.worldSize();
    bool data_moves = false;
    bool batch_follows = false;
    double slower = 1.0;
    takeSharedFigures(scenario, base);
    for (const AxisValue& each : place) {
        setOfLayout(scenario.parallel, base.parallel, each);
        setOfCluster(scenario.cluster, base.cluster, each);
        if (const Misfit misfit = setOfModel(scenario, base, each); misfit != Misfit::none)
            return misfit;
        if (isOfGpus(each.axis))
            gpus = whole(each.value);
        data_moves = data_moves || movesData(each.axis);
        batch_follows = batch_follows || each.axis == SweepAxis::gpus_weak;
        slower *= each.axis == SweepAxis::slower_links ? each.value : 1.0;
    }
    slowLinks(scenario.cluster, slower);
    keepWiring(scenario.cluster, base.cluster);
    setStages(scenario, base);
    if (data_moves) {
        const Parallel& parallel = scenario.parallel;
        const std::int64_t others = parallel.pipeline * parallel.tensor * parallel.context;
        if (others <= 0 || gpus % others != 0)
            return Misfit::gpus;
        scenario.parallel.data = gpus / others;
    }
    scenario.conventions = conventionsThere(base, scenario.training, scenario.parallel);
    if (batch_follows)
        scenario.training.global_batch_size =
            base.microBatches() * scenario.training.micro_batch_size * scenario.parallel.data;
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
    case Misfit::none:
        break;
    }
    return {};
}

} // namespace shardscope
