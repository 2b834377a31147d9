#pragma once

#include "core/analysis/calls/call_matching.h"
#include "core/analysis/measurement.h"

#include <vector>

namespace shardscope
{

// See TransferRow and GroupTransferRow: the first for calls whose size and group are known, the second for
// all.
std::vector<TransferRow> transferRows(const std::vector<MatchedCall>& matched);
std::vector<GroupTransferRow> groupTransferRows(const std::vector<MatchedCall>& matched);

} // namespace shardscope
