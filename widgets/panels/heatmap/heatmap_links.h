#pragma once

#include "core/prediction/traffic/busiest_links.h"
#include "widgets/plots/heatmap/heatmap_scene.h"

#include <vector>

namespace shardscope
{

// Whose links they are, and whose iteration.
struct LinkedWorld {
    const Scenario& scenario; // whose machines they belong to
    std::int64_t ranks = 0;
    double iteration_s = 0.0; // 0: not known
    bool is_measured = false;
    bool knows_all = true;     // false: of some ranks it was not recorded what they send
    bool is_whole_run = false; // the bytes and the time are of all that was recorded
};

// What the busiest network card sends or receives, and what the GPUs of the busiest node send each other,
// with the mean of all; the first line is a heading. Empty where nothing is sent.
std::vector<NodeTotalsLine> linkLines(const BusiestLinks& links, const LinkedWorld& world);
// How long that keeps the busiest card, the busiest link inside a node and the busiest pod's way to others
// busy at least.
std::vector<NodeTotalsLine> busyLines(const BusiestLinks& links, const LinkedWorld& world);

// The same in full (rich text), with both directions, and how it was counted. Empty where nothing is sent.
QString linksTip(const BusiestLinks& links, const LinkedWorld& world);

} // namespace shardscope
