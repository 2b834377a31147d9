#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardscope
{

// The digest of one trace, as a set of digests has it.
struct NamedDigest {
    std::string name;            // the trace's path within the folder
    std::int64_t modified_s = 0; // the trace's time
    std::string bytes;           // as encodeDigest() gives them
    std::string rejection;       // why nothing could be read of the trace
};

// Writes digests into one file, which opens like a folder of traces: a tar archive (GNU), "rank0.json.digest"
// and so on, by name. Error: the file cannot be written; the sentence leaves its name to the caller.
Result<bool> writeDigests(const std::filesystem::path& file, std::vector<NamedDigest> digests);

} // namespace shardscope
