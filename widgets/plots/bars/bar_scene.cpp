#include "widgets/plots/bars/bar_scene.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// Of `from` ... `to` along the value axis and `centre` +- half `thickness` across, in pixels.
QRectF rectangleOf(Qt::Orientation orientation, double from, double to, double centre, double thickness)
{
    const double low = std::min(from, to);
    const double length = std::fabs(to - from);
    if (orientation == Qt::Vertical)
        return {centre - thickness / 2.0, low, thickness, length};
    return {low, centre - thickness / 2.0, length, thickness};
}

// Across the value axis, in pixels.
struct Breadth {
    double centre = 0.0;
    double thickness = 1.0;
};

// Where gaps are closed, thin bars have their edges on whole pixels: gaps narrower than a pixel would be one
// here and none there, which looks like data.
Breadth breadthOf(const BarScene& scene, const Bar& bar, const BarMapping& mapping)
{
    constexpr double thin = 8.0;
    const double category = mapping.pixelsPerCategory();
    if (!scene.closes_thin_gaps || category >= thin)
        return {mapping.categoryPixel(bar.centre),
                std::clamp(bar.thickness * category, 1.0, bar.most_pixels)};
    const double low = std::round(mapping.categoryPixel(bar.centre - 0.5));
    const double high = std::max(low + 1.0, std::round(mapping.categoryPixel(bar.centre + 0.5)));
    return {(low + high) / 2.0, high - low};
}

void placeBar(const BarScene& scene, const BarMapping& mapping, int index, std::vector<PlacedSegment>& placed)
{
    const Bar& bar = scene.bars[static_cast<std::size_t>(index)];
    const auto [centre, thickness] = breadthOf(scene, bar, mapping);
    const double forward = mapping.orientation == Qt::Vertical ? -1.0 : 1.0;
    double end = 0.0;
    for (std::size_t i = 0; i < bar.segments.size(); ++i) {
        const double value = bar.segments[i].value;
        if (!(value > 0.0))
            continue;
        const double from = mapping.valuePixel(end);
        end += value;
        double to = mapping.valuePixel(end);
        if (std::fabs(to - from) < 1.0)
            to = from + forward;
        placed.push_back(
            {rectangleOf(mapping.orientation, from, to, centre, thickness), index, static_cast<int>(i)});
    }
}

} // namespace

double BarMapping::categoryPixel(double position) const
{
    const double share = (position - category_low) / (category_high - category_low);
    return orientation == Qt::Vertical ? area.left() + share * area.width()
                                       : area.top() + share * area.height();
}

double BarMapping::valuePixel(double value) const
{
    double share = 0.0;
    if (is_logarithmic)
        share = value > value_low ? std::log(value / value_low) / std::log(value_high / value_low) : 0.0;
    else
        share = std::max(0.0, (value - value_low) / (value_high - value_low));
    return orientation == Qt::Vertical ? area.bottom() - share * area.height()
                                       : area.left() + share * area.width();
}

double BarMapping::pixelsPerCategory() const
{
    return (orientation == Qt::Vertical ? area.width() : area.height()) / (category_high - category_low);
}

BarMapping mappingOf(const BarScene& scene, Qt::Orientation orientation, const QRectF& area)
{
    return {area,
            orientation,
            scene.category_low,
            scene.category_high,
            scene.value_low,
            scene.value_high,
            scene.is_logarithmic};
}

double whiskerOffset(const Bar& bar, const BarMapping& mapping)
{
    const double thickness = std::min(bar.thickness * mapping.pixelsPerCategory(), bar.most_pixels);
    constexpr double thin = 20.0; // beneath it is the caption of the next
    return mapping.orientation == Qt::Vertical || thickness < thin
               ? std::max(0.0, thickness / 2.0 - half_whisker_cap - 1.0)
               : thickness / 2.0 - 1.0;
}

