#pragma once

#include "core/scenario/scenario.h"

#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// The figures of the model that go with another hidden size, where it is swept: "model.attention_heads", ...
// Empty where it is the base's. A file with another hidden_size alone keeps them, and costs something else.
std::vector<std::string> followingWidths(const Scenario& base, const Scenario& made);

// A line that tells which they are at any of the places; empty where none is.
std::string widthNote(const Scenario& base, std::span<const Scenario> made);

} // namespace shardscope
