#include "widgets/plots/timeline/bin_pyramid.h"

#include <bit>

namespace shardscope
{

void BinPyramid::fill(const std::array<Shade*, most_levels>& levels, int finest)
{
    m_levels = levels;
    m_finest = finest;
    const Shade* const fine = levels[static_cast<std::size_t>(finest)];
    const std::size_t bins = std::size_t{1} << finest;
    if (finest >= 1) {
        Shade* const halves = levels[static_cast<std::size_t>(finest - 1)];
        for (std::size_t bin = 0; bin < bins / 2; ++bin)
            halves[bin] = Shade::ofHalves(fine[2 * bin], fine[2 * bin + 1]);
    }
    if (finest < 2)
        return;
    Tally& tally = m_tallies[static_cast<std::size_t>(finest - 2)];
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const auto paint = static_cast<std::size_t>(fine[bin].paint());
        tally.share[paint] += fine[bin].fill();
        tally.touched |= static_cast<std::uint32_t>(!fine[bin].isEmpty()) << paint;
        // Each level is complete when the number of bins that it stands over is.
        std::size_t done = bin + 1;
        if (done % 4 != 0)
            continue;
        int level = finest - 2;
        for (done /= 4; level >= 0; done /= 2, --level) {
            close(level, done - 1);
            if (done % 2 != 0)
                break;
        }
    }
}

void BinPyramid::close(int level, std::size_t bin)
{
    Tally& tally = m_tallies[static_cast<std::size_t>(level)];
    Shade& shade = m_levels[static_cast<std::size_t>(level)][bin];
    shade = {};
    if (tally.touched == 0)
        return;
    Tally& over = m_tallies[static_cast<std::size_t>(level > 0 ? level - 1 : most_levels - 1)];
    std::int32_t total = 0;
    std::int32_t most = 0;
    int most_paint = 0;
    for (std::uint32_t rest = tally.touched; rest != 0; rest &= rest - 1) {
        const int paint = std::countr_zero(rest);
        std::int32_t& share = tally.share[static_cast<std::size_t>(paint)];
        total += share;
        most_paint = share > most ? paint : most_paint;
        most = std::max(most, share);
        over.share[static_cast<std::size_t>(paint)] += share;
        share = 0;
    }
    over.touched |= tally.touched;
    tally.touched = 0;
    const int halvings = m_finest - level;
    shade = Shade{static_cast<LanePaint>(most_paint), (total + (1 << (halvings - 1))) >> halvings};
}

} // namespace shardscope
