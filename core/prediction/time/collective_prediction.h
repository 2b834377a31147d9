#pragma once

#include "core/collectives/collective.h"
#include "core/collectives/collective_time.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

struct Machine;

// One collective by itself: `ranks` fill nodes with `per_node` each, and `siblings` groups use each node's
// network at the same time.
struct CollectiveQuestion {
    Op op = Op::all_reduce;
    int ranks = 2;
    int per_node = 2;
    std::vector<std::int64_t> message_bytes; // as wireBytes() defines it
    int siblings = 1;
    std::optional<PodPlace> pods{}; // none: ranks fill one pod after the other
};

// Times, bus bandwidths (as nccl-tests counts them) and how far off a time may be, in the order of the sizes.
struct CollectiveAnswer {
    CollectiveQuestion question;
    std::vector<double> time_s;
    std::vector<double> busbw_GBps;
    std::vector<std::array<double, 2>> error_band; // shares of the time, as collectiveErrorBand() gives them
    std::vector<std::string> warnings;
};

// How the ranks of a question lie on the cluster's nodes.
Communicator communicatorOf(const CollectiveQuestion& question, const Machine& machine);

// The detailed time model's law at work. Nodes larger than the cluster's are taken as asked for, with a
// warning.
CollectiveAnswer predictCollective(const Cluster& cluster, const CollectiveQuestion& question);

} // namespace shardscope
