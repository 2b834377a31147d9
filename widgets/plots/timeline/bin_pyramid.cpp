#include "widgets/plots/timeline/bin_pyramid.h"

#include <algorithm>
#include <bit>

namespace shardscope
{

void BinPyramid::fill(std::span<const LaneColumns::Part> parts, const Levels& levels)
{
    m_sums.resize(parts.size());
    for (std::size_t bin = 0; bin < parts.size(); ++bin)
        m_sums[bin] = std::min<std::uint32_t>(parts[bin], LaneColumns::whole);
    const int finest = std::bit_width(parts.size()) - 1;
    for (int level = finest; level >= 0; --level) {
        std::uint8_t* const bins = levels[static_cast<std::size_t>(level)];
        const std::size_t count = std::size_t{1} << level;
        const int shift = LaneColumns::cell_bits + finest - level;
        const std::uint32_t half = 1U << (shift - 1);
        for (std::size_t bin = 0; bin < count; ++bin) {
            const std::uint32_t rounded = (m_sums[bin] * full + half) >> shift;
            bins[bin] = static_cast<std::uint8_t>(
                rounded | static_cast<std::uint32_t>(rounded == 0 && m_sums[bin] != 0));
        }
        for (std::size_t bin = 0; bin < count / 2; ++bin)
            m_sums[bin] = m_sums[2 * bin] + m_sums[2 * bin + 1];
    }
}

} // namespace shardscope
