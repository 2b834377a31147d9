#include "core/scenario/presets.h"

#include "core/base/file.h"
#include "core/scenario/json_text.h"
#include "core/scenario/object_reader.h"
#include "core/scenario/section_reader.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <system_error>
#include <utility>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

using nlohmann::json;

Result<std::vector<fs::path>> jsonFiles(const fs::path& folder)
{
    std::error_code problem;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator{folder, problem})
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    if (problem)
        return Error{folder.string() + ": the folder of presets cannot be read (" + problem.message() + ")"};
    std::ranges::sort(files);
    return files;
}

Result<json> readObject(const fs::path& file)
{
    constexpr std::uintmax_t largest_preset = 16U << 20U;
    const auto text = readFile(file, largest_preset);
    if (!text)
        return text.error();
    auto parsed = parseJson(text.value());
    if (parsed && !parsed.value().is_object())
        return Error{"a preset is a JSON object"};
    return parsed;
}

// What models and clusters have in common. `sources` gives each figure, by its key, the place that it was
// taken from.
template<class Preset>
void readCaption(ObjectReader& reader, Preset& preset, std::string& failure)
{
    reader("title", preset.title);
    if (preset.title.empty())
        preset.title = preset.name;
    reader.ignore("note");
    const json* sources = reader.section("sources");
    if (sources == nullptr)
        return;
    for (const auto& [key, source] : sources->items()) {
        if (source.is_string())
            preset.sources.push_back({key, source.template get<std::string>()});
        else if (failure.empty())
            failure = "sources." + key + " must be text that says where the figure is from";
    }
}

// The figures of a kind of preset, which stand beside its caption.
void readFigures(ObjectReader& reader, ModelPreset& preset, std::string& failure)
{
    if (const json* model = reader.section("model"))
        preset.model = readModel(*model, "model", Presets{}, failure);
    preset.model.preset = preset.name;
}

void readFigures(ObjectReader& reader, GpuPreset& preset, std::string& /*failure*/)
{
    reader("names", preset.names);
    reader("compute", preset.compute);
}

void readFigures(ObjectReader& reader, ClusterPreset& preset, std::string& failure)
{
    if (const json* cluster = reader.section("cluster"))
        preset.cluster = readClusterKeys(*cluster, "cluster", Cluster{}, preset.missing, failure);
    preset.cluster.preset = preset.name;
    reader("calibrated", preset.cluster.calibrated);
    reader("usual_for", preset.usual_for);
    reader("usual_network", preset.usual_network);
}

template<class Preset>
Result<Preset> readPreset(const fs::path& file)
{
    const auto object = readObject(file);
    if (!object)
        return object.error();
    Preset preset;
    preset.name = file.stem().string();
    std::string failure;
    ObjectReader reader{object.value(), "", failure};
    readCaption(reader, preset, failure);
    readFigures(reader, preset, failure);
    reader.refuseUnknownKeys();
    if (!failure.empty())
        return Error{failure};
    return preset;
}

// One file that is wrong takes none of the others with it: its sentence goes to `problems`.
template<class Preset>
std::optional<Error> readAll(const fs::path& folder, std::vector<Preset>& presets,
                             std::vector<std::string>& problems)
{
    const auto files = jsonFiles(folder);
    if (!files)
        return files.error();
    for (const fs::path& file : files.value()) {
        auto preset = readPreset<Preset>(file);
        if (preset)
            presets.push_back(std::move(preset).value());
        else
            problems.push_back(file.string() + ": this preset is left out: " + preset.error().sentence);
    }
    return std::nullopt;
}

template<class Preset>
const Preset* presetNamed(const std::vector<Preset>& presets, std::string_view name)
{
    const auto found = std::ranges::find(presets, name, &Preset::name);
    return found == presets.end() ? nullptr : &*found;
}

template<class Preset>
void addUnlessNamed(const fs::path& folder, std::vector<Preset> own, std::vector<Preset>& presets,
                    std::vector<std::string>& problems)
{
    for (Preset& preset : own) {
        if (presetNamed(presets, preset.name) == nullptr)
            presets.push_back(std::move(preset));
        else
            problems.push_back(folder.string() + ": \"" + preset.name
                               + "\" is the name of a preset that ships; rename the file to use it");
    }
}

bool startsWithInAnyCase(std::string_view text, std::string_view start)
{
    const auto lower = [](char symbol) { return std::tolower(static_cast<unsigned char>(symbol)); };
    return text.size() >= start.size()
           && std::ranges::equal(text.substr(0, start.size()), start, {}, lower, lower);
}

// The length of the longest of the starts that `text` begins with; 0: it begins with none.
std::size_t longestStart(const std::vector<std::string>& starts, std::string_view text)
{
    std::size_t longest = 0;
    for (const std::string& start : starts)
        if (startsWithInAnyCase(text, start))
            longest = std::max(longest, start.size());
    return longest;
}

// The preset that is closest, of several the first; nothing: none is close at all.
template<class Preset, class Closeness>
const Preset* closest(const std::vector<Preset>& presets, Closeness closeness)
{
    const auto found = std::ranges::max_element(presets, {}, closeness);
    return found == presets.end() || closeness(*found) == decltype(closeness(*found)){} ? nullptr : &*found;
}

