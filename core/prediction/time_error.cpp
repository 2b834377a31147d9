#include "core/prediction/time_error.h"

namespace shardscope
{

namespace
{

constexpr std::int64_t large_model = 1'000'000'000; // parameters

} // namespace

std::array<double, 2> timeErrorBand(const Scenario& scenario, std::int64_t parameters)
{
    const ComputeLaw& law = scenario.cluster.compute;
    double error = parameters >= large_model ? law.time_error : law.time_error_small;
    if (scenario.training.precision == Precision::fp8)
        error = law.time_error_fp8;
    return {-error, error};
}

} // namespace shardscope
