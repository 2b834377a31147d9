#pragma once

#include <string>
#include <string_view>

namespace shardscope
{

// A setting of a training run, named as Megatron-LM names it in the table that it prints: "hidden_size",
// "6144". Flags are "True" or "False"; what was not set is "None".
struct RunArgument {
    std::string name;
    std::string value;
    bool operator==(const RunArgument&) const = default;
};

// A pattern of a hybrid model's layers has modules for further tokens behind slashes, which in other values
// part the folders of a path.
inline bool isLayerPattern(std::string_view name, std::string_view value)
{
    return (name == "hybrid_layer_pattern" || name == "hybrid_override_pattern")
           && value.find_first_not_of("MG*-EDCHW+|/[]") == std::string_view::npos;
}

} // namespace shardscope
