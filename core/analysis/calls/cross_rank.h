#pragma once

#include "core/analysis/calls/call_matching.h"
#include "core/analysis/measurement.h"

#include <cstdint>
#include <map>

namespace shardscope
{

using ClockOffsets = std::map<std::int64_t, std::int64_t>; // nanoseconds that a clock is ahead, by rank

// Waits, transfer times and last starters of calls that several ranks share, and how far their clocks are
// apart. `ranks`: the ranks that were read; each gets its figures, zero where nothing was matched.
CrossRank measureAcrossRanks(const std::vector<MatchedCall>& matched, const std::vector<std::int64_t>& ranks);

// The clocks' offsets where they are trusted and explain most of what ends lie apart: lesser ones are no
// better than the clocks. Else empty.
ClockOffsets offsetsToTakeOut(const CrossRank& across);

// Says where clocks lie further apart than any clocks do.
void noteImpossibleClocks(const CrossRank& across, std::vector<std::string>& notes);

} // namespace shardscope
