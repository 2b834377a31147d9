#pragma once

#include "bench/accuracy/published_runs.h"
#include "bench/accuracy/residuals.h"

#include <string>

namespace shardscope
{

// resources/presets/time_errors.json: the bands by type of GPU.
std::string timeErrorsFile(const Residuals& residuals);

// resources/accuracy/cases.json: what was measured, where it is from, its scenario, and what constants
// predict that never saw its source; after them the steps that nothing was fitted to.
std::string casesFile(const Residuals& residuals, const PublishedRuns& published);

// partial_steps.json beside it: steps that their sources tell in part, and what these leave open.
std::string partialStepsFile(const std::vector<PartialStep>& steps);

// Beside them: gains of schedules, peaks of memory, and points of the collectives' curves.
std::string schedulesFile(const std::vector<TruthCase>& schedules);
std::string memoryFile(const std::vector<TruthCase>& memory);
std::string messagesFile(const std::vector<CurvePoint>& points);

} // namespace shardscope
