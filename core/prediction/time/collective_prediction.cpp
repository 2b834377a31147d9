#include "core/prediction/time/collective_prediction.h"

#include "core/prediction/time/collective_error.h"
#include "core/prediction/time/machine.h"
#include "core/prediction/time/pod_placement.h"

#include <algorithm>

namespace shardscope
{

Communicator communicatorOf(const CollectiveQuestion& question, const Machine& machine)
{
    Communicator group;
    group.members = question.ranks;
    group.per_node = std::min(question.per_node, question.ranks);
    group.siblings = question.siblings;
    group.pods = question.pods.value_or(podPlaceInOrder(group, machine));
    return group;
}

CollectiveAnswer predictCollective(const Cluster& cluster, const CollectiveQuestion& question)
{
    CollectiveAnswer answer;
    answer.question = question;
    const Machine machine{cluster};
    const Communicator group = communicatorOf(question, machine);
    answer.question.per_node = group.per_node; // a node holds no more ranks than there are
    if (group.per_node > machine.domain)
        answer.warnings.push_back("the cluster has " + std::to_string(machine.domain)
                                  + " GPUs on a node; nodes of " + std::to_string(group.per_node)
                                  + " with the same links are assumed");
    // Who receives waits for as long as the other sends.
    const Op op = question.op == Op::recv ? Op::send : question.op;
    for (const std::int64_t size : question.message_bytes) {
        const Bytes message{static_cast<double>(size)};
        const Seconds time = collectiveTime(op, message, group, machine.interconnect);
        answer.time_s.push_back(time.value());
        answer.busbw_GBps.push_back(busBandwidthGBps(op, group.members, message, time));
        const bool takes_time = answer.question.ranks > 1;
        answer.error_band.push_back(takes_time ? collectiveErrorBand(cluster, answer.question, size)
                                               : std::array{0.0, 0.0});
    }
    return answer;
}

} // namespace shardscope
