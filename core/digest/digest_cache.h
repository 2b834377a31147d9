#pragma once

#include "core/analysis/classification/classification.h"
#include "core/trace/trace_set.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// The digests that earlier runs have left: beside each trace ("rank0.json.gz" has ".rank0.json.gz.digest"),
// or, where that folder cannot be written, in the user's cache. One holds as long as its trace has the same
// size and time, the rules are the same, and this version of the program has made it. May be asked on several
// threads.
class DigestCache
{
public:
    explicit DigestCache(const ClassificationRules& rules);

    // The digest of a trace, under the trace's own path; nothing where none holds.
    std::optional<TraceFile> find(const std::filesystem::path& trace) const;
    // Makes a digest of a file that was read, and keeps it where that spares time. A file that is one, or was
    // rejected, stays what it is.
    void replace(TraceFile& file) const;

private:
    const ClassificationRules& m_rules;
    std::string m_mark;
};

// Where the digest of a trace may lie, the better place first.
std::vector<std::filesystem::path> digestPlaces(const std::filesystem::path& trace);

} // namespace shardscope
