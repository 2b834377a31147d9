#pragma once

#include "widgets/models/analysis_table.h"

#include "core/analysis/run_difference.h"

namespace shardscope
{

// Whether the section is of two runs, and so has its table here.
bool isOfTwoRuns(AnalysisSection section);

// What has changed since the pinned run, what differs most first. Pre: isOfTwoRuns(section).
AnalysisTable differenceTable(AnalysisSection section, const RunDifference& difference);

} // namespace shardscope
