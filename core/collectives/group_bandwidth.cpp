#include "core/collectives/group_bandwidth.h"

#include <algorithm>

namespace shardscope
{

double groupBandwidth(const GroupSpread& spread, const NodeLinks& links)
{
    const double within = links.gpu_share * links.gpu_GBps;
    if (!spread.crossesNodes())
        return within;
    const double across = links.node_share * links.node_GBps / static_cast<double>(spread.groupsPerNode());
    return spread.ranks_per_node > 1 ? std::min(within, across) : across;
}

} // namespace shardscope
