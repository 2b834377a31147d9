#pragma once

#include "core/import/chrome/chrome_rows.h"

#include <vector>

namespace shardscope
{

// What is needed to find out which call launched a kernel; names, tracks and events are the builder's.
struct CollectiveLinks {
    std::vector<LaunchRow> launches;
    std::vector<LaunchedRow> launched;
    std::vector<CommunicationRow> communications;
};

// Gives kernels that tell nothing themselves the sizes of the record_param_comms that launched them: by the
// launch that has the kernel's correlation and lies within the call on its thread, else by "External id".
// Shapes without an element type take it from the backend's annotation within the call ("nccl:all_reduce").
void linkCollectives(CollectiveLinks links, TraceBuilder& builder);

// Tells the builder which call launched each event of the GPU: the one with its correlation.
void linkLaunches(const CollectiveLinks& links, TraceBuilder& builder);

} // namespace shardscope
