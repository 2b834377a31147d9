#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace shardscope
{

// What tells that a file is still the one that a digest was made of.
struct FileStamp {
    std::int64_t bytes = 0;
    std::int64_t modified_ns = 0; // since 1970
    bool operator==(const FileStamp&) const = default;
};

// Nothing where there is no such file: members of archives.
std::optional<FileStamp> stampOf(const std::filesystem::path& path);

} // namespace shardscope
