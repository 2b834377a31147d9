#pragma once

#include "core/analysis/measurement.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// Tokens that the experts of a rank received, over an even share of them.
struct MeasuredExpertLoad {
    std::int64_t rank = 0;
    double load = 0.0;
};

// Of the all_to_all calls of expert parallelism, those of a profiler step alone or all. A dispatch sends a
// rank's own tokens and receives those of its experts; the combination after it, and both again on the way
// back, sends and receives the same the other way round. With S = sum of in + out of a rank and as many own
// tokens on every rank, its experts received 2 S / mean(S) - 1 shares. By rank; empty without calls of known
// sizes.
std::vector<MeasuredExpertLoad> measuredExpertLoads(const TraceSet& traces, const Measurement& measurement,
                                                    std::optional<std::int64_t> step = {});

} // namespace shardscope
