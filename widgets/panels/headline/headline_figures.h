#pragma once

#include "widgets/panels/headline/headline_tile.h"
#include "widgets/session/content.h"

#include "core/report/explanation/explanation.h"

#include <span>

namespace shardscope
{

// One tile's figure: where its number comes from and whether more of it is better.
struct HeadlineFigure {
    const char* title = "";
    Figure figure = Figure::parameters_total;
    double (*number)(const PredictedScenario& scenario) = nullptr;
    QString (*text)(double number) = nullptr;
    QString (*detail)(const PredictedScenario& scenario) = nullptr;
    int better = 0;                // 1: more is better; -1: less is; 0: neither
    bool change_in_points = false; // ratios: the change is a difference in percentage points, not a quotient
};

std::span<const HeadlineFigure> headlineFigures();

// What the tile shows for a scenario, and against the pinned one, which may be null.
HeadlineValue headlineValue(const HeadlineFigure& figure, const PredictedScenario& shown,
                            const PredictedScenario* pinned);

} // namespace shardscope
