#pragma once

#include "bench/accuracy/collective_curves.h"
#include "bench/accuracy/law_fit.h"
#include "bench/accuracy/residuals.h"
#include "bench/accuracy/unseen_steps.h"

#include <string>

namespace shardscope
{

// docs/accuracy.md: fitted and cross-validated errors side by side, by source, GPU, scale and size; the order
// within sweeps; schedules, models with experts, steps that nothing was fitted to and collectives by
// themselves; the bands; the constants; the cases that are furthest off.
std::string accuracyDocument(const Residuals& residuals, const std::vector<TruthCase>& schedules,
                             const std::vector<TruthCase>& experts, const std::vector<UnseenStep>& unseen,
                             const CollectiveCurves& curves, const Laws& laws);

// One line for people who work on the model.
std::string accuracySummary(const Residuals& residuals);

} // namespace shardscope
