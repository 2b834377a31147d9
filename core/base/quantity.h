#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace shardscope
{

// A number with a unit. The exponents of byte, second and floating-point operation are part of its type, so
// that bytes divided by bytes per second are seconds and nothing else compiles. For the laws of operators and
// links; sums of their seconds are doubles named _s, exact counts of bytes std::int64_t named _bytes
// (docs/decisions/0002).
template<int ByteExponent, int SecondExponent, int FlopExponent>
class Quantity
{
public:
    constexpr Quantity() = default;
    constexpr explicit Quantity(double value) : m_value{value} {}

    // In the base unit: bytes, seconds, operations.
    constexpr double value() const { return m_value; }

    constexpr Quantity& operator+=(Quantity other)
    {
        m_value += other.m_value;
        return *this;
    }
    constexpr auto operator<=>(const Quantity&) const = default;

    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.m_value + b.m_value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.m_value - b.m_value}; }
    friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity{a.m_value * factor}; }
    friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity{a.m_value * factor}; }
    friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity{a.m_value / divisor}; }

private:
    double m_value = 0.0;
};

template<int B1, int S1, int F1, int B2, int S2, int F2>
constexpr auto operator*(Quantity<B1, S1, F1> a, Quantity<B2, S2, F2> b)
{
    return Quantity<B1 + B2, S1 + S2, F1 + F2>{a.value() * b.value()};
}

template<int B1, int S1, int F1, int B2, int S2, int F2>
constexpr auto operator/(Quantity<B1, S1, F1> a, Quantity<B2, S2, F2> b)
{
    return Quantity<B1 - B2, S1 - S2, F1 - F2>{a.value() / b.value()};
}

using Bytes = Quantity<1, 0, 0>;
using Seconds = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<1, -1, 0>;
using FlopsPerSecond = Quantity<0, -1, 1>;

// An exact count, where a model of time goes on with it.
constexpr double asDouble(std::int64_t count)
{
    return static_cast<double>(count);
}

static_assert(std::same_as<decltype(Bytes{1} / BytesPerSecond{1}), Seconds>);
static_assert(std::same_as<decltype(Flops{1} / FlopsPerSecond{1}), Seconds>);

} // namespace shardscope
