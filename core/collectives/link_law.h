#pragma once

#include "core/collectives/collective_law.h"

#include <string_view>

namespace shardscope
{

// What collectives usually reach on links of a kind ("nvlink4", "tcp"), for systems that nobody has measured:
// the constants of `law` that belong to the links inside a node, or to the network, become that kind's. Kinds
// without a measurement get those of the nearest kind that has one.
void takeIntraLink(CollectiveLaw& law, std::string_view kind);
void takeInterLink(CollectiveLaw& law, std::string_view kind);

} // namespace shardscope
