#include "app/cli/collective_command.h"

#include "app/cli/cluster_argument.h"
#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/number_list.h"
#include "core/base/format.h"
#include "core/base/lower_case.h"
#include "core/prediction/not_calibrated.h"
#include "core/report/collective_report.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/scale_up_domain.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

constexpr std::array predicted_ops{Op::all_reduce, Op::all_gather, Op::reduce_scatter, Op::reduce,
                                   Op::all_to_all, Op::broadcast,  Op::send,           Op::recv};

// "allreduce" of all_reduce, as NCCL and nccl-tests write it.
std::string withoutJoints(std::string_view name)
{
    std::string letters = inLowerCase(name);
    std::erase(letters, '_');
    return letters;
}

Result<Op> predictedOp(const std::string& name)
{
    std::vector<std::string> words;
    for (const Op op : predicted_ops) {
        if (withoutJoints(word(op)) == withoutJoints(name))
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

// Nodes of a domain of fast links are one for the law. Who asks for trays of a rack that counts as one node
// is told.
std::string joinNodes(const Cluster& cluster, CollectiveQuestion& question)
{
    const auto asked = static_cast<std::int64_t>(question.per_node);
    const std::int64_t joined = ranksOfDomain(cluster, asked, question.ranks);
    if (joined == std::min<std::int64_t>(question.ranks, asked))
        return {};
    const std::string domain = std::to_string(scaleUpDomain(cluster));
    if (cluster.gpus_per_node < scaleUpDomain(cluster)) {
        question.per_node = static_cast<int>(joined);
        return "fast links join the nodes of " + domain + " GPUs: " + std::to_string(joined)
               + " of the ranks are taken as on one node";
    }
    return "a node of this cluster is a rack of " + domain + " GPUs, of which --per-node "
           + std::to_string(asked) + " takes " + std::to_string(asked) + "; with "
           + countedSentence(asked, "1 rank", "# ranks") + " on each tray of one rack, say --per-node "
           + std::to_string(joined);
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
    auto question = questionOf(arguments);
    if (!question)
        return fail(exit_wrong_usage, "collective: " + question.error().sentence);
    const auto cluster = clusterArgument(arguments.paths.front());
    if (!cluster)
        return fail(exit_bad_input, cluster.error().sentence);
    const std::string joined = joinNodes(cluster.value().cluster, question.value());
    CollectiveAnswer answer = predictCollective(cluster.value().cluster, question.value());
    std::vector<std::string> warnings;
    if (!joined.empty())
        warnings.push_back(joined);
    for (const ClusterAssumption& assumed : cluster.value().assumptions)
        if (assumed.key != "mu") // of Li et al.'s formula
            warnings.push_back(assumed.sentence);
    answer.warnings.insert(answer.warnings.begin(), warnings.begin(), warnings.end());
    if (!cluster.value().cluster.calibrated)
        answer.warnings.emplace_back(not_calibrated);
    return print(arguments.has("--json") ? collectiveJson(answer) + "\n" : collectiveText(answer));
}

} // namespace shardscope
