#pragma once

#include "core/base/result.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>

namespace shardscope
{

// Pure: no clock, no file, no global; call it as often as a slider moves. Error: the first sentence of
// validate().
Result<Prediction> predict(const Scenario& scenario);
// What a search among many scenarios asks first.
struct CostAtLeast {
    std::int64_t device_bytes = 0; // as predicted
    std::int64_t capacity_bytes = 0;
    bool fits = false;
    double iteration_s = 0.0;                   // predict() finds no less; 0 where it does not fit
    std::array<double, 2> error_band{0.0, 0.0}; // predict() finds none that is wider
};
// Without playing the schedule, which is what takes predict() long. Error: as predict().
Result<CostAtLeast> costAtLeast(const Scenario& scenario);
// Memory alone, in a few microseconds. Error: as predict().
Result<MemoryPrediction> predictMemory(const Scenario& scenario);

} // namespace shardscope
