#pragma once

#include "core/scenario/scenario.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace shardscope::test
{

// A model of the reference file: exact counts of parameters, operations, bytes and messages, and its
// configuration.
struct ReferenceModel {
    std::string name;
    Scenario scenario;
    nlohmann::json figures;
};

// Empty where the reference file is not at hand.
std::vector<ReferenceModel> referenceModels();

} // namespace shardscope::test
