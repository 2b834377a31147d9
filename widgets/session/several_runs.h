#pragma once

#include "core/trace/run_folders.h"
#include "core/trace/trace_set.h"

#include <vector>

namespace shardscope
{

// What was read where it is of several runs with the same ranks: any of them can be shown without reading it
// again.
struct SeveralRuns {
    TraceSet traces; // of all of them
    std::vector<FolderRun> runs;
};

} // namespace shardscope
