#pragma once

#include "core/scenario/hugging_face/hugging_face_families.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// Where a configuration says what its layers are made of: in lists of words, or in one text of Megatron-LM's
// letters, "M-M*-".
struct LayerKeys {
    std::vector<std::string_view> lists{"layer_types", "layers_block_type"};
    std::string_view letters; // empty: there is no such text
    bool one_block = false;   // a layer may be an MLP or experts alone
};

// What each layer is listed as: attention, a recurrence, an MLP or experts alone. Empty where nothing is
// listed, or where what is listed is wrong, which fails.
std::vector<LayerForm> listedLayers(const ConfigContext& context, const LayerKeys& keys);
// Numbers of layers, from 0 on, as a list has them; a number that no layer has fails.
std::vector<std::int64_t> listedNumbers(const ConfigContext& context, std::string_view key);
// Whether so many layers can be listed; where not, validate() refuses them.
bool canBeListed(std::int64_t layers);

// A layer of a block that lets tokens see each other and one that does not.
LayerForm layerOf(LayerForm first, LayerForm second);
// These layers as the model's pattern, or what they repeat: it stays readable, and the number of layers can
// be changed. Pre: experts and recurrence are read.
void takeLayers(const ConfigContext& context, const std::vector<LayerForm>& layers);

} // namespace shardscope
