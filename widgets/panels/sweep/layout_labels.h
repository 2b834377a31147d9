#pragma once

#include "core/sweep/sweep.h"

#include <QString>

#include <vector>

namespace shardscope
{

// What stands below the bars of layouts that a search found.
struct LayoutLabels {
    // Of each: "8·4·32", the pipeline, tensor and data degree, with the context and the expert degree where
    // one has them: "8·4·2·16 e8". A layout that is nearly full has a "!".
    // A line below says in what else the layouts differ: "b2 z1 r full".
    std::vector<QString> labels;
    QString title; // says what the letters are, and what all layouts have in common
};
// `own` is the layout of the scenario that was searched around.
LayoutLabels layoutLabels(const std::vector<SweepPoint>& points, const Parallel& own);

// "varied p t c d b v z sp r; kept global batch 32": what a search around the scenario tries.
QString searchedWords(const Scenario& base);

} // namespace shardscope
