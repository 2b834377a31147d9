#pragma once

#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/shell/shell_variables.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shardscope
{

// The options of a script in the order in which it writes them, and the arguments that they make together.
class ScriptOptions
{
public:
    // `option` as it is written, without its dashes. `owner` is the variable whose string or array holds it;
    // empty for that of a command.
    // `in_branch`: of an if or a case, which is taken whatever it asks.
    void add(std::string_view option, ShellValue value, std::string_view owner, bool in_branch);
    // The variable is written out in a command, or in another variable's value.
    void use(std::string_view owner) { m_used.emplace(owner); }
    // The variable is set anew: what it held so far does not count.
    void overwrite(std::string_view owner);

    LaunchScript result() const;

private:
    struct Found {
        std::string option;
        std::string name;
        ShellValue value;
        std::string owner;
        int generation; // how often the owner had been overwritten
        bool in_branch;
    };
    bool isOfUsed(const Found& one) const;

    std::vector<Found> m_found;
    std::unordered_map<std::string, int> m_generations; // of each owner
    std::unordered_set<std::string> m_used;
};

} // namespace shardscope
