#include "core/sweep/sweep_axis.h"

#include "core/base/format.h"
#include "core/base/lower_case.h"
#include "core/prediction/model/recomputation.h"
#include "core/scenario/schedule_title.h"
#include "core/scenario/words.h"

#include <array>
#include <charconv>
#include <cmath>
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
    {"expert", "experts e", "expert ranks e (the GPUs stay)"},
    {"zero_stage", "ZeRO stage", "ZeRO stage"},
    {"schedule", "schedule", "pipeline schedule"},
    {"micro_batch_size", "micro-batch b", "micro-batch b (sequences)"},
    {"global_batch_size", "global batch", "global batch (sequences)"},
    {"sequence_length", "sequence length s", "sequence length s (tokens)"},
    {"hidden_size", "hidden size h", "hidden size h"},
    {"layers", "layers l", "layers l"},
    {"recomputed_layers", "recomputed layers", "recomputed layers of each stage, or virtual stage"},
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

double ownValueOfCluster(const Cluster& cluster, SweepAxis axis)
{
    switch (axis) {
    case SweepAxis::network_bandwidth:
        return cluster.inter_node.bandwidth_GBps;
    case SweepAxis::node_bandwidth:
        return cluster.intra_node.bandwidth_GBps;
    case SweepAxis::in_network_reduction:
        return cluster.in_network_reduction ? 1.0 : 0.0;
    default: // times what it is
        return 1.0;
    }
}

} // namespace

std::int64_t AxisValue::whole() const
{
    return shardscope::whole(value);
}

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
    case SweepAxis::expert:
        return number(scenario.parallel.expert);
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
    case SweepAxis::recomputed_layers:
        return number(wholeLayersAgain(scenario.training, layersOfVirtualStage(scenario)));
    case SweepAxis::precision:
        return number(static_cast<int>(scenario.training.precision));
    default:
        return ownValueOfCluster(scenario.cluster, axis);
    }
}

bool isNamed(SweepAxis axis)
{
    return axis == SweepAxis::zero_stage || axis == SweepAxis::schedule || axis == SweepAxis::precision
           || axis == SweepAxis::in_network_reduction;
}

bool isContinuous(SweepAxis axis)
{
    return axis == SweepAxis::network_bandwidth || axis == SweepAxis::node_bandwidth
           || axis == SweepAxis::flop_vs_bandwidth || axis == SweepAxis::slower_links;
}

bool setsGpus(SweepAxis axis)
{
    return axis == SweepAxis::gpus_strong || axis == SweepAxis::gpus_weak;
}

bool setTheSame(SweepAxis one, SweepAxis other)
{
    return one == other || (setsGpus(one) && setsGpus(other));
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
        return namedValue<Schedule>(axis, inLowerCase(text)); // axisText() writes titles
    if (axis == SweepAxis::precision)
        return namedValue<Precision>(axis, text);
    constexpr double largest = 1e12;
    const bool is_continuous = isContinuous(axis);
    const bool may_be_0 = axis == SweepAxis::zero_stage || axis == SweepAxis::in_network_reduction
                          || axis == SweepAxis::recomputed_layers;
    // As axisText() writes lengths.
    const bool is_length = axis == SweepAxis::sequence_length || axis == SweepAxis::hidden_size;
    const bool is_in_1024 = is_length && (text.ends_with('K') || text.ends_with('k'));
    const std::string_view number = text.substr(0, text.size() - (is_in_1024 ? 1 : 0));
    double value = 0.0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
    value *= is_in_1024 ? 1024.0 : 1.0;
    const bool is_number = problem == std::errc{} && end == number.data() + number.size() && value <= largest
                           && (value > 0.0 || (may_be_0 && value == 0.0));
    if (!is_number || (!is_continuous && value != std::floor(value)))
        return Error{"\"" + std::string{text} + "\" cannot be a value of \"" + axisName(axis)
                     + "\", which takes "
                     + (is_continuous ? "numbers above 0"
                        : may_be_0    ? "whole numbers from 0 on"
                                      : "whole numbers above 0")};
    return value;
}

std::string axisText(SweepAxis axis, double value)
{
    switch (axis) {
    case SweepAxis::zero_stage:
        return "ZeRO " + std::to_string(whole(value));
    case SweepAxis::schedule:
        return std::string{titleOf(static_cast<Schedule>(whole(value)))};
    case SweepAxis::precision:
        return std::string{word(static_cast<Precision>(whole(value)))};
    case SweepAxis::in_network_reduction:
        return value != 0.0 ? "in the switches" : "by the GPUs";
    case SweepAxis::network_bandwidth:
    case SweepAxis::node_bandwidth:
        return formatPlain(value, 4);
    case SweepAxis::flop_vs_bandwidth:
    case SweepAxis::slower_links:
        return formatPlain(value, 4) + "x";
    case SweepAxis::sequence_length:
    case SweepAxis::hidden_size:
        return lengthText(value);
    default:
        break;
    }
    return std::to_string(whole(value));
}

std::string axisPhrase(SweepAxis axis, double value)
{
    const std::string text = axisText(axis, value);
    if (setsGpus(axis))
        return text + " GPUs";
    return isNamed(axis) ? text : axisName(axis) + ' ' + text;
}

} // namespace shardscope
