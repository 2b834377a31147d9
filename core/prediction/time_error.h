#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>

namespace shardscope
{

// How far below and above its prediction the detailed model's time may lie, as shares of it: {-0.1, 0.1}.
// The kind of case whose measurements are nearest decides; zeros where none was ever compared.
std::array<double, 2> timeErrorBand(const Scenario& scenario, std::int64_t parameters);

} // namespace shardscope
