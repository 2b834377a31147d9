#pragma once

#include <string_view>

namespace shardscope
{

// The scenario's key for what launch scripts, config.json files and papers call otherwise: "mbs",
// "tensor_model_parallel_size", "seq_length". Empty: it is none of them.
std::string_view keyOfOtherName(std::string_view name);

} // namespace shardscope
