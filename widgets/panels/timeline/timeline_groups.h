#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "core/scenario/scenario.h"
#include "widgets/plots/timeline/timeline_scene.h"

#include <vector>

namespace shardscope
{

// A way to show the measured ranks together.
struct RankGrouping {
    QString name; // "node", "pipeline stage", "TENSOR_MODEL_PARALLEL_GROUP"
    std::vector<RankGroup> groups;
};

// The scenario's layout, with ranks where they stood in the lanes' run as far as that is known to differ.
RankLayout layoutOf(const MeasuredLanes& lanes, const Scenario& scenario);

// Whether the layout can be the one that the measured ranks ran in: as many ranks, and a place for each.
bool standIn(const MeasuredLanes& lanes, const RankLayout& layout);

// The ways that make more than one group of these ranks: nodes and pipeline stages of the scenario's layout
// where that can be theirs, the process groups that the trace names, else those of the layout.
std::vector<RankGrouping> rankGroupings(const MeasuredLanes& lanes, const Scenario* scenario);

} // namespace shardscope
