#pragma once

#include "core/sweep/sweep.h"

#include <string>
#include <vector>

namespace shardscope
{

// Whether other ranks share the experts at the point than in the scenario, though they are not what is swept.
bool hasOtherExpertRanks(const Sweep& sweep, const SweepPoint& point);

// What stands below a table of a sweep, a line each: what its rows have besides the swept value, what single
// rows are warned of, what columns are a share of.
std::string sweepNotes(const Sweep& sweep, const std::vector<SweepPoint>& points);

} // namespace shardscope
