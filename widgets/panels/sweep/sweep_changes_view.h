#pragma once

#include "widgets/models/study_answer.h"
#include "widgets/models/table_text.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/changes/change_scene.h"
#include "widgets/plots/theme.h"

namespace shardscope
{

// Changes of the scenario, one at a time, or those since the scenario was pinned, one after the other: the
// two studies that are drawn as rows. Pre of all: the answer is to one of them.
ChangeScene changesScene(const StudyAnswer& answer, const Theme& theme);
std::vector<LegendChip> changesLegend(const StudyAnswer& answer, const Theme& theme);
// The place that a row leads to; null: there is none.
const SweepPoint* pointOfRow(const StudyAnswer& answer, int row);
// For the status bar and the tool tip.
QString changeSentence(const StudyAnswer& answer, int row);
QString changeTip(const StudyAnswer& answer, int row);
TableRows changesTable(const StudyAnswer& answer);

} // namespace shardscope
