#include "app/cli/arguments.h"

#include "core/scenario/nearest_key.h"

#include <algorithm>

namespace shardscope
{

namespace
{

Error unknownOption(const std::string& name, std::span<const Option> known)
{
    std::vector<std::string> names;
    for (const Option& option : known)
        names.emplace_back(option.name);
    return {"there is no option " + name + "; the nearest one is " + nearestWord(name, names)};
}

} // namespace

Result<Arguments> parseArguments(std::span<const std::string> arguments, std::span<const Option> known)
{
    Arguments parsed;
    bool only_paths = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (only_paths || argument == "-" || !argument.starts_with('-')) {
            parsed.paths.push_back(argument);
            continue;
        }
        if (argument == "--") {
            only_paths = true;
            continue;
        }
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const auto option = std::ranges::find(known, name, &Option::name);
        if (option == known.end())
            return unknownOption(name, known);
        std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (option->takes_value && equals == std::string::npos) {
            if (++i == arguments.size())
                return Error{name + " needs a value"};
            value = arguments[i];
        }
        if (!option->takes_value && equals != std::string::npos)
            return Error{name + " takes no value"};
        std::string& known_value = parsed.options[name];
        known_value = option->is_list && !known_value.empty() ? known_value + "," + value : value;
    }
    return parsed;
}

} // namespace shardscope
