#pragma once

#include "core/analysis/measurement.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace shardscope
{

using DumpsByRank = std::map<std::int64_t, const TraceFile*>;

struct UnfinishedRow {
    UnfinishedCollective found;
    std::map<std::int64_t, std::size_t> places; // of the ranks that wait in it: rows in their dumps' calls
};

// Whether the recorder saw that a call had begun and not that it had ended.
bool isOpen(const SizedCall& call);

// Puts the likely cause first and tells of the others what they follow from. A call that a rank made while an
// earlier one was open stands behind that one; a rank that waits for a message waits for what its peer waits
// for, or does not come to.
std::vector<UnfinishedCollective> orderedByCause(std::vector<UnfinishedRow> rows, const DumpsByRank& dumps);

} // namespace shardscope
