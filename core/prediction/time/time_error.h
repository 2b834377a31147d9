#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <string>

namespace shardscope
{

// Li et al.'s formula with bandwidths that nobody measured, and a mu that was not fitted with them: derived
// ones are no better than the data sheet's.
bool isUncalibratedLi(const Scenario& scenario);

// Why it is like no dense decoder whose complete steps were published: "experts, context parallelism"; an
// encoder, a list of parameters, 32 or 4 bits. Empty: it is like them.
std::string unlikeMeasured(const Scenario& scenario);
// Whether its band is the wider for that; the GPU's own may be as wide. Of the detailed time model.
bool isWidenedAsUnlike(const Scenario& scenario, std::int64_t parameters);

// Share by which a layer's time may be off, whichever model the scenario is predicted with; 0 where the
// cluster is not calibrated.
double layerTimeError(const Scenario& scenario, std::int64_t parameters);

// How far below and above its prediction a time may lie, as shares of it: {-0.1, 0.1}. The kind of case whose
// measurements are nearest decides; zeros where none was ever compared, as with Li et al.'s formula and
// measured bandwidths. Of a cluster that was fitted to iterations it is the fit's for the time model that was
// fitted, for the other one that of published ones.
std::array<double, 2> timeErrorBand(const Scenario& scenario, std::int64_t parameters);

} // namespace shardscope
