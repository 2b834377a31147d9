#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "widgets/models/table_text.h"
#include "widgets/plots/heatmap/heatmap_scene.h"
#include "widgets/plots/heatmap/heatmap_view.h"
#include "widgets/plots/heatmap/signed_bytes.h"

namespace shardscope
{

// What the heatmap says about its cells.
struct HeatmapTexts {
    const HeatmapScene& scene;

    // "tp 1, dp 0, pp 3, node 2", as far as the square's layout reaches; of a node "ranks 8 to 15".
    QString placeOf(std::int64_t rank, int square = 0) const;
    // For the tooltip (rich text): both ranks, and what goes from one to the other by kind, in each square;
    // of nodes also what each sends to all others and receives. Of a spot of several cells the one with the
    // most in it.
    QString tip(const HeatmapSpot& spot) const;
    // The same on one line, for the status bar.
    QString sentence(const HeatmapSpot& spot) const;
    // The cells on screen, of the kind that is shown.
    TableRows table(const RankWindow& window) const;
};

QString nameOf(Kind kind);

} // namespace shardscope
