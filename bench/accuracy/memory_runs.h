#pragma once

#include "bench/accuracy/published_runs.h"
#include "bench/accuracy/residuals.h"

#include <string>

namespace shardscope
{

// The section of docs/accuracy.md about memory: of runs that tell it, and whether runs fit that did.
std::string memorySection(const PublishedRuns& published, const Residuals& residuals);

} // namespace shardscope
