#pragma once

#include "core/analysis/measurement.h"
#include "core/analysis/memory_comparison.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace shardscope
{

// What ranks' GPUs held at most, alone and beside the prediction. All are empty, or add nothing, where
// nothing was measured.

// A word for JSON, and one for people: "training log".
std::string_view word(MemoryFrom from);
std::string_view memorySource(MemoryFrom from);

// Adds "memory", a list by rank, to the trace summary, or to the comparison.
void addMemoryJson(const Measurement& measurement, nlohmann::ordered_json& json);
void addMemoryJson(const MemoryComparison& comparison, nlohmann::ordered_json& json);

std::string memoryText(const Measurement& measurement);
// The fullest rank of each stage.
std::string memoryText(const MemoryComparison& comparison);

} // namespace shardscope
