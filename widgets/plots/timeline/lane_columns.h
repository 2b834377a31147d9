#pragma once

#include "widgets/plots/timeline/lane_paint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// Some of the paints.
class PaintSet
{
public:
    constexpr PaintSet() = default; // none
    constexpr void insert(LanePaint paint) { m_bits |= 1U << static_cast<int>(paint); }
    constexpr bool contains(LanePaint paint) const { return (m_bits >> static_cast<int>(paint) & 1U) != 0; }
    constexpr bool isEmpty() const { return m_bits == 0; }
    constexpr bool meets(const PaintSet& other) const { return (m_bits & other.m_bits) != 0; }
    // In their order, which is also that in which they are stacked.
    template<class Visit>
    constexpr void forEach(Visit visit) const
    {
        for (std::uint32_t rest = m_bits; rest != 0; rest &= rest - 1)
            visit(static_cast<LanePaint>(std::countr_zero(rest)));
    }

private:
    static_assert(lane_paint_count <= 32);
    std::uint32_t m_bits = 0;
};

// Pixel columns side by side, or bins, and what part of its time each paint has of each: a plane of parts for
// every paint that occurs. In the header and with few branches on the data, for cover() is done for each
// event on screen, and whether one ends in the column it began in cannot be foreseen.
class LaneColumns
{
public:
    static constexpr int cell_bits = 10;
    static constexpr int whole = 1 << cell_bits; // places and parts are in this share of a column
    using Part = std::uint16_t;

    LaneColumns() = default;
    explicit LaneColumns(std::size_t count) { clear(count); }
    // So many columns, all of them empty.
    void clear(std::size_t count);

    std::size_t size() const { return m_count; }
    const PaintSet& paints() const { return m_paints; } // that may have a part of some column
    // Those of one paint; empty where it has none.
    std::span<const Part> of(LanePaint paint) const
    {
        return m_paints.contains(paint) ? std::span{m_parts.data() + placeOf(paint), m_count}
                                        : std::span<const Part>{};
    }
    std::span<Part> planeOf(LanePaint paint) { return {plane(paint), m_count}; }
    int part(std::size_t column, LanePaint paint) const
    {
        return m_paints.contains(paint) ? m_parts[placeOf(paint) + column] : 0;
    }
    // Of all paints together; rounding may take it above the whole.
    int filled(std::size_t column) const;
    bool isEmpty(std::size_t column) const { return filled(column) == 0; }
    bool isOnly(std::size_t column, LanePaint paint) const // from edge to edge
    {
        return part(column, paint) == whole && filled(column) == whole;
    }

    // [from, to) is covered, in parts from the left edge: not empty, at most a column beyond the last, and
    // not before what this paint covered last.
    void cover(int from, int to, LanePaint paint)
    {
        const int first = from >> cell_bits;
        const int first_end = (first + 1) << cell_bits;
        Part* const cells = plane(paint) + first;
        cells[0] = static_cast<Part>(cells[0] + std::min(to, first_end) - from);
        const int beyond = to - first_end;
        if (beyond > ahead * whole)
            fillBehind(cells + 1, beyond);
        else // whatever it is, so many columns are written
            storeBehind(cells + 1, static_cast<Lane>(beyond));
    }
    void add(std::size_t column, int part, LanePaint paint)
    {
        Part& cell = plane(paint)[column];
        cell = static_cast<Part>(std::min(cell + part, whole));
    }
    // Of all paints.
    void empty(std::size_t column);
    // [first, last) are this paint's alone.
    void fill(std::size_t first, std::size_t last, LanePaint paint);

    // Columns of a call that waits for other ranks.
    bool waits(std::size_t column) const { return !m_waits.empty() && m_waits[column]; }
    bool haveWaits() const { return !m_waits.empty(); }
    void setWaiting(std::size_t column);

    // What else goes on in the same time: within what is here, whose place it takes, or whenever it likes.
    enum class Meeting : unsigned char { nested, by_chance };
    void layOver(const LaneColumns& other, const PaintSet& paints, Meeting meeting);

private:
    using Lane = std::int16_t;
    static constexpr int ahead = 8; // columns
    using Behind [[gnu::vector_size(ahead * sizeof(Lane))]] = Lane;

    static void storeBehind(Part* cells, Lane beyond)
    {
        static constexpr Behind before{0,         whole,     2 * whole, 3 * whole,
                                       4 * whole, 5 * whole, 6 * whole, 7 * whole};
        static constexpr Behind full{whole, whole, whole, whole, whole, whole, whole, whole};
        Behind parts = beyond - before;
        parts = parts < 0 ? Behind{} : parts;
        parts = parts > full ? full : parts;
        __builtin_memcpy(cells, &parts, sizeof parts);
    }
    static void fillBehind(Part* cells, int beyond);

    std::size_t placeOf(LanePaint paint) const
    {
        return static_cast<std::size_t>(m_plane[static_cast<std::size_t>(paint)]) * m_stride;
    }
    Part* plane(LanePaint paint)
    {
        if (!m_paints.contains(paint)) [[unlikely]]
            addPlane(paint);
        return m_parts.data() + placeOf(paint);
    }
    void addPlane(LanePaint paint);
    std::vector<Part> filledBy(const PaintSet& paints) const;
    void makeRoom(const std::vector<Part>& taken, Meeting meeting);

    std::size_t m_count = 0;
    std::size_t m_stride = 0; // a plane has some columns beyond the last, for cover() to write to
    PaintSet m_paints;
    std::array<std::uint8_t, lane_paint_count> m_plane{}; // of each paint that occurs
    std::uint8_t m_planes = 0;
    std::vector<Part> m_parts;
    std::vector<bool> m_waits; // empty: none does
};

} // namespace shardscope