int linesOfLabels(const BarScene& scene)
{
    int lines = 1;
    for (const CategoryLabel& label : scene.category_labels)
        lines = std::max(lines, 1 + static_cast<int>(label.text.count('\n')));
    return lines;
}

bool hasLineAbove(const BarScene& scene)
{
    return (!scene.note.isEmpty() && !scene.leaves_out_note) || !scene.value_title.isEmpty();
}

double captionOverhang(const BarScene& scene, double area_height, double line)
{
    if (scene.leaves_out_captions)
        return 0.0;
    const BarMapping mapping = mappingOf(scene, Qt::Vertical, {0.0, 0.0, 1.0, area_height});
    const bool has_line = scene.limit && scene.limit->value <= scene.value_high;
    const double limit = has_line ? mapping.valuePixel(scene.limit->value) : -1.0;
    double overhang = has_line ? std::max(0.0, line + 2.0 - limit) : 0.0;
    for (const Bar& bar : scene.bars) {
        if (bar.is_ghost && !bar.segments.empty()) // a caption may go above it
            overhang = std::max(overhang, line + 2.0 - mapping.valuePixel(bar.segments.front().value));
        if (bar.caption.isEmpty())
            continue;
        for (const BarMark& mark : bar.marks) // it may go above these as well
            overhang = std::max(overhang, line + 2.0 - mapping.valuePixel(mark.value));
        double top = bar.whisker ? bar.whisker->high : 0.0;
        double height = 0.0;
        for (const BarSegment& segment : bar.segments)
            height += segment.value;
        top = std::max(top, height);
        const double foot = mapping.valuePixel(top);
        overhang = std::max(overhang, line - foot);
        const bool is_on_limit = limit >= 0.0 && foot > limit - 2.0 && foot - line <= limit;
        if (is_on_limit)
            overhang = std::max(overhang, line + 3.0 - limit);
        // Then the limit's text goes higher still, unless it finds room on the line above.
        if (!hasLineAbove(scene) && limit >= 0.0 && foot > limit - line - 2.0 && foot - line <= limit)
            overhang = std::max(overhang, 2.0 * line + 6.0 - limit);
    }
    return overhang;
}

std::vector<PlacedSegment> placeSegments(const BarScene& scene, const BarMapping& mapping)
{
    std::vector<PlacedSegment> placed;
    placed.reserve(scene.bars.size() * 4);
    for (const bool ghosts : {true, false})
        for (std::size_t i = 0; i < scene.bars.size(); ++i)
            if (scene.bars[i].is_ghost == ghosts)
                placeBar(scene, mapping, static_cast<int>(i), placed);
    return placed;
}

const PlacedSegment* segmentAt(const std::vector<PlacedSegment>& placed, const BarScene& scene, QPointF point)
{
    constexpr double reach = 3.0;
    constexpr double caption_reach = 22.0;
    const PlacedSegment* nearest = nullptr;
    double nearest_distance = reach;
    for (auto it = placed.rbegin(); it != placed.rend(); ++it) {
        if (scene.bars[static_cast<std::size_t>(it->bar)].is_ghost)
            continue;
        const Bar& bar = scene.bars[static_cast<std::size_t>(it->bar)];
        // A stub stands for a place without a figure: its caption answers for it.
        const bool is_stub = bar.segments.size() == 1 && bar.segments.front().texture == BarTexture::outline;
        const QRectF box = is_stub ? it->rectangle.adjusted(0.0, -caption_reach, 0.0, 0.0) : it->rectangle;
        const double dx = std::max({box.left() - point.x(), 0.0, point.x() - box.right()});
        const double dy = std::max({box.top() - point.y(), 0.0, point.y() - box.bottom()});
        const double distance = std::hypot(dx, dy);
        if (distance == 0.0)
            return &*it;
        if (distance < nearest_distance) {
            nearest = &*it;
            nearest_distance = distance;
        }
    }
    return nearest;
}

} // namespace shardscope
