#pragma once

#include "core/analysis/calls/call.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// One rank's calls, added up where name, type, sizes, group and kind agree; by kind, name, bytes, group.
std::vector<MeasuredCollective> collectiveRows(const CallList& list, std::int64_t rank);

// Calls of all ranks by kind, operation and message size. A note counts those of unknown size.
std::vector<HistogramRow> messageHistogram(const CallList& list, std::vector<std::string>& notes);

} // namespace shardscope
