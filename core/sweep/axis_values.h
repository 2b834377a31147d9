#pragma once

#include "core/sweep/sweep_axis.h"

#include <vector>

namespace shardscope
{

// Values worth a bar, rising, the scenario's own among them: doublings, divisors, or all names. At most about
// a dozen and a half. Some may still be impossible, for a reason that the sweep tells.
std::vector<double> barValues(const Scenario& scenario, SweepAxis axis);

// Values for one side of a map: as many as `most` that the axis can take, rising, spread evenly over their
// logarithm; fewer where it has fewer.
std::vector<double> mapValues(const Scenario& scenario, SweepAxis axis, int most);

} // namespace shardscope
