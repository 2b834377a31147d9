#include "widgets/plots/heatmap/heatmap_layout.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double margin = 8.0;
constexpr double gap = 14.0;
constexpr double bar_width = 12.0;
constexpr double smallest_side_with_bands = 150.0;
constexpr double smallest_side_with_titles = 120.0;
constexpr double smallest_side_with_legend = 90.0;
// Squares give up so much of their side where the table then has room beside them.
constexpr double smallest_side_with_table = 300.0;
constexpr double smallest_share_with_table = 0.7;

struct Frame {
    double left = 0.0; // of a square: ticks and bands
    double top = 0.0;
    double bottom = 0.0;
    double right = 0.0; // the legend
};

Frame frameOf(const HeatmapNeeds& needs, double band_width, bool has_legend, bool has_axis_titles = false)
{
    const double bands = needs.bands * band_width;
    Frame frame;
    frame.left = needs.tick_width + 6.0 + bands;
    frame.bottom = needs.line_height + 4.0 + bands;
    frame.top = needs.line_height + 6.0 + (needs.has_titles ? needs.line_height + 4.0 : 0.0);
    if (has_axis_titles) {
        frame.left = std::max(frame.left, needs.axis_titles + 8.0);
        frame.top += needs.has_titles ? 0.0 : needs.line_height;
    }
    frame.right = has_legend ? gap + bar_width + 4.0 + needs.legend_width : 0.0;
    return frame;
}

// Only the first square has numbers at its left; the others stand a gap beside it.
double sideOf(const QRectF& area, const HeatmapNeeds& needs, const Frame& frame)
{
    const double width = area.width() - frame.left - frame.right - gap * (needs.squares - 1);
    const double height = area.height() - frame.top - frame.bottom;
    return std::floor(std::min(width / needs.squares, height));
}

// What stands around the squares: as much as they leave room for.
Frame chooseFrame(const QRectF& inside, const HeatmapNeeds& needs, HeatmapLayout& layout)
{
    layout.band_width = needs.bands > 0 ? needs.line_height : 0.0;
    Frame frame = frameOf(needs, layout.band_width, true);
    if (sideOf(inside, needs, frame) < smallest_side_with_bands) {
        layout.band_width = 0.0;
        frame = frameOf(needs, 0.0, true);
    }
    const bool has_legend = sideOf(inside, needs, frame) >= smallest_side_with_legend;
    if (!has_legend)
        frame = frameOf(needs, 0.0, false);
    const Frame titled = frameOf(needs, layout.band_width, has_legend, true);
    layout.has_axis_titles =
        needs.axis_titles > 0.0 && sideOf(inside, needs, titled) >= smallest_side_with_titles;
    return layout.has_axis_titles ? titled : frame;
}

QRectF totalsAt(double left, double top, const HeatmapNeeds& needs)
{
    return {left, top, needs.totals_width, needs.line_height * (needs.totals_lines + 1)};
}

// A table of so many lines below another one or at its right, where `inside` has room for it.
QRectF tableBy(const QRectF& other, int lines, const QRectF& inside, const HeatmapNeeds& needs)
{
    const QRectF below{other.left(), other.bottom() + needs.line_height / 2, other.width(),
                       needs.line_height * lines};
    if (other.isEmpty() || below.isEmpty())
        return {};
    if (below.bottom() <= inside.bottom())
        return below;
    const QRectF beside{other.right() + 2 * gap, other.top(), below.width(), below.height()};
    return inside.contains(beside) ? beside : QRectF{};
}

double widthOf(double side, const HeatmapNeeds& needs, const Frame& frame)
{
    return frame.left + side * needs.squares + gap * (needs.squares - 1) + frame.right;
}

// The largest side, or the one that leaves room for the table beside squares that stay large, where it has
// none below them.
double chooseSide(const QRectF& inside, const HeatmapNeeds& needs, const Frame& frame)
{
    const double most = std::max(1.0, sideOf(inside, needs, frame));
    const double below = inside.height() - frame.top - most - frame.bottom - margin;
    if (needs.totals_lines == 0 || below >= needs.line_height * (needs.totals_lines + 1))
        return most;
    const double missing = widthOf(most, needs, frame) + gap + needs.totals_width - inside.width();
    const double side = most - std::ceil(std::max(0.0, missing) / needs.squares);
    const double least = std::max(smallest_side_with_table, smallest_share_with_table * most);
    return side >= least ? side : most;
}

} // namespace

HeatmapLayout layOutHeatmap(const QRectF& area, const HeatmapNeeds& needs)
{
    const QRectF inside = area.adjusted(margin, margin / 2, -margin, -margin / 2);
    HeatmapLayout layout;
    const Frame frame = chooseFrame(inside, needs, layout);
    const double side = chooseSide(inside, needs, frame);
    layout.tick_space = needs.tick_width + 6.0;

    const double used = widthOf(side, needs, frame);
    const bool beside = needs.totals_lines > 0 && inside.width() - used >= needs.totals_width + gap;
    const double whole = used + (beside ? gap + needs.totals_width : 0.0);
    double left = inside.left() + std::floor(std::max(0.0, (inside.width() - whole) / 2)) + frame.left;
    const double top = inside.top() + frame.top;

    layout.headline = {inside.left(), inside.top(), inside.width(), needs.line_height};
    for (int i = 0; i < needs.squares; ++i) {
        layout.squares.emplace_back(left, top, side, side);
        layout.titles.emplace_back(left, top - needs.line_height - 2.0, side,
                                   needs.has_titles ? needs.line_height : 0.0);
        left += side + gap;
    }
    if (frame.right > 0.0)
        layout.colour_bar = {left, top, bar_width, side};
    const double below_top = top + side + frame.bottom + margin;
    const QRectF below = totalsAt(layout.squares.front().left(), below_top, needs);
    if (beside)
        layout.totals = totalsAt(left + frame.right, top, needs);
    else if (needs.totals_lines > 0 && below.bottom() <= inside.bottom()
             && needs.totals_width <= inside.width())
        layout.totals = below;
    layout.links = tableBy(layout.totals, needs.links_lines, inside, needs);
    layout.busy = tableBy(layout.links, needs.busy_lines, inside, needs);
    return layout;
}

} // namespace shardscope
