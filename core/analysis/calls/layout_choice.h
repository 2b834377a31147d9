#pragma once

#include "core/analysis/analyze.h"
#include "core/analysis/calls/call.h"

#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// The layout that told what traces themselves do not.
struct LayoutChoice {
    const Scenario* scenario = nullptr; // one of the options'; null: none is open
    // Its degrees, but in an order that is not the open scenario's: as in Measurement.
    std::optional<RankOrder> other_order;
};

// Kinds and groups by the open layout; by the known one where that explains more of the calls; and where
// single ranks contradict the open one, by another order of its ranks that explains far more. Notes tell what
// was chosen, and what no layout explains.
LayoutChoice findKindsByLayouts(const TraceSet& traces, const AnalysisOptions& options, CallList& list,
                                std::vector<std::string>& notes);

} // namespace shardscope
