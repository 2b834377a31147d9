#include "widgets/plots/timeline/timeline_view.h"
#include "widgets/session/shown_text.h"

#include "widgets/plots/timeline/range_table.h"
#include "widgets/plots/timeline/traffic_painting.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

// What follows the mouse over the timeline: the pointed-at bar, the cursor, the selected stretch with its
// sums.

namespace shardscope
{

namespace
{

constexpr int summary_padding = 8;

struct SummaryLine {
    QColor colour;
    QString name;
    QString predicted;
    QString measured;
};

QString shareText(TraceTime sum, TraceTime room)
{
    if (sum <= 0 || room <= 0)
        return QStringLiteral("–");
    return ratioText(static_cast<double>(sum) / static_cast<double>(room));
}

std::vector<SummaryLine> linesOf(const RangeSummary& summary, const TimelineStyle& look)
{
    std::vector<SummaryLine> lines;
    PaintDurations predicted = summary.predicted;
    PaintDurations measured = summary.measured;
    constexpr auto compute = static_cast<std::size_t>(LanePaint::compute);
    for (const LanePaint pass :
         {LanePaint::forward, LanePaint::backward, LanePaint::forward_of_even_chunk,
          LanePaint::backward_of_even_chunk, LanePaint::weight_gradient, LanePaint::optimizer})
        for (PaintDurations* durations : {&predicted, &measured})
            (*durations)[compute] += std::exchange((*durations)[static_cast<std::size_t>(pass)], 0);
    for (std::size_t i = compute + 1; isCompute(static_cast<LanePaint>(i)); ++i)
        measured[compute] += std::exchange(measured[i], 0);
    for (int i = 0; i < lane_paint_count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const auto paint = static_cast<LanePaint>(i);
        const QString name = paint == LanePaint::compute ? QStringLiteral("compute") : nameOf(paint);
        if (!isSummedUp(paint) || (predicted[index] == 0 && measured[index] == 0))
            continue;
        lines.push_back({look.colours[index], name, shareText(predicted[index], summary.predicted_room_ns),
                         shareText(measured[index], summary.measured_room_ns)});
    }
    // What a bubble is of a predicted lane.
    if (summary.measured_idle_ns > 0)
        lines.push_back({look.theme.colour(Hue::idle), QStringLiteral("idle"), shareText(0, 0),
                         shareText(summary.measured_idle_ns, summary.measured_room_ns)});
    return lines;
}

// In whole percent, which is what bins are good for.
QString roundedText(double share)
{
    return share < 0.005 ? QStringLiteral("< 1 %") : QStringLiteral("%1 %").arg(std::lround(100.0 * share));
}

// Of the only column there is.
QString sharesText(const LaneColumns& columns)
{
    constexpr double almost_all = 0.99;
    QStringList shares;
    double largest = 0.0;
    columns.paints().forEach([&](LanePaint paint) {
        const double share = static_cast<double>(columns.part(0, paint)) / LaneColumns::whole;
        largest = std::max(largest, share);
        if (share > 0.0)
            shares << nameOf(paint) + QLatin1Char{' '} + roundedText(share).toHtmlEscaped();
    });
    if (largest >= almost_all || shares.isEmpty())
        return {};
    return TimelineView::tr("<div style=\"white-space: nowrap\">in this column of pixels: %1</div>")
        .arg(shares.join(QStringLiteral(", ")));
}

// The columns of the summary that the scene has something for.
class SummaryTable
{
public:
    SummaryTable(const TimelineScene& scene, const TimelineStyle& look)
        : m_look{look},
          m_metrics{look.font},
          m_has_predicted{scene.predicted != nullptr},
          m_has_measured{scene.measured != nullptr}
    {
    }

    double line() const { return std::ceil(m_metrics.height()); }
    double width() const { return nameWidth() + (m_has_predicted + m_has_measured) * column(); }

    void paint(QPainter& painter, QPointF at, const std::vector<SummaryLine>& lines) const
    {
        painter.setPen(m_look.theme.faintText());
        paintRow(painter, at,
                 {{},
                  TimelineView::tr("share of lanes"),
                  TimelineView::tr("predicted"),
                  TimelineView::tr("measured")});
        painter.setPen(m_look.theme.text());
        for (const SummaryLine& one : lines) {
            at.ry() += line();
            painter.fillRect(QRectF{at.x(), at.y() + line() / 2 - 4.0, 8.0, 8.0}, one.colour);
            paintRow(painter, at, one);
        }
    }

private:
    double nameWidth() const { return m_metrics.horizontalAdvance(QStringLiteral("share of lanes")) + 20.0; }
    double column() const { return m_metrics.horizontalAdvance(QStringLiteral("measured")) + 14.0; }

