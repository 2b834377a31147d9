#pragma once

#include "core/base/result.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// An option that a command knows.
struct Option {
    std::string_view name; // "--ranks"
    bool takes_value = false;
    bool is_list = false; // given again, it goes on with a comma
};

// A command line taken apart: options wherever they stand, "--ranks all" and "--ranks=all", the rest in
// order.
struct Arguments {
    std::vector<std::string> paths; // everything that is no option; "-" is one, and all behind "--"
    std::map<std::string, std::string, std::less<>> options;

    bool has(std::string_view option) const { return options.contains(option); }
    // Empty: the option is not given.
    std::string valueOf(std::string_view option) const
    {
        const auto found = options.find(option);
        return found == options.end() ? std::string{} : found->second;
    }
};

// Error: the sentence says which argument is wrong.
Result<Arguments> parseArguments(std::span<const std::string> arguments, std::span<const Option> known);

} // namespace shardscope