void takeComputeLaw(ClusterPreset& preset, const Presets& presets)
{
    const GpuPreset* gpu = presets.gpu(preset.cluster.gpu);
    if (gpu != nullptr && preset.cluster.compute == ComputeLaw{})
        preset.cluster.compute = gpu->compute;
}

} // namespace

Result<ClusterPreset> readClusterPreset(const fs::path& file, const Presets& presets)
{
    auto preset = readPreset<ClusterPreset>(file);
    if (preset)
        takeComputeLaw(preset.value(), presets);
    return preset;
}

// {"made_by": ..., "what": ..., "gpus": {"A100": {"time_error": 0.1, ...}, "others": {...}}}
void Presets::readTimeErrors(const fs::path& file)
{
    const auto object = readObject(file);
    if (!object) {
        m_problems.push_back(object.error().sentence);
        return;
    }
    std::string failure;
    std::string told;
    ObjectReader reader{object.value(), "", failure};
    reader("made_by", told);
    reader("what", told);
    const json* gpus = reader.section("gpus");
    const std::string others = "others";
    const auto read = [&](const std::string& name, ComputeLaw& law) {
        if (gpus == nullptr || !gpus->contains(name))
            return;
        ObjectReader errors{gpus->at(name), "gpus." + name, failure};
        errors("time_error", law.time_error);
        errors("time_error_small", law.time_error_small);
        errors("time_error_fp8", law.time_error_fp8);
        errors("time_error_li", law.time_error_li);
        errors("time_error_li_small", law.time_error_li_small);
        errors.refuseUnknownKeys();
    };
    for (GpuPreset& preset : m_gpus) {
        read(others, preset.compute);
        preset.compute.time_error_unlike = preset.compute.time_error;
        if (gpus == nullptr)
            continue;
        for (auto entry = gpus->begin(); entry != gpus->end(); ++entry)
            if (gpu(entry.key()) == &preset)
                read(entry.key(), preset.compute);
    }
    read(others, m_unknown_gpu);
    m_unknown_gpu.time_error_unlike = m_unknown_gpu.time_error;
    reader.refuseUnknownKeys();
    if (!failure.empty())
        m_problems.push_back(file.filename().string() + ": " + failure);
}

Result<Presets> Presets::load(const fs::path& folder)
{
    Presets presets;
    if (fs::exists(folder / "gpus"))
        if (auto error = readAll(folder / "gpus", presets.m_gpus, presets.m_problems))
            return *error;
    if (auto error = readAll(folder / "models", presets.m_models, presets.m_problems))
        return *error;
    if (auto error = readAll(folder / "clusters", presets.m_clusters, presets.m_problems))
        return *error;
    if (fs::exists(folder / "time_errors.json"))
        presets.readTimeErrors(folder / "time_errors.json");
    for (ClusterPreset& preset : presets.m_clusters)
        takeComputeLaw(preset, presets);
    return presets;
}

void Presets::addOwn(const fs::path& folder)
{
    std::vector<ModelPreset> models;
    std::vector<ClusterPreset> clusters;
    std::error_code ignored;
    if (fs::is_directory(folder / "models", ignored))
        if (const auto error = readAll(folder / "models", models, m_problems))
            m_problems.push_back(error->sentence);
    if (fs::is_directory(folder / "clusters", ignored))
        if (const auto error = readAll(folder / "clusters", clusters, m_problems))
            m_problems.push_back(error->sentence);
    for (ModelPreset& preset : models)
        preset.is_own = true;
    for (ClusterPreset& preset : clusters) {
        preset.is_own = true;
        preset.usual_for.clear();
        preset.missing.clear();
    }
    addUnlessNamed(folder, std::move(models), m_models, m_problems);
    addUnlessNamed(folder, std::move(clusters), m_clusters, m_problems);
}

const ModelPreset* Presets::model(std::string_view name) const
{
    return presetNamed(m_models, name);
}

const ClusterPreset* Presets::cluster(std::string_view name) const
{
    return presetNamed(m_clusters, name);
}

const GpuPreset* Presets::gpu(std::string_view name) const
{
    return closest(m_gpus, [&](const GpuPreset& preset) { return longestStart(preset.names, name); });
}

const ClusterPreset* Presets::clusterOfGpu(std::string_view gpu, std::string_view network) const
{
    return closest(m_clusters, [&](const ClusterPreset& preset) {
        const bool has_network = !preset.usual_network.empty();
        const std::size_t length = longestStart(preset.usual_for, gpu);
        const bool is_asked_for = length > 0 && (!has_network || preset.usual_network == network);
        return is_asked_for ? std::pair{length, has_network} : std::pair{std::size_t{0}, false};
    });
}

const ClusterPreset* Presets::clusterOfSameType(std::string_view name) const
{
    const GpuPreset* type = gpu(name);
    const auto is_of_type = [&](const ClusterPreset& preset) {
        return !preset.usual_for.empty() && preset.usual_network.empty() && gpu(preset.cluster.gpu) == type;
    };
    const auto found = std::find_if(m_clusters.begin(), m_clusters.end(), is_of_type);
    return type == nullptr || found == m_clusters.end() ? nullptr : &*found;
}

} // namespace shardscope
