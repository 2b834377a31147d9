#include "widgets/plots/curves/end_labels.h"

#include "widgets/plots/label_places.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double gap_without_labels = 6.0; // where nothing is labelled
constexpr double leader = 14.0;            // from a line's end to its label, or to the sample of its line
constexpr double sample = 22.0;
constexpr double before_text = 2.0;
constexpr double of_a_line = 0.95; // of the height of the text, between labels

double sampleRoom(const CurveScene& scene)
{
    const bool has_samples =
        std::ranges::any_of(scene.lines, [](const CurveLine& line) { return !line.dashes.isEmpty(); });
    return has_samples ? sample : 0.0;
}

// The lines that have a label, in the order of their ends.
std::vector<EndLabel> labelled(const CurveScene& scene, const CurveMapping& mapping)
{
    std::vector<EndLabel> labels;
    for (std::size_t i = 0; i < scene.lines.size(); ++i) {
        const CurveLine& line = scene.lines[i];
        if (!line.label.isEmpty() && !line.points.empty())
            labels.push_back({mapping.place(line.points.back()), {}, static_cast<int>(i)});
    }
    std::ranges::stable_sort(labels, {}, [](const EndLabel& label) { return label.end.y(); });
    return labels;
}

void leaveOutThinnest(const CurveScene& scene, std::size_t most, std::vector<EndLabel>& labels)
{
    const auto importance = [&](const EndLabel& label) {
        return std::pair{scene.lines[static_cast<std::size_t>(label.line)].width, -label.line};
    };
    while (labels.size() > most)
        labels.erase(std::ranges::min_element(labels, {}, importance));
}

} // namespace

// Long names leave the curves most of a small picture.
double endLabelRoom(const CurveScene& scene, double width, const QFont& font)
{
    constexpr double most_share = 0.3;
    const QFontMetricsF metrics{font};
    double widest = 0.0;
    for (const CurveLine& line : scene.lines)
        widest = std::max(widest, std::ceil(metrics.horizontalAdvance(line.label)));
    return widest > 0.0 ? std::min(widest, most_share * width) + leader + sampleRoom(scene)
                        : gap_without_labels;
}

std::vector<EndLabel> endLabels(const CurveScene& scene, const CurveMapping& mapping, double width,
                                const QFont& font)
{
    constexpr double near_enough = 2.0;
    const double height = QFontMetricsF{font}.height();
    const QRectF& area = mapping.area();
    std::vector<EndLabel> labels = labelled(scene, mapping);
    const double fit = std::max(1.0, 1.0 + std::floor(area.height() / (of_a_line * height)));
    leaveOutThinnest(scene, static_cast<std::size_t>(fit), labels);
    std::vector<double> wished;
    for (const EndLabel& label : labels)
        wished.push_back(label.end.y());
    const std::vector<double> places = spreadApart(wished, of_a_line * height, area.top(), area.bottom());
    const double before = leader + sampleRoom(scene) + before_text;
    const double room = endLabelRoom(scene, width, font) - before + gap_without_labels;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        EndLabel& label = labels[i];
        label.box = {area.right() + before, places[i] - height / 2, room, height};
        label.is_moved =
            std::fabs(places[i] - label.end.y()) > near_enough || label.end.x() < area.right() - near_enough;
    }
    return labels;
}

void paintEndLabels(QPainter& painter, const CurveScene& scene, const std::vector<EndLabel>& labels)
{
    const double room = sampleRoom(scene);
    const QFontMetricsF metrics{painter.font()};
    for (const auto& [end, box, index, is_moved] : labels) {
        const CurveLine& line = scene.lines[static_cast<std::size_t>(index)];
        const QPointF text{box.left() - before_text, box.center().y()};
        const QPointF start = text - QPointF{room, 0.0};
        painter.setPen(QPen{line.colour, 1.0});
        if (is_moved)
            painter.drawPolyline(QPolygonF{{end, start - QPointF{3.0, 0.0}, start}});
        if (room > 0.0) {
            painter.setPen(penOf(line));
            painter.drawLine(start, text - QPointF{before_text, 0.0});
            painter.setPen(line.colour);
        }
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(line.label, Qt::ElideMiddle, box.width()));
    }
}

} // namespace shardscope
