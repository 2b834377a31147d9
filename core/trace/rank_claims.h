#pragma once

#include "core/trace/trace_set.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardscope
{

// What a set's warning begins with that counts logs whose iterations take different times.
inline constexpr std::string_view other_log_warning =
    "log whose iterations take another time than those of other logs, as of several runs; open one by itself";

// Sorts the files by rank and path and adds to the set's warnings what is odd about their ranks: several
// files of one format that claim a rank, ranks of the run that no file has, files whose rank nothing names,
// or only a folder's name; logs that cannot be of one run.
void noteRanks(TraceSet& traces);

// How many ranks the run has of which these are files: at least as many as the files tell of; 0: not told.
std::int64_t worldSizeOf(const TraceSet& traces);

// The same where nothing speaks against it: the files agree on it, or are of the ranks from 0 on without a
// gap; else 0.
std::int64_t undisputedWorldSizeOf(const TraceSet& traces);

// Gives a file the rank that the user knows it has; sorts the files and mends the warnings. What was measured
// of the set does not hold any more.
void assignRank(TraceSet& traces, std::size_t file, std::int64_t rank);

} // namespace shardscope
