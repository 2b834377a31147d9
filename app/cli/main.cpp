#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "core/scenario/nearest_key.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <vector>

namespace
{

using namespace shardscope;

constexpr std::string_view changes_help = "  CHANGES of a scenario, for this answer: --cluster CLUSTER puts "
                                          "it on another one, a preset's name or a "
                                          "file;\n  --deepspeed FILE trains it as a ds_config.json says; "
                                          "--set KEY=VALUE,... gives keys other values, "
                                          "as in\n  --set tensor=4,recompute=full\n";

std::string help()
{
    std::string text =
        "shardscope-cli: what distributed transformer training sends, stores and waits for\n\n";
    text += "usage: shardscope-cli COMMAND ARGUMENTS\n\n";
    for (const Command& command : commands())
        text += "  " + std::string{command.name} + " " + std::string{command.arguments} + "\n      "
                + std::string{command.summary} + "\n";
    return text + "\n  --help, --version; COMMAND --help\n" + std::string{changes_help}
           + "  SCENARIO may be -, which is standard input: a scenario, for predict one a line. So may the "
             "two "
             "of steps, one of\n  them, and the FILE of --scenario.\n";
}

std::string changesHelp(const Command& command)
{
    return std::string{command.arguments.find("[CHANGES]") == std::string_view::npos ? "" : changes_help};
}

// predict has its own words: it reads a scenario a line.
std::string inputHelp(const Command& command)
{
    const bool has_scenario = command.arguments.find("SCENARIO ") != std::string_view::npos;
    if (command.name == "predict"
        || (!has_scenario && command.arguments.find("--scenario") == std::string_view::npos))
        return {};
    return has_scenario ? "  SCENARIO may be -: a scenario on standard input\n"
                        : "  the FILE of --scenario may be -: a scenario on standard input\n";
}

// Beside an answer, which goes to standard output, nothing else may go there.
bool writesToAnswer(const std::string& name, const Arguments& arguments)
{
    return name != "export-timeline" && arguments.valueOf("-o") == "-";
}

int failOverCommand(const std::string& name)
{
    std::vector<std::string> names;
    for (const Command& command : commands())
        names.emplace_back(command.name);
    return fail(exit_wrong_usage, "there is no command \"" + name + "\"; the nearest one is "
                                      + nearestWord(name, names) + "; --help lists all");
}

int run(const std::vector<std::string>& arguments)
{
    if (arguments.empty())
        return fail(exit_wrong_usage, "no command is given; --help lists them");
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h")
        return print(help());
    if (name == "--version")
        return print("shardscope-cli " SHARDSCOPE_VERSION "\n");
    const Command* command = commandNamed(name);
    if (command == nullptr)
        return failOverCommand(name);
    const std::span<const std::string> rest{arguments.begin() + 1, arguments.end()};
    if (std::ranges::find(rest, "--help") != rest.end())
        return print("usage: " + usageOf(*command) + "\n  " + std::string{command->summary} + '\n'
                     + changesHelp(*command) + inputHelp(*command));
    const Result<Arguments> parsed = parseArguments(rest, command->options);
    if (!parsed)
        return fail(exit_wrong_usage, name + ": " + parsed.error().sentence);
    if (parsed.value().has("--csv") && parsed.value().has("--json"))
        return fail(exit_wrong_usage, name + ": --csv and --json are two answers; choose one of them");
    if (writesToAnswer(name, parsed.value()))
        return fail(exit_wrong_usage,
                    name + ": -o -: standard output has the answer already; name a file to write");
    return command->run(parsed.value());
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::bad_alloc&) {
        return fail(exit_bad_input, "there is not enough memory for this; give it smaller or fewer files");
    } catch (const std::system_error& error) { // no thread can be started
        return fail(exit_bad_input, std::string{"the system refused what this needs: "} + error.what());
    }
}
