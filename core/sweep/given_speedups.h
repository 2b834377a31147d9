#pragma once

#include "core/base/result.h"
#include "core/sweep/sweep.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

// What somebody measured on so many GPUs: a speedup or a throughput, in whatever unit.
struct GivenSpeedup {
    std::int64_t gpus = 0;
    double amount = 0.0;
    bool operator==(const GivenSpeedup&) const = default;
};

// "64 7.1, 128 13.4": pairs that a comma, a semicolon or a line break parts; within one also ":" or "=". By
// number of GPUs. Error: the sentence names the pair.
Result<std::vector<GivenSpeedup>> readSpeedups(std::string_view text);

// A given speedup beside the predicted one and Cheng et al. 2024's estimate (Fig. 15): all of them against
// the first number of GPUs that was both given and predicted.
struct SpeedupComparison {
    std::int64_t gpus = 0;
    double given = 1.0;
    double predicted = 1.0;
    std::optional<double> estimated; // nothing where nothing is sent
};

struct SpeedupComparisons {
    std::vector<SpeedupComparison> rows; // the first is the base: all of it 1
    // Means of |speedup / given - 1| over the rows beyond the base; nothing: there are none.
    std::optional<double> error_predicted;
    std::optional<double> error_estimated;
};

// Pre: `points` are those of a sweep over GPUs, of one group.
SpeedupComparisons compareSpeedups(const std::vector<GivenSpeedup>& given,
                                   const std::vector<SweepPoint>& points);

} // namespace shardscope
