#include "widgets/plots/timeline/lane_paint.h"

namespace shardscope
{

namespace
{

QColor colourOf(LanePaint paint, const Theme& theme)
{
    const QColor compute = theme.colour(Hue::compute);
    switch (paint) {
    case LanePaint::compute:
        return compute;
    case LanePaint::matrix:
        return theme.colour(Hue::matrix);
    case LanePaint::attention:
        return theme.colour(Hue::attention);
    case LanePaint::reduction:
        return theme.colour(Hue::reduction);
    case LanePaint::elementwise:
        return theme.colour(Hue::elementwise);
    case LanePaint::memory:
        return theme.colour(Hue::memory_copy);
    case LanePaint::cpu:
        return blend(compute, theme.background(), 0.45);
    case LanePaint::runtime:
        return blend(compute, theme.background(), 0.6);
    case LanePaint::annotation:
    case LanePaint::other:
        return blend(compute, theme.background(), 0.75);
    case LanePaint::forward:
        return blend(compute, theme.background(), 0.25);
    case LanePaint::backward:
        return blend(compute, theme.text(), 0.2);
    case LanePaint::forward_of_even_chunk:
        return blend(compute, theme.background(), 0.6);
    case LanePaint::backward_of_even_chunk:
        return blend(compute, theme.text(), 0.45);
    case LanePaint::weight_gradient: // in a V it stands beside backward passes of both chunks
        return blend(compute, theme.text(), 0.75);
    case LanePaint::optimizer:
        return theme.colour(Hue::step);
    case LanePaint::bubble:
        return theme.colour(Hue::bubble);
    case LanePaint::communication:
        break;
    }
    return theme.colour(kindOf(paint).value_or(Kind::unknown));
}

} // namespace

LaneColours laneColours(const Theme& theme, std::optional<Kind> kind)
{
    LaneColours colours;
    for (int i = 0; i < lane_paint_count; ++i) {
        const auto paint = static_cast<LanePaint>(i);
        QColor colour = colourOf(paint, theme);
        if (kind && kindOf(paint) != kind)
            colour = blend(colour, theme.background(), 0.78);
        colours[static_cast<std::size_t>(i)] = colour;
    }
    return colours;
}

} // namespace shardscope
