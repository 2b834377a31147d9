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

    explicit ShadeLine(std::size_t cells) : m_share(cells), m_most(cells) {}

    // [from, to) is covered: not empty, inside, and not before what was covered last.
    void cover(int from, int to, LanePaint paint)
    {
        const int first = from >> cell_bits;
        const int last = (to - 1) >> cell_bits;
        add(first, std::min(to, (first + 1) << cell_bits) - from, paint);
        for (int between = first + 1; between < last; ++between)
            add(between, whole, paint);
        add(last, (to - (last << cell_bits)) & -static_cast<int>(last > first), paint);
    }
    // Not before the cell that was added to last. A cell has the paint with the largest share.
    void add(int index, int share, LanePaint paint)
    {
        Slot& slot = m_slots[static_cast<std::size_t>(paint)];
        const int own = std::min(share + (slot.share & -static_cast<int>(slot.cell == index)), most_share);
        slot = {index, own};
        const auto cell = static_cast<std::size_t>(index);
        m_share[cell] = static_cast<std::uint16_t>(std::min(m_share[cell] + share, whole));
        m_most[cell] =
            std::max(m_most[cell], static_cast<std::uint16_t>(own << paint_bits | static_cast<int>(paint)));
    }
    // What is then left is nothing if it is not more than `blur`.
    void takeAway(int index, int share, int blur)
    {
        std::uint16_t& known = m_share[static_cast<std::size_t>(index)];
        const int rest = known - share;
        known = static_cast<std::uint16_t>(rest > blur ? rest : 0);
    }
    void clear(int index)
    {
        m_share[static_cast<std::size_t>(index)] = 0;
        m_most[static_cast<std::size_t>(index)] = 0;
    }

    // Writes the shades of cells that have one over others.
    void copyTo(std::span<Shade> shades) const;

private:
    struct Slot {
        int cell = -1;
        int share = 0; // that the paint has in it
    };

    static constexpr int paint_bits = 5;
    static constexpr int most_share = (1 << (16 - paint_bits)) - 1;
    static_assert(lane_paint_count <= 1 << paint_bits && whole <= most_share);

    std::vector<std::uint16_t> m_share;
    std::vector<std::uint16_t> m_most;            // the largest share of one paint, and below it the paint
    std::array<Slot, lane_paint_count> m_slots{}; // what each paint has in the last cell
};

} // namespace shardscope
