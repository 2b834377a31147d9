#pragma once

#include "core/base/result.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// A file that may be a trace.
struct SourceFile {
    std::filesystem::path path;
    std::int64_t bytes = 0;
    bool is_from_folder = false; // may be no trace at all
};

std::int64_t bytesOfFile(const std::filesystem::path& path); // 0 where that cannot be told

// What there is to read.
struct SourceFiles {
    std::vector<SourceFile> files;       // of each path in turn; those of a folder by path
    std::vector<ImportWarning> left_out; // what else a folder holds, counted
    std::int64_t bytes() const;
};

// A path that somebody named and that cannot be read.
struct RefusedPath {
    std::filesystem::path path;
    std::string why; // and what to do: "there is no such file or folder; ..."
};

// Those of the paths that are not there or are no file or folder on a disk.
std::vector<RefusedPath> refusedPaths(std::span<const std::filesystem::path> paths);

// In a sentence. There is at least one.
Error refusal(std::span<const RefusedPath> refused);

// Every file that the paths name or their folders hold, hidden ones apart. Links to folders are not followed,
// so that no folder is met twice; folders that the kernel makes up (/proc, /sys) are not entered, as reading
// there may wait for ever. `go_on`, which may be empty, is asked now and then with the number of files so
// far. A file with several names (links) is there once, unless they may tell different ranks. Error: one of
// refusedPaths(), or go_on answered false ("stopped").
Result<SourceFiles> sourceFilesIn(std::span<const std::filesystem::path> paths,
                                  const std::function<bool(std::size_t)>& go_on = {});

} // namespace shardscope
