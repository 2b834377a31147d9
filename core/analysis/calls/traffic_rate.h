#pragma once

#include "core/analysis/calls/call.h"
#include "core/analysis/calls/cross_rank.h"

namespace shardscope
{

// See TrafficRate. The bins cover the whole run; there may be one fewer than asked for.
TrafficRate trafficRate(const CallList& list, int bins);
// The same of the calls that an analysis has found, with what the ranks' clocks are ahead taken out.
TrafficRate trafficRate(const std::vector<MeasuredCall>& calls, const TraceSet& traces,
                        const ClockOffsets& ahead, int bins);

} // namespace shardscope
