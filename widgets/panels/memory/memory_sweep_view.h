#pragma once

#include "widgets/models/table_text.h"
#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/theme.h"

#include "core/sweep/memory_sweep.h"

namespace shardscope
{

// Memory over the sequence's length or the micro-batch, as the memory panel shows it: a bar for each value,
// with the capacity across. Empty sweeps show a hint.
BarScene sweepScene(const MemorySweep& sweep, MemoryAxis axis, std::int64_t own_value, const Theme& theme);
QString sweepSentence(const MemorySweep& sweep, MemoryAxis axis, int bar, int segment);
TableRows sweepTable(const MemorySweep& sweep, MemoryAxis axis);

// Demand of models (h * s) beside memory of devices over the years, both against those of 2018, and the
// scenario's own demand.
BarScene yearsScene(const Scenario* scenario, const Theme& theme);
QString yearsSentence(const Scenario* scenario, int bar);
TableRows yearsTable(const Scenario* scenario);

} // namespace shardscope
