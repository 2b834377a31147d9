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

    explicit ShadeLine(std::size_t cells) : m_share(cells + ahead), m_most(cells + ahead), m_count{cells} {}

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
        const std::uint16_t share = shareWith(first, in_first);
        const std::uint16_t most = mostWith(first, mostOf(own, paint));
        std::uint16_t* const shares = m_share.data();
        std::uint16_t* const mosts = m_most.data();
        // As many cells as are rarely too few; what they are too many is taken back.
        std::fill_n(shares + first + 1, ahead - 1, static_cast<std::uint16_t>(whole));
        std::fill_n(mosts + first + 1, ahead - 1, mostOf(whole, paint));
        for (int between = first + ahead; between < last; ++between) {
            shares[between] = static_cast<std::uint16_t>(whole);
            mosts[between] = mostOf(whole, paint);
        }
        shares[last] = static_cast<std::uint16_t>(in_last);
        mosts[last] = mostOf(in_last, paint);
        std::fill_n(shares + last + 1, ahead - 1, std::uint16_t{0});
        std::fill_n(mosts + last + 1, ahead - 1, std::uint16_t{0});
        shares[first] = share;
        mosts[first] = most;
    }
    // Not before the cell that was added to last. A cell has the paint with the largest share.
    void add(int index, int share, LanePaint paint)
    {
        Slot& slot = m_slots[static_cast<std::size_t>(paint)];
        const int own = std::min(share + (slot.share & maskOf(slot.cell == index)), most_share);
        slot = {index, own};
        m_share[static_cast<std::size_t>(index)] = shareWith(index, share);
        m_most[static_cast<std::size_t>(index)] = mostWith(index, mostOf(own, paint));
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

    // Not a condition that the compiler might jump by.
    static int maskOf(bool condition) { return -static_cast<int>(condition); }
    static std::uint16_t mostOf(int share, LanePaint paint)
    {
        return static_cast<std::uint16_t>(share << paint_bits | static_cast<int>(paint));
    }
    std::uint16_t shareWith(int index, int more) const
    {
        return static_cast<std::uint16_t>(std::min(m_share[static_cast<std::size_t>(index)] + more, whole));
    }
    std::uint16_t mostWith(int index, std::uint16_t its) const
    {
        return std::max(m_most[static_cast<std::size_t>(index)], its);
    }

    static constexpr int ahead = 9; // cells
    static constexpr int paint_bits = 5;
    static constexpr int most_share = (1 << (16 - paint_bits)) - 1;
    static_assert(lane_paint_count <= 1 << paint_bits && whole <= most_share);

    // And some beyond the last, for cover() to write to.
    std::vector<std::uint16_t> m_share;
    std::vector<std::uint16_t> m_most; // the largest share of one paint, and below it the paint
    std::size_t m_count;
    std::array<Slot, lane_paint_count> m_slots{}; // what each paint has in the last cell
};

} // namespace shardscope
