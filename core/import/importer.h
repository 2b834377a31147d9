#pragma once

#include "core/base/result.h"
#include "core/import/memory_need.h"
#include "core/trace/trace_set.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace shardscope
{

// What is asked after every piece of input. Called from the importing thread.
struct ImportProgress {
    std::int64_t bytes_done = 0; // of the files on disk
    std::int64_t bytes_total = 0;
    int files_done = 0;
    int files_total = 0;
};

struct ImportOptions {
    // Answers false to stop; may be empty.
    std::function<bool(const ImportProgress&)> on_progress;
    int threads = 0; // 0: as many as the machine has
    // Asked before anything is read when memory would not suffice; true reads all the same. Empty: refuse.
    // Called from the importing thread.
    std::function<bool(const MemoryNeed&)> on_memory_need = {};
};

// Reads files and folders (every trace in them) into one set. A file that cannot be read is in the set as
// rejected, with its sentence. Error: a path is not there, nothing at all could be read, memory would not
// suffice, or the user stopped it ("stopped").
Result<TraceSet> importTraces(std::span<const std::filesystem::path> paths,
                              const ImportOptions& options = {});

} // namespace shardscope
