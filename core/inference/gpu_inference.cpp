#include "core/inference/gpu_inference.h"

#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace shardscope
{

namespace
{

// "NVIDIA A100-SXM4-80GB" is known as "A100-SXM4-80GB".
std::string_view withoutMaker(std::string_view name)
{
    constexpr std::array<std::string_view, 4> makers{"NVIDIA ", "Tesla ", "AMD ", "Instinct "};
    for (const std::string_view maker : makers)
        if (name.starts_with(maker))
            name.remove_prefix(maker.size());
    return name;
}

// What all files that tell it agree on; empty: nothing.
std::string gpuOf(const TraceSet& traces)
{
    std::set<std::string_view> names;
    for (const TraceFile& file : traces.files)
        if (!file.gpu.empty())
            names.insert(withoutMaker(file.gpu));
    return names.size() == 1 ? std::string{*names.begin()} : std::string{};
}

bool haveSameGpu(const Presets& presets, const Cluster& a, const Cluster& b)
{
    return presets.gpu(a.gpu) == presets.gpu(b.gpu) && a.memory_GB == b.memory_GB;
}

} // namespace

ClusterInference inferCluster(const TraceSet& traces, const Presets& presets, const Cluster& assumed)
{
    const auto stays = [&](double confidence, std::string evidence) {
        return ClusterInference{assumed, {"cluster.gpu", assumed.gpu, confidence, std::move(evidence)}};
    };
    const std::string gpu = gpuOf(traces);
    if (gpu.empty())
        return stays(confidence::assumed, "nothing in the traces tells it");
    const auto usual = readScenario(nlohmann::json{{"cluster", {{"gpu", gpu}}}}.dump(), presets);
    if (!usual || presets.gpu(gpu) == nullptr)
        return stays(confidence::assumed, "the traces are of " + gpu + ", whose figures are not known");
    const std::string named = "the profiler names " + gpu;
    const Cluster& cluster = usual.value().scenario.cluster;
    if (haveSameGpu(presets, cluster, assumed))
        return stays(confidence::told, named);
    return {cluster, {"cluster.gpu", gpu, confidence::told, named + "; its usual links are assumed"}};
}

} // namespace shardscope
