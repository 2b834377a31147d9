#pragma once

#include "core/analysis/calls/call.h"

namespace shardscope
{

// See TrafficRate. The bins cover the whole run; there may be one fewer than asked for.
TrafficRate trafficRate(const CallList& list, int bins);

} // namespace shardscope
