#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// A key of the scenario's file that two scenarios have differently, without its section: "recompute",
// "inter_node.bandwidth_GBps"; the values as the file has them, words without their quotes.
struct ScenarioDifference {
    std::string key;
    std::string before;
    std::string after;
};

// In the file's order; the name is none. Of another model or cluster the preset comes first, and what is
// different with it last of all.
std::vector<ScenarioDifference> differences(const Scenario& before, const Scenario& after);

} // namespace shardscope
