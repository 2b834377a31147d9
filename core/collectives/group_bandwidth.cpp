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
    if (spread.straight_share > 0.0) { // each by its own part of the network, and inside beside it
        const double own = links.node_share * links.node_GBps / static_cast<double>(spread.gpus_per_node);
        const double leaving = own / spread.straight_share;
        return spread.straight_share < 1.0 ? std::min(leaving, within / (1.0 - spread.straight_share))
                                           : leaving;
    }
    const double across = links.node_share * links.node_GBps / static_cast<double>(spread.groupsPerNode());
    return spread.ranks_per_node > 1 ? std::min(within, across) : across;
}

} // namespace shardscope
