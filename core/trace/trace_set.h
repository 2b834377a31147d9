#pragma once

#include "core/trace/trace_store.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardscope {

enum class FileStatus : std::uint8_t { ok, recovered, rejected };

// Something odd in a file that was skipped or repaired, and how often.
struct ImportWarning {
    std::string what;
    std::int64_t count = 0;
};

struct ProcessGroup {
    std::string name;
    std::string description;
    std::vector<std::int64_t> ranks; // empty: unknown
    std::int64_t size = 0;
};

// One file of a run: where it came from, what was odd, and its events.
struct TraceFile {
    std::string path;
    std::string format; // "kineto", "chrome", ...
    std::int64_t rank = 0;
    bool rank_is_known = false; // false: nothing named the rank, 0 is assumed
    std::int64_t world_size = 0; // 0: unknown
    FileStatus status = FileStatus::ok;
    std::string rejection; // why nothing could be read
    std::int64_t slices = 0;
    std::int64_t tracks = 0;
    std::int64_t flows = 0;
    std::int64_t devices = 0;
    std::int64_t bytes_uncompressed = 0;
    double load_s = 0.0;
    std::vector<ImportWarning> warnings;
    std::vector<ProcessGroup> groups;
    std::shared_ptr<const TraceStore> store; // never null unless rejected
};

// The files of one run, by rank, then path. Immutable.
struct TraceSet {
    std::vector<TraceFile> files;
};

} // namespace shardscope
