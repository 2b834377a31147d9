#pragma once

#include "widgets/models/study_answer.h"
#include "widgets/models/table_text.h"
#include "widgets/plots/curves/curve_scene.h"
#include "widgets/plots/theme.h"

namespace shardscope
{

// Speedup over GPUs as curves: ideal, predicted, what the network alone would explain (Cheng et al. 2024),
// pinned; with a second axis a curve for each of its values. Measured speedups are marks, against the first
// number of GPUs that is predicted too.
CurveScene scalingScene(const StudyAnswer& answer, const Theme& theme);
// The point whose number of GPUs is nearest by ratio, of the scenario's own group; null: none can be trained.
const SweepPoint* scalingPointAt(const StudyAnswer& answer, double gpus);
// What is known of it, the figures first, where they come from last.
QStringList scalingLines(const StudyAnswer& answer, double gpus);
TableRows scalingTable(const StudyAnswer& answer);

} // namespace shardscope