    void paintRow(QPainter& painter, QPointF at, const SummaryLine& row) const
    {
        constexpr auto to_the_left = Qt::AlignLeft | Qt::AlignVCenter;
        painter.drawText(QRectF{at.x() + 13.0, at.y(), nameWidth(), line()}, to_the_left, row.name);
        double left = at.x() + nameWidth();
        for (const auto& [has, text] :
             {std::pair{m_has_predicted, row.predicted}, std::pair{m_has_measured, row.measured}})
            if (has) {
                painter.drawText(QRectF{left, at.y(), column(), line()}, Qt::AlignRight | Qt::AlignVCenter,
                                 text);
                left += column();
            }
    }

    const TimelineStyle& m_look;
    QFontMetricsF m_metrics;
    bool m_has_predicted;
    bool m_has_measured;
};

} // namespace

void TimelineView::setHover(QPoint point, const QPoint& global)
{
    const bool on_divider = m_layout.divider.adjusted(0, -2, 0, 2).contains(point);
    on_divider ? setCursor(Qt::SplitVCursor) : unsetCursor();
    m_mouse = point.x() >= m_layout.gutter ? std::optional{point} : std::nullopt;
    const std::optional<TimelineSpot> spot = spotAt(point);
    const QString shares = spot ? columnText(point) : QString{};
    const bool is_other = spot != m_spot;
    if (is_other || shares != m_column_text) {
        m_spot = spot;
        m_column_text = shares;
        if (m_spot && m_tip)
            QToolTip::showText(global, m_tip(*m_spot) + shares, this);
        else
            QToolTip::hideText();
    }
    if (is_other)
        emit spotHovered(m_spot);
    if (const std::optional<Lane> lane = m_mouse ? laneUnder(point) : std::nullopt;
        lane && lane->role == LaneRole::counter)
        emit hinted(counterText(*lane, timeAt(point.x())));
    if (!m_spot && m_mouse && m_layout.traffic.contains(point))
        emit hinted(trafficAt(m_scene, m_range, m_layout.traffic.width(), point.x() - m_layout.gutter));
    update();
}

// What the column of pixels under the mouse shows, where that is not one thing alone.
QString TimelineView::columnText(QPoint point) const
{
    const std::optional<TimelineSection> section = sectionAt(point);
    if (!section)
        return {};
    const std::vector<Lane>& all = lanes(*section);
    const int y = point.y() - lanesPlace(*section).top() + scrollOf(*section);
    const std::optional<std::size_t> lane = laneAt(all, y);
    if (!lane)
        return {};
    const TimeRange axis = inSection(m_scene, *section, m_range);
    const int column = point.x() - m_layout.gutter;
    const TraceTime from = timeOfColumn(column, axis, axisWidth());
    const TimeRange range{from, std::max<TraceTime>(1, timeOfColumn(column + 1, axis, axisWidth()) - from)};
    const std::vector<LaneStrip> strips =
        *section == TimelineSection::predicted
            ? predictedStrips(*m_scene.predicted, all, *lane, *lane + 1, range, 1)
            : measuredStrips(*m_scene.measured, all, *lane, *lane + 1, range, 1, m_scene.groups);
    const auto strip = std::ranges::find_if(
        strips, [y](const LaneStrip& one) { return y >= one.top && y < one.top + one.height; });
    return strip == strips.end() ? QString{} : sharesText(strip->picture.columns);
}

int TimelineView::columnOnScreen(TraceTime axis_time) const
{
    const auto column = columnOf(axis_time, m_range, axisWidth());
    return m_layout.gutter + static_cast<int>(std::clamp<std::int64_t>(column, -2, axisWidth() + 2));
}

// The time of a spot as a rectangle; `top` from the top of the section's lanes, before scrolling.
QRectF TimelineView::placeInLane(const TimelineSpot& spot, int top, int height) const
{
    const QRect area = lanesPlace(spot.section);
    const TimeRange time = spotRange(m_scene, spot);
    const TimeRange range = inSection(m_scene, spot.section, m_range);
    const double unit = static_cast<double>(area.width()) / static_cast<double>(range.length_ns);
    const auto column = [&](TraceTime at) {
        return std::clamp(static_cast<double>(at - range.start_ns) * unit, -4.0, area.width() + 4.0);
    };
    const double left = column(time.start_ns);
    return {area.left() + left, static_cast<double>(area.top() + top - scrollOf(spot.section)),
            std::max(2.0, column(time.end_ns()) - left), static_cast<double>(height)};
}

QRectF TimelineView::spotPlace(const TimelineSpot& spot) const
{
    const bool is_predicted = spot.section == TimelineSection::predicted;
    for (const Lane& lane : lanes(spot.section)) {
        if (lane.role == LaneRole::group && !lane.is_open && !is_predicted) {
            const std::vector<std::size_t>& ranks = m_scene.groups[lane.rank].ranks;
            const auto member = std::ranges::find(ranks, spot.rank);
            if (member == ranks.end())
                continue;
            const auto [top, height] = rowPlace(lane, static_cast<int>(member - ranks.begin()));
            return placeInLane(spot, lane.top + top, height);
        }
        if (lane.role == LaneRole::group || lane.role == LaneRole::counter || lane.rank != spot.rank
            || (lane.role == LaneRole::track && lane.track != spot.track)
            || (lane.role == LaneRole::rank && lane.is_open) || lane.role == LaneRole::more_tracks)
            continue;
        const bool has_rows = (lane.role == LaneRole::track && lane.is_open) || lane.role == LaneRole::stage;
        auto [top, height] =
            has_rows ? rowPlace(lane, static_cast<int>(spot.row)) : std::pair{0, lane.height};
        if (lane.role == LaneRole::rank && kindOf(spotPaint(m_scene, spot)))
            std::tie(top, height) = std::pair{lane.height / 2, lane.height - lane.height / 2};
        else if (lane.role == LaneRole::rank)
            height = lane.height / 2;
        return placeInLane(spot, lane.top + top, height);
    }
    return {};
}

void TimelineView::paintOverlay(QPainter& painter) const
{
    const TimelineStyle look = style();
    if (m_selected)
        paintSelection(painter, look);
    paintMarks(painter, look);
    if (m_spot) {
        painter.save();
        painter.setClipRect(lanesPlace(m_spot->section));
        painter.setPen(QPen{look.theme.text(), 1.5});
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(spotPlace(*m_spot).adjusted(0.0, 0.5, 0.0, -0.5));
        painter.restore();
    }
    if (m_mouse && m_drag == Drag::none) {
        paintCounterValue(painter, look);
        QColor line = look.theme.text();
        line.setAlpha(80);
        painter.fillRect(QRect{m_mouse->x(), 0, 1, height()}, line);
    }
    if (m_selected) {
        const int left = std::max(m_layout.gutter, columnOnScreen(m_selected->start_ns));
        const int right = std::min(width(), columnOnScreen(m_selected->end_ns()));
        if (left <= right)
            paintSummary(painter, {left, 0, right - left, height()}, look);
    }
}

void TimelineView::paintSelection(QPainter& painter, const TimelineStyle& look) const
{
    const int left = std::max(m_layout.gutter, columnOnScreen(m_selected->start_ns));
    const int right = std::min(width(), columnOnScreen(m_selected->end_ns()));
    if (right < left)
        return;
    QColor veil = look.theme.text();
    veil.setAlpha(look.theme.isDark() ? 34 : 26);
    painter.fillRect(QRect{left, 0, std::max(1, right - left), height()}, veil);
    painter.fillRect(QRect{left, 0, 1, height()}, look.theme.text());
    painter.fillRect(QRect{right, 0, 1, height()}, look.theme.text());
}

// Right or left of the stretch; where it leaves no room beside it, over its end that the mouse is not at, so
// that what lies beneath can be seen.
double TimelineView::summaryLeft(const QRect& beside, double box_width) const
{
    constexpr double apart = 8.0;
    const double right = beside.right() + apart;
    if (right + box_width <= width())
        return right;
    const double left = beside.left() - apart - box_width;
    if (left >= m_layout.gutter)
        return left;
    const double last = width() - apart - box_width;
    const bool mouse_is_right = m_mouse && m_mouse->x() >= (m_layout.gutter + width()) / 2;
    return mouse_is_right ? m_layout.gutter + apart : last;
}

// A small table beside the selected stretch: its length, and what fills it.
void TimelineView::paintSummary(QPainter& painter, const QRect& beside, const TimelineStyle& look) const
{
    const SummaryTable table{m_scene, look};
    const TimeRange predicted = inSection(m_scene, TimelineSection::predicted, *m_selected);
    QString title = nanosecondsText(m_selected->length_ns);
    if (m_scene.predicted && m_scene.measured && m_scene.own_scales)
        title += tr("   (predicted %1)").arg(nanosecondsText(predicted.length_ns));
    const auto lines =
        m_summary && m_drag != Drag::select ? linesOf(*m_summary, look) : std::vector<SummaryLine>{};
    const double box_width =
        std::max(lines.empty() ? 0.0 : table.width(), QFontMetricsF{look.font}.horizontalAdvance(title))
        + 2 * summary_padding;
    const double box_height =
        table.line() * (lines.empty() ? 1.0 : static_cast<double>(lines.size()) + 2.0) + 2 * summary_padding;
    const QRectF box{summaryLeft(beside, box_width), m_layout.predicted_ruler.height() + 6.0, box_width,
                     box_height};
    painter.setPen(blend(look.theme.background(), look.theme.text(), 0.3));
    painter.setBrush(blend(look.theme.background(), look.theme.text(), 0.04));
    painter.drawRoundedRect(box, 4.0, 4.0);
    painter.setFont(look.font);
    painter.setPen(look.theme.text());
    const QPointF corner = box.topLeft() + QPointF{summary_padding, summary_padding};
    painter.drawText(QRectF{corner, QSizeF{box_width, table.line()}}, Qt::AlignLeft | Qt::AlignVCenter,
                     title);
    if (!lines.empty())
        table.paint(painter, corner + QPointF{0.0, table.line()}, lines);
}

} // namespace shardscope
