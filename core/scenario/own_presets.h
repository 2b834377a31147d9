#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"

#include <filesystem>
#include <string>

namespace shardscope
{

// Where the user's own presets lie, in clusters/ and models/: $SHARDSCOPE_PRESETS, else shardscope/presets in
// $XDG_DATA_HOME or ~/.local/share. It need not exist; empty where no folder is known.
std::filesystem::path ownPresetsFolder();

// The presets that ship together with the user's own.
Result<Presets> loadPresets();

enum class PresetKind : unsigned char { model, cluster };

// Saves among the user's own presets, over an older one of the name. `source` says where the figures are
// from. Answers the file. Error: no name for a file, the name of a preset that ships, or the folder is not
// known or cannot be written.
Result<std::filesystem::path> saveOwnCluster(const std::string& name, const Cluster& cluster,
                                             const std::string& source, const Presets& presets);
Result<std::filesystem::path> saveOwnModel(const std::string& name, const Model& model,
                                           const std::string& source, const Presets& presets);

// Of the user's own ones alone: what ships is in another folder. Error: there is none, or the name is taken.
Result<bool> removeOwnPreset(PresetKind kind, const std::string& name);
Result<bool> renameOwnPreset(PresetKind kind, const std::string& name, const std::string& new_name,
                             const Presets& presets);

} // namespace shardscope
