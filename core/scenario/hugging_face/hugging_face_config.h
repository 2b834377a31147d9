#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace shardscope
{

// A model as the config.json of Hugging Face transformers describes it, and what had to be assumed.
struct ModelConfigReading {
    std::string name;
    Model model;
    Precision precision = Precision::bf16; // of the stored weights
    std::vector<std::string> warnings;
};

// Whether the object is such a config.json: it has one of the keys that all of them have, and no section of a
// scenario.
bool isHuggingFaceConfig(const nlohmann::json& root);

// Known are the families of hugging_face_families.cpp. Keys that are left out have the defaults of
// transformers. Error: another architecture, a wrong type, a size that is missing.
Result<ModelConfigReading> readHuggingFaceConfig(const nlohmann::json& root);

} // namespace shardscope
