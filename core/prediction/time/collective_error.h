#pragma once

#include "core/prediction/time/collective_prediction.h"

#include <array>

namespace shardscope
{

// How far below and above its prediction the time of a call of `message_bytes` may lie, as shares of it:
// {-0.1, 0.1}. It is what four of five points of the published nccl-tests curves stay within. Operations and
// links of a kind that none of them has, unless the cluster tells figures of its own for these that are not
// inferred, have the error that constants of another kind of links made there (docs/accuracy.md,
// "Collectives"). Zeros where the cluster is not calibrated.
std::array<double, 2> collectiveErrorBand(const Cluster& cluster, const CollectiveQuestion& question,
                                          std::int64_t message_bytes);

} // namespace shardscope
