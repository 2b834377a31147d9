#include "core/scenario/section_reader.h"

#include "core/collectives/link_law.h"
#include "core/scenario/figure_text.h"
#include "core/scenario/gpu_name.h"
#include "core/scenario/json_text.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

using nlohmann::json;

bool hasKey(const json& object, std::string_view path)
{
    const auto dot = path.find('.');
    const auto found = object.find(path.substr(0, dot));
    if (found == object.end() || found->is_null())
        return false;
    return dot == std::string_view::npos || hasKey(*found, path.substr(dot + 1));
}

// Where the figures come from that the file leaves out.
struct Base {
    Cluster cluster;
    std::string title;                // of the preset; empty: the defaults
    std::vector<std::string> missing; // keys that nobody has published
};

Base baseOf(const ClusterPreset& preset)
{
    return {preset.cluster, preset.title, preset.missing};
}

// What a GPU brings along, whatever system it stands in: its figures, and which of them are not known.
void takeGpu(Base& base, const ClusterPreset& from)
{
    constexpr std::array<std::string_view, 4> figures{"peak_tflops", "memory_GB", "memory_bandwidth_GBps",
                                                      "mu"};
    const auto is_of_gpu = [&](const std::string& key) {
        return std::ranges::find(figures, key) != figures.end();
    };
    base.cluster.peak_tflops = from.cluster.peak_tflops;
    base.cluster.memory_GB = from.cluster.memory_GB;
    base.cluster.memory_bandwidth_GBps = from.cluster.memory_bandwidth_GBps;
    base.cluster.mu = from.cluster.mu;
    base.cluster.fitted_mu = from.cluster.fitted_mu;
    std::erase_if(base.missing, is_of_gpu);
    std::ranges::copy_if(from.missing, std::back_inserter(base.missing), is_of_gpu);
}

class BaseFinder
{
public:
    BaseFinder(const json& object, ObjectReader& reader, const Presets& presets,
               std::vector<ClusterAssumption>& assumptions)
        : m_object{object}, m_reader{reader}, m_presets{presets}, m_assumptions{assumptions}
    {
        reader("preset", m_preset_name);
        reader("gpu", m_gpu);
    }

    Base find()
    {
        Base base;
        if (const ClusterPreset* usual = m_presets.cluster(default_cluster)) // with its bands
            base.cluster = usual->cluster;
        if (const ClusterPreset* preset = m_presets.cluster(m_preset_name))
            base = baseOf(*preset);
        else if (!m_preset_name.empty())
            refusePreset();
        if (!m_gpu.empty() && (base.title.empty() || base.cluster.gpu != m_gpu))
            applyGpu(base);
        return base;
    }

private:
    void applyGpu(Base& base)
    {
        const ClusterPreset* named = m_presets.clusterOfGpu(m_gpu, network());
        const ClusterPreset* usual = named != nullptr ? named : m_presets.clusterOfSameType(m_gpu);
        if (usual != nullptr && base.title.empty())
            base = baseOf(*usual);
        else if (usual != nullptr && usual->cluster.gpu != base.cluster.gpu)
            takeGpu(base, *usual);
        bool is_known = named != nullptr && !isOtherForm(m_gpu, usual->cluster.gpu);
        if (const auto memory_GB = memoryInName(m_gpu); memory_GB && *memory_GB != base.cluster.memory_GB) {
            base.cluster.memory_GB = *memory_GB;
            std::erase(base.missing, "memory_GB");
            is_known = false;
        }
        if (usual == nullptr || (!is_known && leavesFiguresOut()))
            m_assumptions.push_back(
                {"gpu",
                 "cluster.gpu: " + excerpt(m_gpu)
                     + " is not a known GPU; what the file leaves out, and its name does not say, is that of "
                     + (usual != nullptr ? usual->cluster.gpu : base.cluster.gpu)});
        if (base.cluster.launch_blocking && !hasKey(m_object, "launch_blocking"))
            m_assumptions.push_back({"launch_blocking", "cluster.launch_blocking is not said; true, as on "
                                                            + base.title
                                                            + "; false where kernels are queued"});
        base.cluster.gpu = m_gpu;
        const GpuPreset* gpu = m_presets.gpu(m_gpu);
        base.cluster.compute = gpu != nullptr ? gpu->compute : m_presets.unknownGpu();
    }

    // Its kind as the file says it; empty: it does not.
    std::string network() const
    {
        const auto link = m_object.find("inter_node");
        if (link == m_object.end() || !link->is_object())
            return {};
        const auto kind = link->find("kind");
        return kind != link->end() && kind->is_string() ? kind->get<std::string>() : std::string{};
    }

    // Of those that differ from one GPU to its relative.
    bool leavesFiguresOut() const
    {
        return !hasKey(m_object, "peak_tflops") || !hasKey(m_object, "memory_bandwidth_GBps")
               || !hasKey(m_object, "intra_node.bandwidth_GBps");
    }

