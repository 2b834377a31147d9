#pragma once

#include "core/scenario/scenario.h"
#include "widgets/plots/heat_colours.h"
#include "widgets/plots/heatmap/traffic_grid.h"

#include <QColor>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace shardscope
{

// Nodes that stand in the place of ranks.
struct NodePlaces {
    std::int64_t gpus_per_node = 1;
    std::int64_t world = 0; // GPUs of all nodes: the last one may have fewer
};

// The layout that the ranks of a square stand in; without degrees nothing is known of it.
struct SquareLayout {
    std::vector<AxisBand> bands; // outermost first
    std::int64_t gpus_per_node = 0;
    std::int64_t ranks = 0; // no axis reaches beyond them
    std::optional<Parallel> degrees = {};
    std::optional<NodePlaces> nodes = {}; // the "ranks" are nodes, one to a node

    std::int64_t placeOf(std::int64_t rank) const { return nodes ? rank / nodes->gpus_per_node : rank; }
    std::int64_t firstRankOf(std::int64_t place) const
    {
        return nodes ? place * nodes->gpus_per_node : place;
    }
};

// The same by node, with those bands of which a node has one place.
SquareLayout byNode(const SquareLayout& of_ranks);

// Full rates of the links of one rank, or of all of a node's GPUs together, and how long the iteration is
// that the bytes are of.
struct LinkRates {
    double inside_GBps = 0.0; // a node
    double between_GBps = 0.0;
    double iteration_s = 0.0;  // 0: not known
    bool is_whole_run = false; // both are of all that was recorded
};

// One rank x rank square, or one of nodes.
struct HeatmapSquare {
    QString title; // "Predicted"
    std::shared_ptr<const TrafficRows> rows;
    SquareLayout layout = {};
    QString note = {}; // beside the title, paler: "2 of 8 ranks"
    std::optional<LinkRates> rates = {};
};

// A line of the table beside the squares: what a kind sends inside nodes and between them.
struct NodeTotalsLine {
    QColor colour;
    QString name;
    QString intra;
    QString inter;
    bool is_faded = false;
};

// All that a heatmap shows. Plain values: the panel makes it, the view draws it.
struct HeatmapScene {
    std::vector<HeatmapSquare> squares; // one, or two side by side with one window and one scale
    std::int64_t ranks = 0;             // of the larger square
    HeatSpan span;
    std::int64_t nodes_per_pod = 0;   // 0: not known
    std::optional<Kind> kind;         // shown alone; other traffic is a shadow
    std::optional<std::int64_t> rank; // its row and column are marked
    bool leaves_out_own = false;      // of nodes: what stays in one is left out, the diagonal is pale
    QString headline;
    QString short_headline; // where the whole one has no room; empty: there is none
    std::vector<NodeTotalsLine> totals;
    std::vector<NodeTotalsLine> links; // below them: a heading, then what single links carry
    std::vector<NodeTotalsLine> busy;  // below those: how long that keeps them busy
    QString
        figures_tip; // of headline, totals and links (rich text): all of them, where no room was found too
    QString hint;    // instead of everything: what to do to see something here

    bool isByNode() const { return !squares.empty() && squares.front().layout.nodes.has_value(); }
};

} // namespace shardscope
