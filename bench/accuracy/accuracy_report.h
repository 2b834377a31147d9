#pragma once

#include "bench/accuracy/law_fit.h"
#include "bench/accuracy/published_runs.h"
#include "bench/accuracy/residuals.h"

#include <string>

namespace shardscope
{

// docs/accuracy.md: fitted and cross-validated errors side by side, by source, GPU, scale and size; the order
// within sweeps; schedules, models with experts, steps that nothing was fitted to, memory, steps told in part
// and collectives by themselves; the bands; the constants; the cases that are furthest off.
std::string accuracyDocument(const Residuals& residuals, const PublishedRuns& published, const Laws& laws);

// One line for people who work on the model.
std::string accuracySummary(const Residuals& residuals);

} // namespace shardscope
