#include "widgets/plots/timeline/shade_line.h"

namespace shardscope
{

void ShadeLine::copyTo(std::span<Shade> shades) const
{
    Shade* const out = shades.data();
    const Cell* const cells = m_cells.data();
    const std::size_t count = m_count;
    for (std::size_t i = 0; i < count; ++i) {
        const int share = shareOf(cells[i]);
        const Shade shade{static_cast<LanePaint>(cells[i] & ((1U << paint_bits) - 1)),
                          (share * Shade::full + whole / 2) >> cell_bits};
        out[i] = Shade::withCode(share > 0 ? shade.code() : out[i].code());
    }
}

} // namespace shardscope
