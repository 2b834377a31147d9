#include "app/cli/collective_command.h"

#include "app/cli/cluster_argument.h"
#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/number_list.h"
#include "core/prediction/not_calibrated.h"
#include "core/report/collective_report.h"
#include "core/scenario/nearest_key.h"

#include <array>

namespace shardscope
{

namespace
{

constexpr std::array predicted_ops{Op::all_reduce, Op::all_gather, Op::reduce_scatter, Op::reduce,
                                   Op::all_to_all, Op::broadcast,  Op::send,           Op::recv};

Result<Op> predictedOp(const std::string& name)
{
    std::vector<std::string> words;
    for (const Op op : predicted_ops) {
        if (word(op) == name)
            return op;
        words.emplace_back(word(op));
    }
    return Error{"there is no op \"" + name + "\"; the nearest one is " + nearestWord(name, words)};
}

Result<CollectiveQuestion> questionOf(const Arguments& arguments)
{
    constexpr std::int64_t most_ranks = 10'000'000;
    CollectiveQuestion question;
    const auto op = predictedOp(arguments.valueOf("--op"));
    if (!op)
        return Error{"--op: " + op.error().sentence};
    const auto ranks = parseCount(arguments.valueOf("--ranks"), most_ranks);
    if (!ranks)
        return Error{"--ranks: " + ranks.error().sentence};
    const auto per_node = parseCount(arguments.valueOf("--per-node"), most_ranks);
    if (!per_node)
        return Error{"--per-node: " + per_node.error().sentence};
    auto sizes = parseSizes(arguments.valueOf("--bytes"));
    if (!sizes)
        return Error{"--bytes: " + sizes.error().sentence};
    question.op = op.value();
    question.ranks = static_cast<int>(ranks.value());
    question.per_node = static_cast<int>(per_node.value());
    question.message_bytes = std::move(sizes).value();
    return question;
}

} // namespace

int collectiveCommand(const Arguments& arguments)
{
    const std::string usage = "; usage: " + usageOf(*commandNamed("collective"));
    if (arguments.paths.size() != 1)
        return fail(exit_wrong_usage, "collective needs one cluster" + usage);
    for (const char* option : {"--op", "--ranks", "--per-node", "--bytes"})
        if (!arguments.has(option))
            return fail(exit_wrong_usage, "collective needs " + std::string{option} + usage);
    const auto question = questionOf(arguments);
    if (!question)
        return fail(exit_wrong_usage, "collective: " + question.error().sentence);
    const auto cluster = clusterArgument(arguments.paths.front());
    if (!cluster)
        return fail(exit_bad_input, cluster.error().sentence);
    CollectiveAnswer answer = predictCollective(cluster.value().cluster, question.value());
    std::vector<std::string> warnings;
    for (const ClusterAssumption& assumed : cluster.value().assumptions)
        warnings.push_back(assumed.sentence);
    answer.warnings.insert(answer.warnings.begin(), warnings.begin(), warnings.end());
    if (!cluster.value().cluster.calibrated)
        answer.warnings.emplace_back(not_calibrated);
    return print(arguments.has("--json") ? collectiveJson(answer) + "\n" : collectiveText(answer));
}

} // namespace shardscope
