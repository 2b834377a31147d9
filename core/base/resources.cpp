#include "core/base/resources.h"

#include "core/base/user_folders.h"

#include <system_error>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

fs::path folder(const char* name)
{
    std::error_code ignored;
    if (const auto data = pathInEnvironment("SHARDSCOPE_DATA"))
        return *data / name;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path installed = program.parent_path().parent_path() / "share/shardscope" / name;
    if (!program.empty() && fs::is_directory(installed, ignored))
        return installed;
    return fs::path{SHARDSCOPE_SOURCE_FOLDER} / name;
}

} // namespace

fs::path resourcesFolder()
{
    return folder("resources");
}

fs::path sampleTracesFolder()
{
    return folder("sample_traces");
}

} // namespace shardscope
