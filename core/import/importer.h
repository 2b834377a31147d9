#pragma once

#include "core/base/result.h"
#include "core/import/memory_need.h"
#include "core/trace/trace_set.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

namespace shardscope
{

// What is asked after every piece of input, and now and then while files are looked for: bytes_total is 0
// then. Called from the importing thread.
struct ImportProgress {
    std::int64_t bytes_done = 0; // of the files on disk
    std::int64_t bytes_total = 0;
    int files_done = 0;
    int files_total = 0;
};

// How files are read, and who is told or asked meanwhile.
struct ImportOptions {
    // Answers false to stop; may be empty.
    std::function<bool(const ImportProgress&)> on_progress;
    int threads = 0; // 0: as many as the machine has
    // Asked before anything is read when memory would not suffice; true reads all the same. Empty: refuse.
    // Called from the importing thread.
    std::function<bool(const MemoryNeed&)> on_memory_need = {};
    // Asked on any of the threads before a file is read; what it answers stands in the set in its place.
    std::function<std::optional<TraceFile>(const std::filesystem::path&)> instead = {};
    // Called on any of the threads with each file that was read, rejected ones too, and free to replace its
    // events by less: memory is then needed for no more files at once than there are threads.
    std::function<void(TraceFile&)> on_read = {};
    // Of all files, in their order, those whose number leaves `share` when divided by `shares`: for several
    // processes that each read some.
    std::size_t share = 0;
    std::size_t shares = 1;
    // Told of every trace that could be read, as soon as it is complete, by the thread that read it: several
    // may call at once. What it copies stays valid.
    std::function<void(const TraceFile&)> on_file = {};
    // Above 0, a glance: this much of the beginning of each Chrome trace, nothing of other formats, and no
    // question about memory.
    std::int64_t glance_bytes = 0;
};

// What lies ahead.
struct ImportSize {
    int files = 0;
    std::int64_t bytes = 0; // on the disk
    MemoryNeed need;        // to read them all in full
};
// Error: a path is not there, or on_progress answered false ("stopped").
Result<ImportSize> importSize(std::span<const std::filesystem::path> paths,
                              const ImportOptions& options = {});

// Reads files and folders (every trace in them) into one set. A file that cannot be read is in the set as
// rejected, with its sentence. Error: a path is not there, nothing at all could be read (not with shares),
// memory would not suffice, or the user stopped it ("stopped").
Result<TraceSet> importTraces(std::span<const std::filesystem::path> paths,
                              const ImportOptions& options = {});

} // namespace shardscope
