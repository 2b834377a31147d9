#pragma once

#include <string>

namespace shardscope
{

// A setting of a training run, named as Megatron-LM names it in the table that it prints: "hidden_size",
// "6144". Flags are "True" or "False"; what was not set is "None".
struct RunArgument {
    std::string name;
    std::string value;
    bool operator==(const RunArgument&) const = default;
};

} // namespace shardscope
