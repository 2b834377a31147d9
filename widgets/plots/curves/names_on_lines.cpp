#include "widgets/plots/curves/names_on_lines.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

constexpr double step = 6.0;                 // between places that are tried
constexpr double margin = 3.0;               // around a name
constexpr std::ptrdiff_t most_crossings = 3; // by lines of its sort: among more a name would be nobody's

// Where a line stands at a place along; none beyond its ends.
std::optional<double> heightAt(const CurveLine& line, const CurveMapping& mapping, double x)
{
    const double along = mapping.value({x, 0.0}).x();
    const auto after = std::ranges::lower_bound(line.points, along, {}, &QPointF::x);
    if (after == line.points.end() || (after == line.points.begin() && after->x() > along))
        return std::nullopt;
    const QPointF right = mapping.place(*after);
    if (after == line.points.begin())
        return right.y();
    const QPointF left = mapping.place(*(after - 1));
    return left.y() + (right.y() - left.y()) * (x - left.x()) / (right.x() - left.x());
}

bool passes(const CurveLine& line, const CurveMapping& mapping, const QRectF& box)
{
    std::optional<double> highest;
    double lowest = 0.0;
    for (const double x : {box.left(), box.center().x(), box.right()})
        if (const std::optional<double> y = heightAt(line, mapping, x)) {
            highest = highest ? std::min(*highest, *y) : *y;
            lowest = std::max(lowest, *y);
        }
    return highest && *highest <= box.bottom() && lowest >= box.top();
}

std::ptrdiff_t crossings(const CurveScene& scene, const CurveMapping& mapping, std::size_t own,
                         const QRectF& box)
{
    constexpr std::ptrdiff_t of_the_subject = 2; // the line that the picture is about is covered last
    std::ptrdiff_t count = 0;
    for (std::size_t i = 0; i < scene.lines.size(); ++i)
        if (i != own && passes(scene.lines[i], mapping, box))
            count += scene.lines[i].is_named_on_line ? 1 : of_the_subject;
    return count;
}

bool isTaken(const QRectF& box, const CurveScene& scene, const CurveMapping& mapping,
             const std::vector<NameOnLine>& names)
{
    constexpr double handle = 9.0;
    const auto meets = [&](const NameOnLine& name) { return name.box.intersects(box); };
    const auto hides = [&](const CurveHandle& one) {
        return box.adjusted(-handle, -handle, handle, handle).contains(mapping.place(one.at));
    };
    return !mapping.area().contains(box) || std::ranges::any_of(names, meets)
           || std::ranges::any_of(scene.handles, hides);
}

} // namespace

std::vector<NameOnLine> namesOnLines(const CurveScene& scene, const CurveMapping& mapping, const QFont& font)
{
    const QFontMetricsF metrics{font};
    std::vector<NameOnLine> names;
    for (std::size_t i = 0; i < scene.lines.size(); ++i) {
        const CurveLine& line = scene.lines[i];
        if (!line.is_named_on_line || line.label.isEmpty())
            continue;
        const QSizeF size{metrics.horizontalAdvance(line.label) + 2 * margin, metrics.height()};
        QRectF best;
        std::ptrdiff_t fewest = most_crossings + 1;
        for (double x = mapping.area().left() + step; x + size.width() < mapping.area().right(); x += step) {
            const std::optional<double> y = heightAt(line, mapping, x + size.width() / 2);
            if (!y)
                continue;
            const QRectF box{QPointF{x, *y - size.height() / 2}, size};
            if (isTaken(box, scene, mapping, names))
                continue;
            const std::ptrdiff_t count = crossings(scene, mapping, i, box);
            if (count < fewest) {
                fewest = count;
                best = box;
            }
        }
        if (!best.isNull())
            names.push_back({best, static_cast<int>(i)});
    }
    return names;
}

void paintNamesOnLines(QPainter& painter, const CurveScene& scene, const CurveMapping& mapping,
                       const CurveStyle& style)
{
    QColor ground = style.theme.background();
    ground.setAlphaF(0.85);
    for (const auto& [box, line] : namesOnLines(scene, mapping, style.font)) {
        const CurveLine& named = scene.lines[static_cast<std::size_t>(line)];
        painter.fillRect(box, ground);
        painter.setPen(named.colour);
        painter.drawText(box, Qt::AlignCenter, named.label);
    }
}

} // namespace shardscope
