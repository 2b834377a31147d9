#include "core/report/unusual_figures.h"

#include "core/base/format.h"
#include "core/report/scenario_words.h"
#include "core/scenario/defaults.h"
#include "core/scenario/optimizer_states.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace shardscope
{

namespace
{

struct UnitOfKey {
    std::string_view ending;
    const char* unit;
};
constexpr std::array units{UnitOfKey{"_us", " µs"}, UnitOfKey{"_GBps", " GB/s"}, UnitOfKey{"_GB", " GB"},
                           UnitOfKey{"_tflops", " TFLOP/s"}, UnitOfKey{"_bytes", " B"}};

template<class T>
std::string valueText(const T& value)
{
    if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else if constexpr (std::is_same_v<T, double>)
        return formatPlain(value, 6);
    else if constexpr (std::is_same_v<T, std::optional<double>>)
        return value ? formatPlain(*value, 6) : std::string{"derived"};
    else if constexpr (std::is_same_v<T, std::string>)
        return value;
    else
        return std::string{word(value)};
}

// "inter node latency 30 µs" of inter_node.latency_us.
template<class T>
std::string phrase(std::string key, const T& value)
{
    std::string unit;
    for (const UnitOfKey& each : units)
        if (key.ends_with(each.ending)) {
            key.resize(key.size() - each.ending.size());
            unit = each.unit;
        }
    std::ranges::replace(key, '_', ' ');
    if constexpr (std::is_same_v<T, bool>)
        return value ? key : "no " + key;
    else
        return key + ' ' + valueText(value) + unit;
}

// A visitor of Fields: a text for each key that is not in `told`.
struct UnusualFields {
    std::span<const std::string_view> told;
    std::string section = {};
    std::vector<std::string> texts = {};

    template<class T>
    void operator()(std::string_view key, const T& now, const T& usual)
    {
        if (std::ranges::find(told, key) != told.end())
            return;
        if constexpr (HasFields<T>) {
            const std::string outer = section;
            section = std::string{key} + '_';
            Fields<T>::visit(*this, now, usual);
            section = outer;
        } else {
            texts.push_back(now == usual ? std::string{} : phrase(section + std::string{key}, now));
        }
    }
};

// A calibration fits many at once: a few are named, more are counted.
std::string lawsText(const Cluster& cluster, const Cluster& usual)
{
    static constexpr std::array<std::string_view, 7> bands{
        "fitted",        "time_error",         "time_error_small", "time_error_fp8", "time_error_unlike",
        "time_error_li", "time_error_li_small"};
    constexpr std::size_t most_named = 3;
    UnusualFields laws{bands};
    Fields<ComputeLaw>::visit(laws, cluster.compute, usual.compute);
    Fields<CollectiveLaw>::visit(laws, cluster.collectives, usual.collectives);
    std::erase(laws.texts, std::string{});
    if (laws.texts.size() > most_named)
        return std::to_string(laws.texts.size()) + " other constants of its time laws";
    std::string text;
    for (const std::string& each : laws.texts)
        text += (text.empty() ? "" : ", ") + each;
    return text;
}

// "links of 200 GB/s a GPU in a node (nvlink4)".
std::string nodeLinkText(const Link& link, const Link& usual)
{
    if (link.kind == usual.kind && link.bandwidth_GBps == usual.bandwidth_GBps
        && link.bandwidth_of == usual.bandwidth_of)
        return {};
    return formatPlain(link.bandwidth_GBps, 6) + " GB/s a " + bandwidthOwnerWord(link.bandwidth_of)
           + " in a node" + (link.kind.empty() ? std::string{} : " (" + link.kind + ')');
}

// "no copy of the weights", "a copy of the weights of 2 B": as the optimizer has it.
std::string copyText(const Training& training)
{
    const int bytes = masterBytes(training);
    if (training.optimizer == Optimizer::none || bytes == defaultMasterBytes(training.precision))
        return {};
    return bytes == 0 ? "no copy of the weights" : "a copy of the weights of " + std::to_string(bytes) + " B";
}

// "moments of 2 B", "moments of 2 and 1 B".
std::string momentsText(const Training& training)
{
    const bool is_adam = training.optimizer == Optimizer::adam;
    const int first = training.exp_avg_bytes;
    const int second = is_adam ? training.exp_avg_sq_bytes : first;
    const bool is_usual = first == default_moment_bytes && second == default_moment_bytes;
    if (training.optimizer == Optimizer::none || is_usual)
        return {};
    return (is_adam ? "moments of " : "a momentum of ") + std::to_string(first)
           + (first == second ? "" : " and " + std::to_string(second)) + " B";
}

} // namespace

std::vector<std::string> unusualTraining(const Scenario& scenario)
{
    const Training& training = scenario.training;
    const int usual = defaultGradientBytes(scenario.conventions.framework, training.precision);
    const bool is_flash = training.flash_attention;
    const bool is_usual_attention =
        is_flash == defaultFlashAttention(scenario.model) || scenario.model.kind == ModelKind::parameter_list;
    return {training.gradient_bytes == usual
                ? ""
                : "gradients of " + std::to_string(training.gradient_bytes) + " B",
            training.optimizer == Optimizer::none   ? "no optimizer"
            : training.optimizer != Optimizer::adam ? std::string{word(training.optimizer)}
                                                    : "",
            copyText(training),
            momentsText(training),
            training.offload == Offload::optimizer ? "optimizer in the host's memory" : "",
            is_usual_attention ? ""
            : is_flash         ? "fused attention"
                               : "attention that is not fused",
            training.causal_flops ? "half of attention counted" : ""};
}

std::vector<std::string> unusualConventions(const Scenario& scenario)
{
    static constexpr std::array<std::string_view, 1> told{"framework"};
    const Conventions& now = scenario.conventions;
    UnusualFields unusual{told};
    unusual.texts.push_back(now.framework == Framework::megatron ? "" : std::string{word(now.framework)});
    const Conventions usual =
        defaultConventions(now.framework, scenario.model, scenario.training, scenario.parallel);
    Fields<Conventions>::visit(unusual, now, usual);
    return unusual.texts;
}

std::string podsText(const Cluster& cluster)
{
    if (cluster.nodes_per_pod == 0 || cluster.oversubscription == 1.0)
        return {};
    return "pods of " + std::to_string(cluster.nodes_per_pod)
           + " nodes, oversubscribed 1:" + formatPlain(cluster.oversubscription, 6);
}

std::vector<std::string> unusualCluster(const Scenario& scenario, const Cluster& usual)
{
    const Cluster& cluster = scenario.cluster;
    const bool is_li = scenario.time_model == TimeModel::li;
    static constexpr std::array<std::string_view, 16> told{
        "preset",          "gpu",         "gpus_per_node",  "nics_per_node",   "intra_node",
        "inter_node",      "mu",          "fitted_mu",      "effective_GBps",  "in_network_reduction",
        "compute",         "collectives", "few_node_trees", "launch_blocking", "nodes_per_pod",
        "oversubscription"};
    UnusualFields unusual{told};
    Fields<Cluster>::visit(unusual, cluster, usual);
    const Link& network = cluster.inter_node;
    const auto latency = [](const char* key, double now, double before) {
        return now == before ? std::string{} : phrase(key, now);
    };
    unusual.texts.push_back(nodeLinkText(cluster.intra_node, usual.intra_node));
    unusual.texts.push_back(
        latency("intra_node_latency_us", cluster.intra_node.latency_us, usual.intra_node.latency_us));
    unusual.texts.push_back(
        latency("inter_node_latency_us", network.latency_us, usual.inter_node.latency_us));
    unusual.texts.push_back(cluster.in_network_reduction ? "in-network reduction" : "");
    unusual.texts.push_back(is_li ? "" : podsText(cluster));
    unusual.texts.push_back(cluster.few_node_trees && !is_li ? "trees on 2 and 3 nodes" : "");
    unusual.texts.push_back(is_li                     ? ""
                            : cluster.launch_blocking ? "kernels started one by one"
                            : usual.launch_blocking   ? "kernels queued"
                                                      : "");
    unusual.texts.push_back(is_li && cluster.mu != usual.mu ? phrase("mu", cluster.mu) : "");
    for (const auto& [name, speed] :
         {std::pair{"C_TP", cluster.effective.tp_GBps}, std::pair{"C_PP", cluster.effective.pp_GBps},
          std::pair{"C_DP", cluster.effective.dp_GBps}})
        unusual.texts.push_back(is_li && speed ? name + (' ' + formatPlain(*speed, 6)) + " GB/s" : "");
    unusual.texts.push_back(is_li ? "" : lawsText(cluster, usual));
    return unusual.texts;
}

} // namespace shardscope
