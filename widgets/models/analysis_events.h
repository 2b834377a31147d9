#pragma once

#include "widgets/models/analysis_table.h"
#include "widgets/session/event_walk.h"

namespace shardscope
{

// The events that a row of a section speaks of, what weighs most first; none where it speaks of no single
// ones. `rank`: the table is of that rank's alone.
EventWalk walkOf(AnalysisSection section, const AnalysisRow& row, std::optional<std::int64_t> rank,
                 const std::shared_ptr<const MeasuredRun>& run);

} // namespace shardscope
