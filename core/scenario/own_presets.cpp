#include "core/scenario/own_presets.h"

#include "core/base/file.h"
#include "core/base/json_writer.h"
#include "core/base/resources.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

bool isFileName(const std::string& name)
{
    constexpr std::size_t longest = 100;
    const auto is_plain = [](char symbol) {
        return (symbol >= 'a' && symbol <= 'z') || (symbol >= 'A' && symbol <= 'Z')
               || (symbol >= '0' && symbol <= '9') || symbol == '-' || symbol == '_' || symbol == '.';
    };
    return !name.empty() && name.size() <= longest && name.front() != '.'
           && std::ranges::all_of(name, is_plain);
}

std::string presetText(const std::string& name, Cluster cluster, const std::string& source)
{
    cluster.preset.clear();
    JsonWriter json;
    json.beginObject();
    json.member("title", name + " (own)");
    json.member("calibrated", cluster.calibrated);
    json.key("cluster");
    writeCluster(cluster, json);
    json.key("sources");
    json.beginObject();
    json.member("cluster", source);
    json.endObject();
    json.endObject();
    return json.take() + "\n";
}

} // namespace

fs::path ownPresetsFolder()
{
    if (const char* folder = std::getenv("SHARDSCOPE_PRESETS"))
        return folder;
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
        return fs::path{data} / "shardscope/presets";
    const char* home = std::getenv("HOME");
    return home != nullptr ? fs::path{home} / ".local/share/shardscope/presets" : fs::path{};
}

Result<Presets> loadPresets()
{
    Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    if (presets)
        presets.value().addOwn(ownPresetsFolder());
    return presets;
}

Result<fs::path> saveOwnCluster(const std::string& name, const Cluster& cluster, const std::string& source,
                                const Presets& presets)
{
    if (!isFileName(name))
        return Error{"\"" + name + "\" is no name for a preset; use letters, digits, - and _"};
    if (const ClusterPreset* shipped = presets.cluster(name); shipped != nullptr && !shipped->is_own)
        return Error{"\"" + name + "\" is the name of a cluster that ships; choose another"};
    const fs::path folder = ownPresetsFolder() / "clusters";
    std::error_code problem;
    fs::create_directories(folder, problem);
    const fs::path file = folder / (name + ".json");
    if (problem)
        return Error{folder.string() + ": the folder cannot be made (" + problem.message() + ")"};
    if (const auto written = replaceFile(file, presetText(name, cluster, source)); !written)
        return Error{file.string() + ": " + written.error().sentence};
    return file;
}

} // namespace shardscope
