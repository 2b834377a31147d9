#pragma once

#include "core/analysis/measurement.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardscope
{

// The collectives that did not complete, as dumps of PyTorch's flight recorder tell them. All are empty, or
// add nothing, where there are none.

// The likely cause: "all_to_all of EXPERT_MODEL_PARALLEL_GROUP (sequence 123) waits for ranks 9 and 14, whose
// dumps end before it".
std::string unfinishedSentence(const Measurement& measurement);
std::string unfinishedText(const Measurement& measurement);
// Adds "unfinished" to the trace summary.
void addUnfinishedJson(const Measurement& measurement, nlohmann::ordered_json& json);

} // namespace shardscope
