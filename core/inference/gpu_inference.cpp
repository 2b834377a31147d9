#include "core/inference/gpu_inference.h"

#include "core/scenario/gpu_name.h"
#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

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

struct Gpu {
    std::string name;
    std::int64_t memory_bytes = 0;
    auto operator<=>(const Gpu&) const = default;
};

// What all files that tell it agree on; nothing: none does.
Gpu gpuOf(const TraceSet& traces)
{
    std::set<Gpu> gpus;
    for (const TraceFile& file : traces.files)
        if (!file.gpu.empty())
            gpus.insert({std::string{withoutMaker(file.gpu)}, file.gpu_memory_bytes});
    return gpus.size() == 1 ? *gpus.begin() : Gpu{};
}

// A program can have a little less than a GPU has, of 40 GiB 39.4; makers count whole ones.
bool isMemoryOf(const Cluster& cluster, double told_GiB)
{
    constexpr double least_share = 0.95;
    return told_GiB <= cluster.memory_GB && told_GiB >= least_share * cluster.memory_GB;
}

// Processes whose messages all go by gloo and that give no GPU anything to do. A profile of the processor
// alone has NCCL's calls.
bool runsOnProcessors(const TraceSet& traces)
{
    bool has_gloo = false;
    for (const TraceFile& file : traces.files) {
        if (!file.store)
            continue;
        const NameTable& names = file.store->names();
        const auto is_by = [&](std::string_view backend) {
            return [&names, backend](const CollectiveCall& call) {
                return names.text(call.name).starts_with(backend);
            };
        };
        if (std::ranges::any_of(file.store->tracks(), &Track::is_gpu)
            || std::ranges::any_of(file.store->collectives(), is_by("nccl:")))
            return false;
        has_gloo = has_gloo || std::ranges::any_of(file.store->collectives(), is_by("gloo:"));
    }
    return has_gloo;
}

// The preset that stands for them has no measured figure: times are marked as no predictions.
std::optional<ClusterInference> inferProcessors(const TraceSet& traces, const Presets& presets,
                                                const Cluster& assumed)
{
    const ClusterPreset* processors = presets.cluster("gloo-two-cores");
    if (processors == nullptr || !runsOnProcessors(traces))
        return std::nullopt;
    const bool stays = assumed.gpu.starts_with("CPU");
    const Cluster& cluster = stays ? assumed : processors->cluster;
    ClusterInference found{
        cluster,
        {"cluster.gpu", cluster.gpu, confidence::told, "messages go by gloo, and no GPU has anything to do"}};
    if (!cluster.calibrated)
        found.notes.emplace_back("Predicted times say nothing: nobody has measured these processors.");
    return found;
}

Result<ClusterReading> systemOf(const Gpu& gpu, const Presets& presets)
{
    nlohmann::json cluster{{"gpu", gpu.name}};
    auto reading = readCluster(cluster.dump(), presets);
    const double told_GiB =
        static_cast<double>(gpu.memory_bytes) / static_cast<double>(std::int64_t{1} << 30);
    if (!reading || gpu.memory_bytes == 0 || isMemoryOf(reading.value().cluster, told_GiB))
        return reading;
    cluster["memory_GB"] = std::ceil(told_GiB);
    return readCluster(cluster.dump(), presets);
}

// What the GPU is, or how many of them a node has: the rest is of its usual links.
bool isOfGpus(const ClusterAssumption& assumption)
{
    return assumption.key == "gpu" || assumption.key == "gpus_per_node";
}

bool haveSameGpu(const Presets& presets, const Cluster& a, const Cluster& b)
{
    return presets.gpu(a.gpu) == presets.gpu(b.gpu) && a.memory_GB == b.memory_GB
           && !isOtherForm(a.gpu, b.gpu);
}

} // namespace

ClusterInference inferCluster(const TraceSet& traces, const Presets& presets, const Cluster& assumed)
{
    const auto stays = [&](double confidence, std::string evidence) {
        return ClusterInference{assumed, {"cluster.gpu", assumed.gpu, confidence, std::move(evidence)}};
    };
    const Gpu gpu = gpuOf(traces);
    if (auto processors = inferProcessors(traces, presets, assumed); processors && gpu.name.empty())
        return *std::move(processors);
    if (gpu.name.empty())
        return stays(confidence::assumed, "nothing in the traces tells it");
    const auto usual = systemOf(gpu, presets);
    if (!usual || presets.gpu(gpu.name) == nullptr)
        return stays(confidence::assumed, "the traces are of " + gpu.name + ", whose figures are not known");
    const std::string named = "the profiler names " + gpu.name;
    const Cluster& cluster = usual.value().cluster;
    if (haveSameGpu(presets, cluster, assumed))
        return stays(confidence::told, named);
    ClusterInference found{cluster, {"cluster.gpu", gpu.name, confidence::told, named}};
    found.finding.evidence += "; its usual links are assumed";
    for (const ClusterAssumption& one : usual.value().assumptions)
        if (isOfGpus(one))
            found.notes.push_back(one.sentence);
    if (!found.notes.empty())
        found.finding.confidence = confidence::likeliest;
    return found;
}

} // namespace shardscope
