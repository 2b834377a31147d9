#pragma once

#include "core/analysis/classification/classification.h"
#include "core/base/result.h"
#include "core/import/importer.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <filesystem>
#include <span>

namespace shardscope
{

// How much of the traces is wanted in memory.
enum class TraceDetail : std::uint8_t {
    events,     // all of them
    as_it_fits, // digests where the events of all files would not fit into memory
    quick,      // ... or where there are many files
};

// The warning of a set that counts its digests. Pre: `of` is one of the two reasons for digests.
ImportWarning digestWarning(WarningOf of, std::int64_t digests);

// importTraces(), with digests in the files' place where the detail says so: those that earlier runs have
// left, else made while the files are read one after another. The set's warnings then count them.
Result<TraceSet> openTraces(std::span<const std::filesystem::path> paths, TraceDetail detail,
                            const ClassificationRules& rules, ImportOptions options = {});

} // namespace shardscope
