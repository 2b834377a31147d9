#pragma once

#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/theme.h"

#include "core/sweep/sweep.h"

namespace shardscope
{

// What the bars of a study stand for.
enum class SweepQuantity : std::uint8_t {
    time,
    shares,
    tokens_per_s,
    tokens_per_gpu,
    mfu,
    memory,
    sent_bytes,
    speedup
};
inline constexpr int sweep_quantity_count = 8;

QString quantityName(SweepQuantity quantity);
QString quantityMeaning(SweepQuantity quantity);
AxisUnit unitOf(SweepQuantity quantity);
// Amounts that may differ a hundredfold from place to place: a logarithmic axis shows all of them. Parts of
// an amount have no lengths of their own there, so the bars are not divided.
bool canBeLogarithmic(SweepQuantity quantity);
// Times, or shares of them.
bool isOfTime(SweepQuantity quantity);

// How high a point's bar is. Pre: it can be trained.
double heightOf(const SweepPoint& point, SweepQuantity quantity);
QString amountText(double value, SweepQuantity quantity);
// The bar's parts; one without a name where there is nothing to divide. Faded when it does not fit the GPU.
std::vector<BarSegment> segmentsOf(const SweepPoint& point, SweepQuantity quantity, const Theme& theme);
// All of it as one.
BarSegment undivided(const SweepPoint& point, SweepQuantity quantity, const Theme& theme);

} // namespace shardscope
