#pragma once

#include "core/prediction/time/collective_prediction.h"

#include <array>

namespace shardscope
{

// How far off times of a cluster's collectives may be. It is what four of five points of the published
// nccl-tests curves stay within. Operations and links of a kind that none of them has, unless the cluster
// tells figures of its own for these that are not inferred, have the error that constants of another kind of
// links made there (docs/accuracy.md, "Collectives").
class CollectiveErrors
{
public:
    explicit CollectiveErrors(const Cluster& cluster);

    // Of a call with so many bytes, as a share of its time; 0 where the cluster is not calibrated.
    double of(Op op, bool crosses_nodes, double message_bytes) const;

private:
    bool m_calibrated;
    bool m_measured_within_nodes;
    bool m_measured_across_nodes;
};

// The same below and above the prediction: {-0.1, 0.1}.
std::array<double, 2> collectiveErrorBand(const Cluster& cluster, const CollectiveQuestion& question,
                                          std::int64_t message_bytes);

} // namespace shardscope
