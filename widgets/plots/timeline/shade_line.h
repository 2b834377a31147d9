#pragma once

#include "widgets/plots/timeline/lane_shade.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
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

    // [from, to) is covered: not empty, at most a cell beyond the last, and not before the cell that was
    // covered last.
    void cover(int from, int to, LanePaint paint)
    {
        const int first = from >> cell_bits;
        const int last = (to - 1) >> cell_bits;
        const int first_begin = first << cell_bits;
        const int first_end = first_begin + whole;
        const int in_first = std::min(to, first_end) - from;
        int& filled = m_filled[static_cast<std::size_t>(paint)];
        const int filled_first = std::min(std::max(filled, first_begin) + in_first, first_end);
        filled = to > first_end ? to : filled_first;
        Cell* const cells = m_cells.data();
        const Cell with_first = withMore(cells[first], in_first, mostOf(filled_first - first_begin, paint));
        const Cell full = onlyOf(whole, paint);
        if (last - first < ahead) { // whatever it is, four cells are written
            const Between between = full_between[static_cast<std::size_t>(last - first)] & full;
            std::memcpy(cells + first + 1, &between, sizeof between);
        } else {
            std::fill(cells + first + 1, cells + last, full);
        }
        cells[last] = onlyOf(to - (last << cell_bits), paint);
        cells[first] = with_first;
    }
    // Not before the cell that was added to last. A cell has the paint with the largest share.
    void add(int index, int share, LanePaint paint)
    {
        int& filled = m_filled[static_cast<std::size_t>(paint)];
        const int begin = index << cell_bits;
        filled = std::min(std::max(filled, begin) + share, begin + whole);
        const int own = filled - begin;
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
    static constexpr int ahead = 5; // cells; what is drawn by its parts covers no more
    using Between [[gnu::vector_size((ahead - 1) * sizeof(Cell))]] = Cell;
    // Behind the first cell, those before the one so many behind it.
    static constexpr std::array<Between, ahead> full_between{{{}, {}, {~0U}, {~0U, ~0U}, {~0U, ~0U, ~0U}}};

    static constexpr int paint_bits = 5;
    static constexpr int most_bits = 16;
    static constexpr Cell most_mask = (1U << most_bits) - 1;
    static_assert(lane_paint_count <= 1 << paint_bits && whole < 1 << (most_bits - paint_bits));

    static Cell mostOf(int share, LanePaint paint)
    {
        return static_cast<Cell>(share << paint_bits | static_cast<int>(paint));
    }
    static Cell cellOf(int share, Cell most) { return static_cast<Cell>(share) << most_bits | most; }
    // Of what is alone in a cell.
    static Cell onlyOf(int share, LanePaint paint)
    {
        constexpr Cell both = 1U << most_bits | 1U << paint_bits;
        return static_cast<Cell>(share) * both + static_cast<Cell>(paint);
    }
    static int shareOf(Cell cell) { return static_cast<int>(cell >> most_bits); }
    static Cell withMore(Cell cell, int share, Cell most)
    {
        return cellOf(std::min(shareOf(cell) + share, whole), std::max(cell & most_mask, most));
    }

    std::vector<Cell> m_cells; // and some beyond the last, for cover() to write to
    std::size_t m_count;
    // Where each paint would end if it had covered its last cell from the left without gaps.
    std::array<int, lane_paint_count> m_filled{};
};

} // namespace shardscope
