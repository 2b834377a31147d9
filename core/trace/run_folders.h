#pragma once

#include "core/trace/trace_set.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// Traces of one format that lie in several folders and claim the same ranks are of several runs, or of
// several iterations that were written one by one: their sums would be nobody's. A file that is named by
// degrees of parallelism is a run of its own.
struct FolderRun {
    std::string name;               // its folder's or file's, below the folder that holds all of them
    std::vector<std::size_t> files; // of the set
    std::int64_t ranks = 0;
};

// The runs by their folders' names; none where no folder contradicts another. Folders that lie in one folder
// and do not contradict each other are of one run. What contradicts no run is with the first, what tells of
// no rank's own work and lies beside the runs is with each.
std::vector<FolderRun> runsOf(const TraceSet& traces);

// The set with the files of one run alone; a warning of WarningOf::other_runs tells what was left out.
TraceSet onlyRun(const TraceSet& traces, const std::vector<FolderRun>& runs, std::size_t kept);

// Keeps the first run, where there are several.
void keepOneRun(TraceSet& traces);

} // namespace shardscope
