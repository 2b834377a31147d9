#pragma once

#include <string>
#include <string_view>

namespace shardscope
{

// How Megatron-LM's parser takes an option, "disable-bias-linear", into its table of arguments.
struct MegatronOption {
    std::string name; // "add_bias_linear"
    std::string flag; // what it sets, as it takes no value: "False". Empty for others and the unknown
    bool takes_several = false; // values up to the next option
};
MegatronOption megatronOption(std::string_view option);

// Options of torchrun, which may stand in an array of their own, and not of the script that it runs. Those
// that say how many processes run are not among them. `name` has underscores.
bool isLaunchersOption(std::string_view name);
bool isCountOfProcesses(std::string_view name);

// Of paths, names and addresses, which change no size and are nobody's business.
bool isOptionOfPathOrText(std::string_view name);

} // namespace shardscope
