#pragma once

#include "core/analysis/calls/call_matching.h"
#include "core/analysis/measurement.h"

namespace shardscope
{

// Waits, transfer times and last starters of calls that several ranks share, and how far their clocks are
// apart. `ranks`: the ranks that were read; each gets its figures, zero where nothing was matched.
CrossRank measureAcrossRanks(const std::vector<MatchedCall>& matched, const std::vector<std::int64_t>& ranks);

// Says where clocks lie further apart than any clocks do.
void noteImpossibleClocks(const CrossRank& across, std::vector<std::string>& notes);

} // namespace shardscope
