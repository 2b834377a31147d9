#include "core/base/user_folders.h"

#include <cstdlib>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

std::optional<fs::path> userFolder(const char* variable, const char* below_home)
{
    std::optional<fs::path> folder = pathInEnvironment(variable);
    if (!folder)
        if (const auto home = pathInEnvironment("HOME"))
            folder = *home / below_home;
    if (folder)
        *folder /= "shardscope";
    return folder;
}

} // namespace

std::optional<fs::path> pathInEnvironment(const char* variable)
{
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0')
        return std::nullopt;
    return fs::path{value};
}

std::optional<fs::path> userDataFolder()
{
    return userFolder("XDG_DATA_HOME", ".local/share");
}

std::optional<fs::path> userSettingsFolder()
{
    return userFolder("XDG_CONFIG_HOME", ".config");
}

std::optional<fs::path> userCacheFolder()
{
    return userFolder("XDG_CACHE_HOME", ".cache");
}

} // namespace shardscope
