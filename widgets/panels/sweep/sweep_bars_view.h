#pragma once

#include "widgets/models/study_answer.h"
#include "widgets/models/table_text.h"
#include "widgets/panels/sweep/sweep_quantity.h"
#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

namespace shardscope
{

// A study's points as bars, the way the picture of sweeps shows them. Bars of places that cannot be trained
// are short and striped; ghosts, those of the pinned scenario, come first. On a logarithmic axis bars are
// undivided.
BarScene sweepBarsScene(const StudyAnswer& answer, SweepQuantity quantity, const Theme& theme,
                        bool is_logarithmic = false);
// The points are layouts that a search found, not places on an axis.
bool showsLayouts(const StudyAnswer& answer);
// The point of a bar; null for a ghost's.
const SweepPoint* pointOfBar(const StudyAnswer& answer, const BarScene& scene, int bar);
// For the status bar and the tool tip; `segment` as in the scene, -1: the bar as a whole.
QString sweepSentence(const StudyAnswer& answer, const SweepPoint& point, SweepQuantity quantity,
                      int segment);
QString sweepTip(const StudyAnswer& answer, const SweepPoint& point, SweepQuantity quantity, int segment);
std::vector<LegendChip> sweepLegend(const StudyAnswer& answer, SweepQuantity quantity, const Theme& theme,
                                    bool is_logarithmic = false);
TableRows sweepTable(const StudyAnswer& answer);

// "29.7 s (26.1 s – 33.4 s) an iteration, 1.1 M tokens/s, MFU 45 %, 63 GiB memory".
QString costText(const SweepPoint& point);
// "sequence length 4K, 25 GB/s".
QString placeText(const StudyAnswer& answer, const SweepPoint& point);

} // namespace shardscope
