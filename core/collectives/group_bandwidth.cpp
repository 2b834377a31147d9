#include "core/collectives/group_bandwidth.h"

#include <algorithm>

namespace shardscope
{

double groupBandwidth_GBps(const GroupSpread& spread, const NodeLinks& links)
{
    const auto others = static_cast<double>(std::max<std::int64_t>(1, spread.ranks_per_node - 1));
    const double of_mesh = links.mesh_peers > 0 ? std::min(1.0, others / links.mesh_peers) : 1.0;
    const double within = links.gpu_share * links.gpu_GBps * of_mesh;
    if (!spread.crossesNodes())
        return within;
    const double across = links.node_share * links.node_GBps / static_cast<double>(spread.groupsPerNode());
    return spread.ranks_per_node > 1 ? std::min(within, across) : across;
}

} // namespace shardscope
