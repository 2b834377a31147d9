#pragma once

#include "core/analysis/activity.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace shardscope
{

// Adds what is known of a rank's activity and steps to its object in the trace summary: "steps",
// "time_distribution", "idle_causes", "streams", "launches", "memory_moves", "operators".
void addStepsJson(const RankMeasurement& rank, nlohmann::ordered_json& json);
void addActivityJson(const RankActivity& rank, nlohmann::ordered_json& json);

std::string stepsText(std::span<const RankMeasurement> ranks);
// Where the time of every rank went; with details, its streams, launches, copies and operators too.
std::string activityText(std::span<const RankActivity> ranks, bool details);

} // namespace shardscope
