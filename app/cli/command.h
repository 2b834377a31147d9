#pragma once

#include "app/cli/arguments.h"

#include <span>
#include <string>
#include <string_view>

namespace shardscope
{

// One subcommand of shardscope-cli.
struct Command {
    std::string_view name;
    std::string_view arguments; // as the usage shows them
    std::string_view summary;   // what it answers, one line
    std::span<const Option> options;
    // Answers the exit status.
    int (*run)(const Arguments& arguments);
};

// Every subcommand, in the order of the help. To add one, add a line.
std::span<const Command> commands();
// Nothing: there is no such subcommand.
const Command* commandNamed(std::string_view name);

// "shardscope-cli predict SCENARIO... [--json]"
std::string usageOf(const Command& command);

} // namespace shardscope
