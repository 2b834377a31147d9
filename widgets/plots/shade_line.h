#pragma once

#include "widgets/plots/lane_shade.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// Cells side by side, and how much of each is covered by what. In the header and with few branches on the
// data, for this is done for each event on screen, and whether one ends in the cell it began in cannot be
// foreseen.
class ShadeLine
{
public:
    static constexpr int cell_bits = 10;
    static constexpr int whole = 1 << cell_bits; // places and shares are in parts of a cell

    explicit ShadeLine(std::size_t cells) : m_cells(cells + ahead), m_count{cells} {}

    // [from, to) is covered: not empty, inside, and not before what was covered last.
    void cover(int from, int to, LanePaint paint)
    {
        const int first = from >> cell_bits;
        const int last = (to - 1) >> cell_bits;
        Slot& slot = m_slots[static_cast<std::size_t>(paint)];
        const int in_first = std::min(to, (first + 1) << cell_bits) - from;
        const int own = std::min(in_first + (slot.share & maskOf(slot.cell == first)), most_share);
        const int in_last = to - (last << cell_bits);
        slot = {last, last > first ? in_last : own};
        Cell* const cells = m_cells.data();
        const Cell with_first = withMore(cells[first], in_first, mostOf(own, paint));
        const Cell full = cellOf(whole, mostOf(whole, paint));
        // As many cells as are rarely too few; what they are too many is taken back.
        std::fill_n(cells + first + 1, ahead - 1, full);
        for (int between = first + ahead; between < last; ++between)
            cells[between] = full;
        cells[last] = cellOf(in_last, mostOf(in_last, paint));
        std::fill_n(cells + last + 1, ahead - 1, Cell{0});
        cells[first] = with_first;
    }
    // Not before the cell that was added to last. A cell has the paint with the largest share.
    void add(int index, int share, LanePaint paint)
    {
        Slot& slot = m_slots[static_cast<std::size_t>(paint)];
        const int own = std::min(share + (slot.share & maskOf(slot.cell == index)), most_share);
        slot = {index, own};
        Cell& cell = m_cells[static_cast<std::size_t>(index)];
        cell = withMore(cell, share, mostOf(own, paint));
    }
    // What is then left is nothing if it is not more than `blur`.
    void takeAway(int index, int share, int blur)
    {
        Cell& cell = m_cells[static_cast<std::size_t>(index)];
        const int rest = shareOf(cell) - share;
        cell = cellOf(rest > blur ? rest : 0, cell & most_mask);
    }
    void clear(int index) { m_cells[static_cast<std::size_t>(index)] = 0; }

    // Writes the shades of cells that have one over others.
    void copyTo(std::span<Shade> shades) const;

private:
    // The share that is covered, and below it the largest share of one paint with that paint: one number, for
    // most of the cost is to store it.
    using Cell = std::uint32_t;
    struct Slot {
        int cell = -1;
        int share = 0; // that the paint has in it
    };

    static constexpr int ahead = 5; // cells; what is drawn by its parts covers no more
    static constexpr int paint_bits = 5;
    static constexpr int most_bits = 16;
    static constexpr Cell most_mask = (1U << most_bits) - 1;
    static constexpr int most_share = (1 << (most_bits - paint_bits)) - 1;
    static_assert(lane_paint_count <= 1 << paint_bits && whole <= most_share);

    // Not a condition that the compiler might jump by.
    static int maskOf(bool condition) { return -static_cast<int>(condition); }
    static Cell mostOf(int share, LanePaint paint)
    {
        return static_cast<Cell>(share << paint_bits | static_cast<int>(paint));
    }
    static Cell cellOf(int share, Cell most) { return static_cast<Cell>(share) << most_bits | most; }
    static int shareOf(Cell cell) { return static_cast<int>(cell >> most_bits); }
    static Cell withMore(Cell cell, int share, Cell most)
    {
        return cellOf(std::min(shareOf(cell) + share, whole), std::max(cell & most_mask, most));
    }

    std::vector<Cell> m_cells; // and some beyond the last, for cover() to write to
    std::size_t m_count;
    std::array<Slot, lane_paint_count> m_slots{}; // what each paint has in the last cell
};

} // namespace shardscope
