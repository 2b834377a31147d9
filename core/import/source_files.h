#pragma once

#include "core/base/result.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace shardscope
{

// A file that may be a trace.
struct SourceFile {
    std::filesystem::path path;
    std::int64_t bytes = 0;
    bool is_from_folder = false; // may be no trace at all
};

struct SourceFiles {
    std::vector<SourceFile> files;       // of each path in turn; those of a folder by path
    std::vector<ImportWarning> left_out; // what else a folder holds, counted
    std::int64_t bytes() const;
};

// Every file that the paths name or their folders hold, hidden ones apart. Links to folders are not followed,
// so that no folder is met twice; folders that the kernel makes up (/proc, /sys) are not entered, as reading
// there may wait for ever. `go_on`, which may be empty, is asked now and then with the number of files so
// far. Error: a path is not there or is no file or folder on a disk, or go_on answered false ("stopped").
Result<SourceFiles> sourceFilesIn(std::span<const std::filesystem::path> paths,
                                  const std::function<bool(std::size_t)>& go_on = {});

// Whether a path lies in a file system that the kernel makes up.
bool isMadeUpByKernel(const std::filesystem::path& path);

} // namespace shardscope
