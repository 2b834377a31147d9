#include "core/scenario/shell/sbatch_variables.h"

#include "core/base/whole_number.h"
#include "core/scenario/shell/shell_variables.h"
#include "core/scenario/shell/shell_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace shardscope
{

namespace
{

struct Request {
    std::int64_t nodes = 0; // 0 here and below: not said
    std::int64_t tasks = 0;
    std::int64_t tasks_per_node = 0;
    std::int64_t gpus_per_node = 0;
    std::int64_t cpus_per_task = 0;
};

struct Directive {
    std::string_view name;
    std::string_view letter;
    std::int64_t Request::*place;
};
constexpr auto directives = std::to_array<Directive>({
    {"--nodes", "-N", &Request::nodes},
    {"--ntasks", "-n", &Request::tasks},
    {"--ntasks-per-node", "", &Request::tasks_per_node},
    {"--gpus-per-node", "", &Request::gpus_per_node},
    {"--gres", "", &Request::gpus_per_node}, // gpu:8, gpu:h100:8
    {"--cpus-per-task", "-c", &Request::cpus_per_task},
});

// What stands behind the name in the same word; empty where the next word is it, nothing where it is
// another's.
std::optional<std::string_view> behindName(const Directive& directive, std::string_view word)
{
    if (word == directive.name || word == directive.letter)
        return std::string_view{};
    if (word.starts_with(directive.name) && word[directive.name.size()] == '=')
        return word.substr(directive.name.size() + 1);
    if (!directive.letter.empty() && word.starts_with(directive.letter))
        return word.substr(directive.letter.size());
    return std::nullopt;
}

// "--nodes=4", "--nodes 4", "-N 4", "-N4"
void readDirectives(std::string_view line, Request& request)
{
    ShellWords words{line, ShellText::quoted_words};
    while (const auto word = words.next()) {
        for (const Directive& directive : directives) {
            auto value = behindName(directive, word->text);
            if (!value)
                continue;
            if (value->empty())
                if (const auto next = words.next())
                    value = next->text;
            request.*directive.place = wholeNumber(value->substr(value->find_last_of(':') + 1)).value_or(0);
            break;
        }
    }
}

void add(std::string_view name, std::int64_t number, ShellVariables& variables)
{
    if (number > 0)
        variables.assign(name, {.text = std::to_string(number)});
}

} // namespace

void addSbatchVariables(std::string_view script, ShellVariables& variables)
{
    constexpr std::string_view mark = "#SBATCH";
    Request request;
    for (std::string_view rest = script; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.starts_with(mark))
            readDirectives(line.substr(mark.size()), request);
    }
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(); // so that the product fits
    if (request.tasks == 0 && request.nodes <= most && request.tasks_per_node <= most)
        request.tasks = request.nodes * request.tasks_per_node;
    add("SLURM_NNODES", request.nodes, variables);
    add("SLURM_JOB_NUM_NODES", request.nodes, variables);
    add("SLURM_NTASKS", request.tasks, variables);
    add("SLURM_NPROCS", request.tasks, variables);
    add("SLURM_NTASKS_PER_NODE", request.tasks_per_node, variables);
    add("SLURM_GPUS_PER_NODE", request.gpus_per_node, variables);
    add("SLURM_GPUS_ON_NODE", request.gpus_per_node, variables);
    add("SLURM_CPUS_PER_TASK", request.cpus_per_task, variables);
}

} // namespace shardscope
