#include "widgets/plots/timeline/traffic_painting.h"

#include "widgets/session/shown_text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace shardscope
{

namespace
{

constexpr int head_room = 3;
constexpr double rank_busy = 1e9; // without sizes a rate is nanoseconds in a second

struct Curves {
    std::vector<Kind> kinds; // of the predicted layers
    TrafficColumns predicted;
    TrafficColumns measured;
    double predicted_top = 0.0; // value at the top of the picture
    double measured_top = 0.0;
};

Curves curvesOf(const TimelineScene& scene, const TimeRange& axis, int width)
{
    Curves curves;
    if (scene.predicted) {
        std::vector<const CumulativeBytes*> layers;
        for (const auto& [kind, bytes] : scene.predicted->traffic) {
            curves.kinds.push_back(kind);
            layers.push_back(&bytes);
        }
        curves.predicted = columnsOf(layers, inSection(scene, TimelineSection::predicted, axis), width);
    }
    if (scene.measured && !scene.measured->traffic.empty())
        curves.measured = columnsOf({&scene.measured->traffic}, axis, width);
    curves.predicted_top = niceCeiling(curves.predicted.most);
    curves.measured_top = scene.measured && !scene.measured->traffic_is_bytes
                              ? rank_busy * std::ceil(curves.measured.most / rank_busy)
                              : niceCeiling(curves.measured.most);
    const bool comparable =
        !scene.own_scales && !curves.measured.rates.empty() && scene.measured->traffic_is_bytes;
    if (comparable)
        curves.predicted_top = curves.measured_top = std::max(curves.predicted_top, curves.measured_top);
    return curves;
}

QString rateText(double bytes_per_s)
{
    return bytesText(bytes_per_s) + QStringLiteral("/s");
}

QString measuredText(const TimelineScene& scene, double rate)
{
    // Without sizes the rate is nanoseconds of communication in a second: how many ranks communicate at once.
    if (scene.measured->traffic_is_bytes)
        return rateText(rate);
    return rate == rank_busy ? QStringLiteral("1 rank busy")
                             : QString::number(rate / rank_busy, 'g', 3) + QStringLiteral(" ranks busy");
}

void paintAreas(QPainter& painter, const QRect& place, const Curves& curves, const TimelineStyle& style)
{
    if (curves.predicted_top <= 0.0)
        return;
    const double unit = (place.height() - head_room) / curves.predicted_top;
    std::vector<double> floor(static_cast<std::size_t>(place.width()), 0.0);
    const double bottom = place.top() + place.height();
    for (std::size_t layer = 0; layer < curves.kinds.size(); ++layer) {
        const QColor colour = style.colours[static_cast<std::size_t>(paintOf(curves.kinds[layer]))];
        const std::vector<double>& rates = curves.predicted.rates[layer];
        for (std::size_t column = 0; column < rates.size();) {
            // Equal neighbours are one rectangle.
            std::size_t end = column + 1;
            while (end < rates.size() && rates[end] == rates[column] && floor[end] == floor[column])
                ++end;
            if (const double height = rates[column] * unit; height > 0.0)
                painter.fillRect(QRectF{place.left() + static_cast<double>(column),
                                        bottom - floor[column] - height, static_cast<double>(end - column),
                                        height},
                                 colour);
            const double above = floor[column] + rates[column] * unit;
            for (; column < end; ++column)
                floor[column] = above;
        }
    }
}

// Steps of whole pixels: a path of a thousand spikes, stroked and smoothed, took longer than all other
// pictures.
void paintLine(QPainter& painter, const QRect& place, const Curves& curves, const TimelineStyle& style)
{
    if (curves.measured_top <= 0.0)
        return;
    const double unit = (place.height() - head_room) / curves.measured_top;
    const int bottom = place.top() + place.height() - 1;
    const QColor colour = style.theme.colour(Hue::measured);
    const std::vector<double>& rates = curves.measured.rates.front();
    int before = bottom;
    for (std::size_t column = 0; column < rates.size(); ++column) {
        const int y = bottom - static_cast<int>(rates[column] * unit);
        const int top = std::min(y, before);
        const int height = std::max(std::abs(y - before), 1);
        painter.fillRect(place.left() + static_cast<int>(column), top, 1, height, colour);
        before = y;
    }
}

using HasRoom = std::function<bool(const QString&)>;

QString scaleText(const QString& swatch, const QString& word, const QString& scale, const HasRoom& has_room)
{
    const QString whole = swatch + ' ' + word + ' ' + scale;
    return has_room(whole) ? whole : swatch + ' ' + scale;
}

QStringList scalesOf(const TimelineScene& scene, const Curves& curves, const HasRoom& has_room)
{
    const bool has_predicted = curves.predicted_top > 0.0;
    const bool has_measured = curves.measured_top > 0.0;
    const QString predicted = rateText(curves.predicted_top);
    if (!has_measured)
        return has_predicted ? QStringList{predicted} : QStringList{};
    QStringList scales;
    if (has_predicted)
        scales << scaleText(QStringLiteral("▆"), QStringLiteral("predicted"), predicted, has_room);
    scales << scaleText(QStringLiteral("—"), QStringLiteral("measured"),
                        measuredText(scene, curves.measured_top), has_room);
    return scales;
}

// The scales in the gutter.
void paintScales(QPainter& painter, const QRect& place, const TimelineScene& scene, const Curves& curves,
                 const TimelineStyle& style)
{
    const QFontMetricsF metrics{style.font};
    const double line = metrics.height();
    const double room = place.left() - 10.0;
    double y = place.top() + 2.0;
    const auto write = [&](const QString& text, const QColor& colour, bool strong) {
        QFont font = style.font;
        font.setBold(strong);
        painter.setFont(font);
        painter.setPen(colour);
        if (y + line <= place.top() + place.height() + 2.0)
            painter.drawText(QRectF{6.0, y, room, line}, Qt::AlignLeft | Qt::AlignVCenter,
                             QFontMetricsF{font}.elidedText(text, Qt::ElideRight, room));
        y += line;
    };
    write(QStringLiteral("Traffic"), style.theme.text(), true);
    const auto has_room = [&](const QString& text) { return metrics.horizontalAdvance(text) <= room; };
    for (const QString& scale : scalesOf(scene, curves, has_room))
        write(scale, style.theme.faintText(), false);
}

} // namespace

void paintTraffic(QPainter& painter, const QRect& place, const TimelineScene& scene, const TimeRange& axis,
                  const TimelineStyle& style)
{
    if (place.isEmpty())
        return;
    painter.save();
    painter.fillRect(QRect{0, place.top(), place.left() + place.width(), 1}, style.theme.grid());
    const QRect inside = place.adjusted(0, 1, 0, 0);
    const Curves curves = curvesOf(scene, axis, inside.width());
    paintAreas(painter, inside, curves, style);
    paintLine(painter, inside, curves, style);
    paintScales(painter, inside, scene, curves, style);
    painter.restore();
}

QStringList trafficScales(const TimelineScene& scene, const TimeRange& axis, int width,
                          const HasRoom& has_room)
{
    return scalesOf(scene, curvesOf(scene, axis, width), has_room);
}

QString trafficAt(const TimelineScene& scene, const TimeRange& axis, int width, int column)
{
    const Curves curves = curvesOf(scene, axis, width);
    const auto at = static_cast<std::size_t>(column);
    QStringList parts;
    double sum = 0.0;
    for (const std::vector<double>& rates : curves.predicted.rates)
        sum += rates.at(at);
    if (scene.predicted)
        parts << QStringLiteral("predicted ") + rateText(sum);
    if (!curves.measured.rates.empty())
        parts << QStringLiteral("measured ") + measuredText(scene, curves.measured.rates.front().at(at));
    return QStringLiteral("Traffic of all ranks: ") + parts.join(QStringLiteral(", "));
}

} // namespace shardscope
