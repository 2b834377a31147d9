#include "core/digest/file_stamp.h"

#include <sys/stat.h>

namespace shardscope
{

std::optional<FileStamp> stampOf(const std::filesystem::path& path)
{
    struct stat status {
    };
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return std::nullopt;
    return FileStamp{status.st_size,
                     std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

} // namespace shardscope
