#pragma once

#include "core/collectives/collective_time.h"
#include "core/prediction/time/collective_prediction.h"
#include "core/report/explanation/explanation.h"

#include <string>

namespace shardscope
{

// How the detailed time model's law comes to the time of one call: which algorithm it stands for, latency of
// its steps, bytes over the narrowest link, and the bus bandwidth. Pre: a group of several; no send.
Explanation explainCollective(Op op, Bytes message, const Communicator& group,
                              const Interconnect& interconnect);
Explanation explainCollective(const Cluster& cluster, const CollectiveQuestion& question,
                              std::int64_t message_bytes);

// The same in a few words: "latency 11.6 µs and 705 µs at 3.1 GB/s inside the node".
std::string collectivePartsText(const Cluster& cluster, const CollectiveQuestion& question,
                                std::int64_t message_bytes);

} // namespace shardscope
