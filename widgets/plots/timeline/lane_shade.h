#pragma once

#include "widgets/plots/timeline/lane_paint.h"

#include <algorithm>
#include <compare>
#include <cstdint>

namespace shardscope
{

// What a pixel column of a row shows: the paint that fills most of it, and how much of its time is busy, in
// 255ths. The busier of two is the greater. Two bytes, as rows keep millions of them.
class Shade
{
public:
    static constexpr int full = 255;
    static constexpr std::size_t codes = 1U << 14; // all codes are below

    constexpr Shade() = default; // nothing
    // `fill` is cut to [1, full]: whatever is there can be seen.
    constexpr Shade(LanePaint paint, int fill)
        : m_code{
            static_cast<std::uint16_t>(std::clamp(fill, 1, full) << fill_shift | static_cast<int>(paint))}
    {
    }

    constexpr bool isEmpty() const { return m_code == 0; }
    constexpr LanePaint paint() const { return static_cast<LanePaint>(m_code & paint_mask); }
    constexpr int fill() const { return m_code >> fill_shift & full; }
    // Part of a call that waits for other ranks.
    constexpr bool waits() const { return (m_code & waiting_mark) != 0; }
    constexpr Shade waiting() const { return withCode(m_code | waiting_mark); }
    constexpr std::uint16_t code() const { return m_code; }
    static constexpr Shade withCode(int code)
    {
        Shade shade;
        shade.m_code = static_cast<std::uint16_t>(code);
        return shade;
    }

    // What two neighbours of one width look like as one column.
    static constexpr Shade ofHalves(Shade a, Shade b)
    {
        return withCode((a.fill() + b.fill() + 1) >> 1 << fill_shift
                        | (std::max(a.m_code, b.m_code) & paint_mask));
    }

    constexpr bool operator==(const Shade&) const = default;
    constexpr std::strong_ordering operator<=>(const Shade&) const = default;

private:
    static constexpr int fill_shift = 5;
    static constexpr int paint_mask = (1 << fill_shift) - 1;
    static constexpr int waiting_mark = 1 << 13;
    static_assert(lane_paint_count <= paint_mask + 1);

    std::uint16_t m_code = 0;
};

} // namespace shardscope
