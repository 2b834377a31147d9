#pragma once

#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/shell/shell_variables.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shardscope
{

// A file that an option names.
struct OptionFile {
    std::string written; // in the script's own words, "${CONFIG}"
    ShellValue value;
};

// The options of a script in the order in which it writes them, and the arguments that they make together.
class ScriptOptions
{
public:
    // `option` as it is written, without its dashes. `owner` is the variable whose string or array holds it;
    // empty for that of a command.
    // `in_branch`: of an if or a case, which is taken whatever it asks.
    void add(std::string_view option, ShellValue value, std::string_view owner, bool in_branch);
    // The option that names DeepSpeed's configuration.
    void addDeepSpeedFile(std::string_view option, OptionFile file, std::string_view owner, bool in_branch);
    // The variable is written out in a command, or in another variable's value.
    void use(std::string_view owner) { m_used.emplace(owner); }
    // The variable is set anew: what it held so far does not count.
    void overwrite(std::string_view owner);

    LaunchScript result() const;
    // The configuration of those options that count, of several the last; nothing: none names one.
    std::optional<OptionFile> deepSpeedFile() const;

private:
    struct Found {
        std::string option;
        std::string name;
        ShellValue value;
        std::string owner;
        int generation; // how often the owner had been overwritten
        bool in_branch;
        std::string written; // of a file, in the script's words; empty: of another option
    };
    bool isOfUsed(const Found& one) const;
    bool usesAny() const;
    bool isUnused(const Found& one, bool uses_any) const;
    int generationOf(std::string_view owner);

    std::vector<Found> m_found;
    std::unordered_map<std::string, int> m_generations; // of each owner
    std::unordered_set<std::string> m_used;
};

} // namespace shardscope
