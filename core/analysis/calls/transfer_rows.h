#pragma once

#include "core/analysis/calls/call_matching.h"
#include "core/analysis/measurement.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// See TransferRow and GroupTransferRow: the first for calls whose size and group are known, the second for
// all.
std::vector<TransferRow> transferRows(const std::vector<MatchedCall>& matched);
// `rows_of` is told each matched call's row, by its place.
std::vector<GroupTransferRow> groupTransferRows(const std::vector<MatchedCall>& matched,
                                                std::vector<std::size_t>& rows_of);

// What to know of transfer times where collectives were not read of all their ranks, as a note; nothing where
// there are none.
std::optional<std::string> partlyReadNote(std::span<const MeasuredCall> calls);

} // namespace shardscope