    void refusePreset()
    {
        std::vector<std::string> names;
        for (const ClusterPreset& preset : m_presets.clusters())
            names.push_back(preset.name);
        const std::string nearest = nearestMachine(m_preset_name, names);
        m_reader.fail("preset", "is " + excerpt(m_preset_name)
                                    + (nearest.empty() ? ", but there are no presets; leave it out"
                                                       : ", which is not a known cluster; the nearest one is "
                                                             + nearest));
    }

    const json& m_object;
    ObjectReader& m_reader;
    const Presets& m_presets;
    std::vector<ClusterAssumption>& m_assumptions;
    std::string m_preset_name;
    std::string m_gpu;
};

void noteMissing(const json& object, const Base& base, const std::vector<std::string>& nulls,
                 std::vector<ClusterAssumption>& assumptions)
{
    std::vector<std::string> assumed = nulls;
    std::ranges::copy_if(base.missing, std::back_inserter(assumed), [&](const std::string& path) {
        return !hasKey(object, path) && std::ranges::find(nulls, path) == nulls.end();
    });
    for (const std::string& path : assumed)
        if (const std::string value = figureText(base.cluster, path); !value.empty())
            assumptions.push_back({path, "cluster." + path + " is not known"
                                             + (base.title.empty() ? "" : " for " + base.title) + "; " + value
                                             + " is assumed"});
}

// Links of another kind than the base's bring their kind's constants along; what the file says itself holds.
void readCollectiveLaw(const json& object, const std::string& path, const Cluster& base, Cluster& cluster,
                       std::string& failure)
{
    cluster.collectives = base.collectives;
    if (cluster.intra_node.kind != base.intra_node.kind)
        takeIntraLink(cluster.collectives, cluster.intra_node.kind);
    if (cluster.inter_node.kind != base.inter_node.kind)
        takeInterLink(cluster.collectives, cluster.inter_node.kind);
    // The two were found together: a file that has the one alone is older than the other.
    if (hasKey(object, "collectives.inter_efficiency") && !hasKey(object, "collectives.ring_adapters"))
        cluster.collectives.ring_adapters = 0.0;
    ObjectReader reader{object, path, failure, ObjectReader::Null::left_out};
    reader("collectives", cluster.collectives);
}

} // namespace

Cluster readClusterKeys(const json& object, const std::string& path, const Cluster& base,
                        std::vector<std::string>& nulls, std::string& failure)
{
    Cluster cluster = base;
    ObjectReader reader{object, path, failure, ObjectReader::Null::left_out};
    Fields<Cluster>::visit(reader, cluster);
    reader.refuseUnknownKeys();
    for (const auto& [key, link] :
         {std::pair{"intra_node", &cluster.intra_node}, std::pair{"inter_node", &cluster.inter_node}}) {
        const auto object_of_link = object.find(key);
        if (object_of_link == object.end() || !object_of_link->is_object())
            continue;
        ObjectReader link_reader{*object_of_link, path.empty() ? key : path + "." + key, failure,
                                 ObjectReader::Null::left_out};
        link_reader.requireWord("kind", link->kind, link_kinds);
    }
    nulls = reader.nulls();
    readCollectiveLaw(object, path, base, cluster, failure);
    if (cluster.inter_node.kind != base.inter_node.kind && !hasKey(object, "nics_per_node"))
        cluster.nics_per_node = 0; // the cards of another network are others
    return cluster;
}

Cluster readCluster(const json& object, const std::string& path, const Presets& presets,
                    std::vector<ClusterAssumption>& assumptions, std::string& failure)
{
    ObjectReader reader{object, path, failure, ObjectReader::Null::left_out};
    Base base = BaseFinder{object, reader, presets, assumptions}.find();
    base.cluster.preset.clear();
    std::vector<std::string> nulls;
    Cluster cluster = readClusterKeys(object, path, base.cluster, nulls, failure);
    noteMissing(object, base, nulls, assumptions);
    return cluster;
}

Result<ClusterReading> readCluster(std::string_view text, const Presets& presets)
{
    const auto parsed = parseJson(text);
    if (!parsed)
        return parsed.error();
    if (!parsed.value().is_object())
        return Error{"a cluster is a JSON object with keys like \"gpu\" and \"intra_node\", not "
                     + excerpt(parsed.value())};
    ClusterReading reading;
    std::string failure;
    reading.cluster = readCluster(parsed.value(), "cluster", presets, reading.assumptions, failure);
    if (!failure.empty())
        return Error{failure};
    return reading;
}

ClusterReading readCluster(const ClusterPreset& preset)
{
    ClusterReading reading{preset.cluster, {}};
    noteMissing(json::object(), baseOf(preset), {}, reading.assumptions);
    return reading;
}

ClusterForm clusterFormOf(std::string_view text)
{
    const auto parsed = parseJson(text);
    if (!parsed || !parsed.value().is_object() || !parsed.value().contains("cluster"))
        return ClusterForm::keys;
    const std::array<const char*, 4> caption{"title", "sources", "note", "calibrated"};
    const bool has_caption =
        std::ranges::any_of(caption, [&](const char* key) { return parsed.value().contains(key); });
    return has_caption ? ClusterForm::preset : ClusterForm::scenario;
}

} // namespace shardscope
