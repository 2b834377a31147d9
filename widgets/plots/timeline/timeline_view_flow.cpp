#include "widgets/plots/timeline/timeline_view.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

// Arrows between the chosen event and what belongs to it.

namespace shardscope
{

namespace
{

constexpr std::size_t most_arrows = 100;
constexpr double line_width = 1.6;
constexpr double head_length = 8.0;
constexpr double head_half = 4.0;

// Each line has a seam of the ground, so that it can be followed over bars of any colour.
void strokeTwice(QPainter& painter, const QPainterPath& path, const TimelineStyle& look,
                 Qt::PenStyle line = Qt::SolidLine)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen{look.theme.background(), line_width + 2.4});
    painter.drawPath(path);
    painter.setPen(QPen{look.theme.text(), line_width, line});
    painter.drawPath(path);
}

// Leaves to the right and arrives from the left, as time goes.
void paintArrow(QPainter& painter, const QPointF& from, const QPointF& to, const TimelineStyle& look,
                Qt::PenStyle line)
{
    const QPointF neck = to - QPointF{head_length, 0.0};
    const double bend = std::clamp(std::abs(neck.x() - from.x()) / 2.0, 12.0, 80.0);
    QPainterPath path{from};
    path.cubicTo(from + QPointF{bend, 0.0}, neck - QPointF{bend, 0.0}, neck);
    strokeTwice(painter, path, look, line);
    painter.setPen(QPen{look.theme.background(), 1.0});
    painter.setBrush(look.theme.text());
    painter.drawPolygon(QPolygonF{{to, neck - QPointF{0.0, head_half}, neck + QPointF{0.0, head_half}}});
}

} // namespace

// Where the arrow of an event begins or ends: its bar, or its time in the title of its rank where its lane is
// hidden.
QRectF TimelineView::anchorOf(const TimelineSpot& spot) const
{
    if (const QRectF place = spotPlace(spot); !place.isNull())
        return place;
    const auto title = std::ranges::find_if(m_rank_lanes, [&](const Lane& lane) {
        return lane.role == LaneRole::rank && lane.rank == spot.rank;
    });
    if (title == m_rank_lanes.end())
        return {};
    return placeInLane(spot, title->top, title->height);
}

void TimelineView::paintFlow(QPainter& painter, const TimelineStyle& look) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    const auto arrow = [&](const TimelineSpot& from, const TimelineSpot& to, bool to_its_end) {
        const QRectF start = anchorOf(from);
        const QRectF end = anchorOf(to);
        if (start.isNull() || end.isNull())
            return;
        const bool is_hidden = spotPlace(from).isNull() || spotPlace(to).isNull();
        paintArrow(painter, {start.left(), start.center().y()},
                   {to_its_end ? end.right() : end.left(), end.center().y()}, look,
                   is_hidden ? Qt::DashLine : Qt::SolidLine);
    };
    if (m_flow.message) // to the end of a receive, or to the start of the work that waits for it
        arrow(m_flow.message->first, m_flow.message->second,
              kindOf(spotPaint(m_scene, m_flow.message->second)).has_value());
    else
        paintMembers(painter, look);
    if (m_flow.launch)
        arrow(*m_flow.launch, *m_chosen, false);
    for (std::size_t i = 0; i < std::min(most_arrows, m_flow.launched.size()); ++i)
        arrow(*m_chosen, m_flow.launched[i], false);
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (m_flow.launch) {
        painter.setPen(QPen{look.theme.text(), 1.5, Qt::DotLine});
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(anchorOf(*m_flow.launch).adjusted(0.0, 1.0, 0.0, -1.0));
    }
}

// A line from each member to the one on the next rank, where they start: a slanted one shows who came late.
void TimelineView::paintMembers(QPainter& painter, const TimelineStyle& look) const
{
    QPolygonF line;
    for (const TimelineSpot& member : m_flow.members) {
        const QRectF place = spotPlace(member);
        if (!place.isNull())
            line << QPointF{place.left(), place.center().y()};
    }
    if (line.size() < 2)
        return;
    QPainterPath path;
    path.addPolygon(line);
    strokeTwice(painter, path, look);
    painter.setBrush(look.theme.text());
    for (const QPointF& point : line)
        painter.drawEllipse(point, 3.0, 3.0);
}

} // namespace shardscope
