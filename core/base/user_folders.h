#pragma once

#include <filesystem>
#include <optional>

namespace shardscope
{

// A path that the user has set in the environment. Nothing where the variable is not set, or empty.
std::optional<std::filesystem::path> pathInEnvironment(const char* variable);

// Where the user's own files lie, after freedesktop.org's Base Directory Specification: $XDG_DATA_HOME,
// $XDG_CONFIG_HOME and $XDG_CACHE_HOME, else ~/.local/share, ~/.config and ~/.cache; of each the folder
// shardscope/, which need not exist. Nothing where neither the variable nor HOME is set.
std::optional<std::filesystem::path> userDataFolder();
std::optional<std::filesystem::path> userSettingsFolder();
std::optional<std::filesystem::path> userCacheFolder();

} // namespace shardscope
