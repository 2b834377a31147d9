#pragma once

#include "core/import/chrome/chrome_rows.h"

#include <vector>

namespace shardscope
{

// Makes slices of beginnings and ends, whatever order the file has them in, and adds them to the builder.
// What has no partner is counted. Both consume the edges, whose names and tracks are the builder's.

// B and E: the stack of each track. An end may come without a name.
void pairThreadSlices(std::vector<SliceEdge> edges, TraceBuilder& builder, WarningLog& warnings);

// b and e, S and F: by category and id.
void pairAsyncSlices(std::vector<SliceEdge> edges, TraceBuilder& builder, WarningLog& warnings);

} // namespace shardscope
