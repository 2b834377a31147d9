#include "core/scenario/own_presets.h"

#include "core/base/file.h"
#include "core/base/json_writer.h"
#include "core/base/resources.h"
#include "core/base/user_folders.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
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

// `section` is the key that the figures stand under, `write` what writes them there.
template<class Figures>
std::string presetText(const char* section, void (*write)(const Figures&, JsonWriter&),
                       const std::string& name, Figures figures, const std::string& source)
{
    figures.preset.clear();
    JsonWriter json;
    json.beginObject();
    json.member("title", name + " (own)");
    json.key(section);
    write(figures, json);
    json.key("sources");
    json.beginObject();
    json.member(section, source);
    json.endObject();
    json.endObject();
    return json.take() + "\n";
}

fs::path folderOf(PresetKind kind)
{
    return ownPresetsFolder() / (kind == PresetKind::model ? "models" : "clusters");
}

fs::path fileOf(PresetKind kind, const std::string& name)
{
    return folderOf(kind) / (name + ".json");
}

Error noFolder()
{
    return Error{"there is no folder for presets: set XDG_DATA_HOME or HOME"};
}

// `shipped`: what has the name is no preset of the user's.
Result<fs::path> write(PresetKind kind, const std::string& name, bool shipped, const std::string& text)
{
    if (!isFileName(name))
        return Error{"\"" + name
                     + "\" is no name for a preset; use letters, digits, \"-\" and \"_\", and \".\" anywhere "
                       "but in front"};
    if (shipped)
        return Error{"\"" + name + "\" is the name of a preset that ships; choose another"};
    if (ownPresetsFolder().empty())
        return noFolder();
    std::error_code problem;
    fs::create_directories(folderOf(kind), problem);
    if (problem)
        return Error{folderOf(kind).string() + ": the folder cannot be made (" + problem.message() + ")"};
    const fs::path file = fileOf(kind, name);
    if (const auto written = replaceFile(file, text); !written)
        return Error{file.string() + ": " + written.error().sentence};
    return file;
}

std::string firstSource(const std::vector<FigureSource>& sources)
{
    return sources.empty() ? std::string{} : sources.front().source;
}

} // namespace

fs::path ownPresetsFolder()
{
    if (const auto folder = pathInEnvironment("SHARDSCOPE_PRESETS"))
        return *folder;
    const auto data = userDataFolder();
    return data ? *data / "presets" : fs::path{};
}

Result<Presets> loadPresets()
{
    Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    if (const fs::path own = ownPresetsFolder(); presets && !own.empty())
        presets.value().addOwn(own);
    return presets;
}

Result<fs::path> saveOwnCluster(const std::string& name, const Cluster& cluster, const std::string& source,
                                const Presets& presets)
{
    const ClusterPreset* there = presets.cluster(name);
    return write(PresetKind::cluster, name, there != nullptr && !there->is_own,
                 presetText("cluster", writeCluster, name, cluster, source));
}

Result<fs::path> saveOwnModel(const std::string& name, const Model& model, const std::string& source,
                              const Presets& presets)
{
    const ModelPreset* there = presets.model(name);
    return write(PresetKind::model, name, there != nullptr && !there->is_own,
                 presetText("model", writeModel, name, model, source));
}

Result<bool> removeOwnPreset(PresetKind kind, const std::string& name)
{
    if (!isFileName(name))
        return Error{"\"" + name + "\" is no name of a preset"};
    if (ownPresetsFolder().empty())
        return noFolder();
    std::error_code problem;
    const fs::path file = fileOf(kind, name);
    if (!fs::remove(file, problem))
        return Error{file.string() + ": cannot be removed"
                     + (problem ? " (" + problem.message() + ")" : std::string{})};
    return true;
}

Result<bool> renameOwnPreset(PresetKind kind, const std::string& name, const std::string& new_name,
                             const Presets& presets)
{
    const bool is_taken =
        kind == PresetKind::model ? presets.model(new_name) != nullptr : presets.cluster(new_name) != nullptr;
    if (is_taken)
        return Error{"\"" + new_name + "\" is the name of another preset; choose another"};
    const ModelPreset* model = kind == PresetKind::model ? presets.model(name) : nullptr;
    const ClusterPreset* cluster = kind == PresetKind::cluster ? presets.cluster(name) : nullptr;
    if (model == nullptr && cluster == nullptr)
        return Error{"no preset is called \"" + name + "\""};
    const auto saved =
        model != nullptr ? saveOwnModel(new_name, model->model, firstSource(model->sources), presets)
                         : saveOwnCluster(new_name, cluster->cluster, firstSource(cluster->sources), presets);
    if (!saved)
        return saved.error();
    return removeOwnPreset(kind, name);
}

} // namespace shardscope
