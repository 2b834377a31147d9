#pragma once

#include "core/analysis/analyze.h"
#include "core/analysis/calls/call.h"
#include "core/analysis/measurement.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// Adds what a digest knows of its trace, or of one step of it, to a rank, and fills in how much of each of
// its calls is exposed. False: its figures are damaged, nothing was added.
bool addDigest(const TraceDigest& digest, std::optional<std::int64_t> step, std::span<Call> calls,
               RankMeasurement& rank);

// Says how many digests were counted by other rules than those of the options.
void noteDigests(const TraceSet& traces, const AnalysisOptions& options, std::vector<std::string>& notes);

} // namespace shardscope
