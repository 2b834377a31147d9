#pragma once

#include "core/scenario/scenario_difference.h"
#include "core/sweep/change_steps.h"
#include "core/sweep/single_changes.h"

#include <functional>
#include <string>
#include <vector>

namespace shardscope
{

class JsonWriter;

// Changes of a scenario and what they do to an iteration, for people, programs and spreadsheets. Times in
// seconds, memory of the fullest GPU in bytes.

// "micro_batch_size 4 → 8, data 8 → 4": the differences of one step; of many the first, and how many more.
std::string stepText(const ChangeStep& step);
// The same with another name for each key.
std::string stepText(const ChangeStep& step, const std::function<std::string(const std::string&)>& name_of);
// [{"key", "before", "after"}], a line each.
void writeDifferences(const std::vector<ScenarioDifference>& differences, JsonWriter& json);
// "-12.3 %", "+4 %": `time_s` against `own_s`; below a tenth of a percent "0 %".
std::string againstText(double time_s, double own_s);

// {"own": {"iteration_s", "error_band", "device_bytes", "fits"}, "changes": [{"change", "of": "run" or
// "machine", "ratio", "iteration_s", "error_band", "device_bytes", "fits"}]}; ratio: of the times, changed by
// unchanged.
std::string changesJson(const SingleChanges& changes, int indent = 2);
// A line of headings, the scenario itself, then a line each.
std::vector<std::vector<std::string>> changesRows(const SingleChanges& changes);
std::string changesText(const SingleChanges& changes);

// {"before": as "own", "steps": [{"differences": [{"key", "before", "after"}], "of", "added_s",
// "iteration_s", "error_band", "device_bytes", "fits"}]}; added_s: since the step before.
std::string stepsJson(const ChangeSteps& way, int indent = 2);
std::vector<std::vector<std::string>> stepsRows(const ChangeSteps& way);
std::string stepsText(const ChangeSteps& way);

} // namespace shardscope
