#pragma once

#include "core/scenario/hugging_face/model_config_fields.h"
#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What one family's configuration is read into.
struct ConfigContext {
    ModelConfigFields& fields;
    Model& model;
    std::vector<std::string>& warnings;
};
using ConfigReader = void (*)(const ConfigContext&);

// How configurations of this model_type are read; null: not known.
ConfigReader configReader(std::string_view model_type);
// What layers of architectures that are refused for it are made of; empty: nothing that is known of.
std::string_view otherLayers(std::string_view model_type);
// "gpt2, gpt_neox, ...", for a sentence.
std::string knownModelTypes();

} // namespace shardscope
