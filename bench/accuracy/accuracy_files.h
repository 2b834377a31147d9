#pragma once

#include "bench/accuracy/residuals.h"

#include <string>

namespace shardscope
{

// resources/presets/time_errors.json: the bands by type of GPU.
std::string timeErrorsFile(const Residuals& residuals);

// resources/accuracy/cases.json: what was measured, where it is from, its scenario, and what constants
// predict that never saw its source.
std::string casesFile(const Residuals& residuals);

} // namespace shardscope
