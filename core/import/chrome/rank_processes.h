#pragma once

#include "core/import/chrome/collective_links.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

// GPUs that have rows of their own: their processes.
std::int64_t devicesOf(const TraceStore& store);

// The rank that a process's name tells where it begins with it, or in brackets: "rank 3", "Rank3: stage 1",
// "python (rank 3)", "[rank3] trainer".
std::optional<std::int64_t> rankOfProcess(std::string_view name);

// What launches what, for each rank by itself: ranks count their launches from the same start. One part where
// the builder's processes name fewer than two.
std::vector<CollectiveLinks> linksOfRanks(CollectiveLinks links, const TraceBuilder& builder);

// Takes apart a trace into which those of several ranks were merged, and which tells them by the names of its
// processes, as predicted timelines do, too. What belongs to no rank stands with the first. A file that names
// fewer than two ranks stays what it is.
void takeApartRanks(TraceFile& file, std::vector<TraceFile>& further);

} // namespace shardscope
