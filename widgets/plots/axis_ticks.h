#pragma once

#include <QString>

#include <cstdint>
#include <vector>

namespace shardscope
{

// What an axis counts; decides where ticks may stand and how they are written. share: 1 is written as 100 %;
// doublings: a count that doubles from place to place, as that of GPUs.
enum class AxisUnit : std::uint8_t { seconds, bytes, count, share, doublings };

struct AxisTick {
    double value = 0.0;
    QString label;
};

// Ticks from 0 to `high`, at most `most` of them (at least two): steps of 1, 2 or 5 times a power of ten;
// bytes in powers of two, so that they are whole in KiB, MiB, GiB. One unit for the whole axis.
std::vector<AxisTick> linearTicks(double high, AxisUnit unit, int most);

// Ticks of a logarithmic axis inside [low, high]: powers of ten, with 2 and 5 between them where there is
// room, even steps where less than two of these lie inside, of bytes and doublings powers of two; thinned to
// at most `most`.
std::vector<AxisTick> logTicks(double low, double high, AxisUnit unit, int most);

// The first place for a tick at or above `value` when the axis has about four of them. An axis that ends
// there does not tremble while a slider moves.
double ceilingTick(double value, AxisUnit unit);

} // namespace shardscope
