#pragma once

#include "widgets/models/study_answer.h"

#include "core/sweep/layout.h"
#include "core/sweep/sweep.h"

#include <QString>

#include <optional>
#include <vector>

namespace shardscope
{

// What stands below the bars of layouts that a search found.
struct LayoutLabels {
    // Of each: "8·4·32", the pipeline, tensor and data degree, with the context and the expert degree where
    // one has them: "8·4·2·16 e8". A layout that is nearly full has a "!". The one on screen begins with
    // "now"; where it is not of the front a line says how it compares: "37th", "≤ 37th" for 37th or better.
    // The last line says in what else the layouts differ: "b2 z1 r full". Words that belong together have a
    // no-break space.
    std::vector<QString> labels;
    QString title; // says what the letters are, and what all layouts have in common
};
// `base` is the scenario that was searched around, `own` where it stands, if that is known.
LayoutLabels layoutLabels(const std::vector<SweepPoint>& points, const Scenario& base,
                          const std::optional<OwnLayout>& own = {});

// "Varied: p t d b v, ZeRO stage, recomputation. Kept: global batch 32. Following the layout: Overlap
// tensor": what a search around the scenario tries, and what else is another with the layouts.
QString searchedWords(const Scenario& base, const std::vector<Layout>& layouts);

// "Overlap tensor on (now off)": what is another with the layout beside what the search varies; empty:
// nothing.
QString followingWords(const Scenario& base, const Layout& layout);
// The same of any scenario that was made of the base.
QString followingWords(const Scenario& base, const Scenario& made);

// "the one on screen is 37th of these", after how many fit.
QString ownLayoutClause(const LayoutsFound& layouts, const SweepPoint& own);
// "on screen: 37th of the 2 112 that fit".
QString ownLayoutWords(const LayoutsFound& layouts, const SweepPoint& own);

} // namespace shardscope
