#pragma once

#include "widgets/models/study_answer.h"
#include "widgets/models/table_text.h"
#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

namespace shardscope
{

// A measured iteration scaled to other sizes (Pati et al. 2023, operator-level model), a bar for each.
// `is_on_screen`: whoever sees it can be told what to do for a bar of the scenario's own.
BarScene measuredSizesScene(const StudyAnswer& answer, const Theme& theme, bool is_on_screen = true);
QString measuredSizesSentence(const StudyAnswer& answer, int bar, int segment);
std::vector<LegendChip> measuredSizesLegend(const StudyAnswer& answer, const Theme& theme);
TableRows measuredSizesTable(const StudyAnswer& answer);

} // namespace shardscope
