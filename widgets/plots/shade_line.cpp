#include "widgets/plots/shade_line.h"

namespace shardscope
{

void ShadeLine::copyTo(std::span<Shade> shades) const
{
    Shade* const out = shades.data();
    const std::uint16_t* const shares = m_share.data();
    const std::uint16_t* const most = m_most.data();
    const std::size_t count = m_count;
    for (std::size_t i = 0; i < count; ++i) {
        const Shade shade{static_cast<LanePaint>(most[i] & ((1 << paint_bits) - 1)),
                          (shares[i] * Shade::full + whole / 2) >> cell_bits};
        out[i] = Shade::withCode(shares[i] > 0 ? shade.code() : out[i].code());
    }
}

} // namespace shardscope
