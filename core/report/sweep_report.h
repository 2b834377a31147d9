#pragma once

#include "core/sweep/sweep.h"

#include <string>
#include <vector>

namespace shardscope
{

// A sweep's points: {"axis", "group_axis", "points": [{"value", "group", "problem", "world_size",
// "micro_batches", "iteration_s", "error_band", ..., "device_bytes", "fits", "sent_bytes"}]}, `group` only
// with a second axis and `problem` alone where a place cannot be trained; rows for a spreadsheet, times in
// seconds, empty where there is a problem; and a table for people. Over GPUs each has its speedup, efficiency
// and network_efficiency too.
std::string sweepJson(const Sweep& sweep, const std::vector<SweepPoint>& points, int indent = 2);
std::vector<std::string> sweepColumns(const Sweep& sweep);
// One for each point.
std::vector<std::vector<std::string>> sweepRows(const Sweep& sweep, const std::vector<SweepPoint>& points);
std::string sweepCsv(const Sweep& sweep, const std::vector<SweepPoint>& points);
std::string sweepText(const Sweep& sweep, const std::vector<SweepPoint>& points);
// "does not fit", "nearly full"; empty: there is room.
std::string memoryRemark(const SweepPoint& point);
// Why the values of the second axis make no difference, or none to be seen; empty: they do.
std::string likenessNote(const Sweep& sweep, const std::vector<SweepPoint>& points);

} // namespace shardscope
