#pragma once

#include "core/scenario/presets.h"
#include "core/sweep/measured_cases.h"
#include "widgets/panels/measurement/accuracy_page.h"

#include <vector>

namespace shardscope
{

// Training steps: by source, GPU, scale, size, and whether constants were fitted to them. Those that their
// sources tell in part stand in groups of their own.
AccuracyPage stepsPage(std::vector<MeasuredStep> steps);

// Pipeline schedules: their throughput over that of 1F1B.
AccuracyPage schedulesPage(std::vector<MeasuredSchedule> schedules);

// Memory at the peak; `steps` tell how many runs that ran are said to fit.
AccuracyPage memoryPage(std::vector<MeasuredMemory> runs, const std::vector<MeasuredStep>& steps);

// Collectives by themselves, on systems of `presets`.
AccuracyPage messagesPage(const std::vector<MeasuredMessage>& messages, const Presets& presets);

} // namespace shardscope
