#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Where the figure of a key came from ("hidden_size": "Brown et al. 2020, Table 2.1").
struct FigureSource {
    std::string key;
    std::string source;
};

// A model that ships, or that the user has saved.
struct ModelPreset {
    std::string name;  // "gpt-3b": the word of the scenario file and the file's name
    std::string title; // "GPT 3B (Li et al. 2024)"
    Model model;
    std::vector<FigureSource> sources;
    bool is_own = false; // the user has saved it
};

// A cluster likewise.
struct ClusterPreset {
    std::string name;
    std::string title;
    Cluster cluster;
    std::vector<FigureSource> sources;
    // Names of GPUs whose usual system this is, as they begin: "A100", "NVIDIA A100".
    std::vector<std::string> usual_for;
    // The kind of network that it is their usual system on ("omnipath"); empty: on any other.
    std::string usual_network;
    bool is_own = false; // the user has saved it
    // Keys that nobody has published; `cluster` holds a default for each ("inter_node.bandwidth_GBps").
    std::vector<std::string> missing;
};

// What one type of GPU reaches of its data sheet, whatever system it stands in.
struct GpuPreset {
    std::string name;
    std::string title;
    std::vector<std::string> names; // as they begin: "A100", "NVIDIA A100"
    ComputeLaw compute;
    std::vector<FigureSource> sources;
};

// The presets of a folder with gpus/*.json, models/*.json and clusters/*.json, by name, and time_errors.json.
// Immutable once loaded.
class Presets
{
public:
    // Reads every preset of the folder; a file that cannot be read or is wrong is left out and told in
    // problems(). Error: the folder cannot be read.
    static Result<Presets> load(const std::filesystem::path& folder);

    // Adds the user's own models and clusters from a folder that need not exist. One with the name of a
    // preset that is there is left out and told in problems(); own clusters are nobody's usual system.
    void addOwn(const std::filesystem::path& folder);

    const std::vector<GpuPreset>& gpus() const { return m_gpus; }
    const std::vector<ModelPreset>& models() const { return m_models; }
    const std::vector<ClusterPreset>& clusters() const { return m_clusters; }
    // One sentence for each file that was left out, with its name.
    const std::vector<std::string>& problems() const { return m_problems; }
    // The law of a GPU that no preset knows.
    const ComputeLaw& unknownGpu() const { return m_unknown_gpu; }
    const ModelPreset* model(std::string_view name) const;
    const ClusterPreset* cluster(std::string_view name) const;
    // The type of a GPU: the one with the longest of all `names` that `name` begins with, whatever the case
    // of the letters; or nothing.
    const GpuPreset* gpu(std::string_view name) const;
    // The usual system of a GPU: the cluster with the longest of all `usual_for` that `gpu` begins with,
    // whatever the case of the letters ("A100-SXM4 (memory size not stated)"); or nothing. Of equally
    // long ones that of the kind of network counts.
    const ClusterPreset* clusterOfGpu(std::string_view gpu, std::string_view network = {}) const;
    // The usual system of a GPU of the same type: that of the A100 for "A800"; or nothing.
    const ClusterPreset* clusterOfSameType(std::string_view gpu) const;

private:
    void readTimeErrors(const std::filesystem::path& file);

    ComputeLaw m_unknown_gpu;
    std::vector<GpuPreset> m_gpus;
    std::vector<ModelPreset> m_models;
    std::vector<ClusterPreset> m_clusters;
    std::vector<std::string> m_problems;
};

// A cluster in a file of its own, of the form of those that ship and that the window saves: named after the
// file, its GPU's constants those of the presets.
Result<ClusterPreset> readClusterPreset(const std::filesystem::path& file, const Presets& presets);

} // namespace shardscope
