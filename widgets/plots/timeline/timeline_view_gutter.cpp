#include "widgets/plots/timeline/timeline_view.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <utility>

// The names of lanes, left of them.

namespace shardscope
{

namespace
{

constexpr double most_letters = 22.0; // longer names are cut

} // namespace

void TimelineView::tellTrafficRoom()
{
    TimelineNeeds with_traffic = needs();
    with_traffic.has_traffic = true;
    const bool has_room = showsTraffic(with_traffic, height());
    if (std::exchange(m_has_traffic_room, has_room) != has_room)
        emit trafficRoomChanged(has_room);
}

// The room that the names of all lanes need, cut to what is sensible.
int TimelineView::labelWidth() const
{
    const QFontMetricsF metrics{font()};
    QFont strong = font();
    strong.setBold(true);
    double width = QFontMetricsF{strong}.horizontalAdvance(QStringLiteral("Predicted"));
    if (!m_layout.traffic.isEmpty()) // its scale stands in the gutter too
        for (const QString& scale : {QStringLiteral("▆ 1000 MiB/s"), QStringLiteral("— 1000 MiB/s")})
            width = std::max(width, metrics.horizontalAdvance(scale));
    qsizetype longest = 0;
    for (const TimelineSection section : {TimelineSection::predicted, TimelineSection::measured})
        for (const Lane& lane : lanes(section)) {
            const LaneTitle title = titleOf(section, lane);
            const QString text = title.name + QStringLiteral("  ") + title.remark;
            // A text that has clearly fewer letters than the longest is not wider: thousands need not be
            // measured.
            if (text.size() + 3 < longest)
                continue;
            longest = std::max(longest, text.size());
            width = std::max(width, metrics.horizontalAdvance(text) + title.indent
                                        + (title.has_triangle ? 22.0 : 10.0));
        }
    return static_cast<int>(std::min(width, most_letters * metrics.averageCharWidth() + 40.0));
}

LaneTitle TimelineView::titleOf(TimelineSection section, const Lane& lane) const
{
    LaneTitle title;
    title.is_open = lane.is_open;
    if (section == TimelineSection::predicted) {
        title.name = tr("stage %1").arg(lane.rank);
        title.is_marked = m_scene.marked_stage == lane.rank;
    } else if (lane.role == LaneRole::group) {
        const RankGroup& group = m_scene.groups[lane.rank];
        title.name = group.name;
        title.remark = group.remark;
        title.has_triangle = true;
        title.is_heading = true;
    } else if (lane.role == LaneRole::rank) {
        const MeasuredRank& rank = m_scene.measured->ranks[lane.rank];
        title.indent = m_scene.groups.empty() ? 0 : 8;
        title.name = rank.name;
        if (lane.rank < m_scene.rank_places.size())
            title.remark = m_scene.rank_places[lane.rank];
        title.has_triangle = true;
        title.is_marked = m_scene.marked_rank == rank.rank;
    } else {
        title.indent = m_scene.groups.empty() ? 10 : 18;
        nameLaneOfRank(title, lane);
    }
    return title;
}

void TimelineView::nameLaneOfRank(LaneTitle& title, const Lane& lane) const
{
    const MeasuredRank& rank = m_scene.measured->ranks[lane.rank];
    if (lane.role == LaneRole::counter) {
        title.name = rank.counters[lane.track].name;
        return;
    }
    if (lane.role == LaneRole::track) {
        const MeasuredTrack& track = rank.tracks[lane.track];
        title.name = track.name;
        title.has_triangle = track.rows.size() > 1;
        return;
    }
    const auto hidden =
        std::ranges::count(rank.tracks, false, &MeasuredTrack::is_of_interest)
        + static_cast<std::ptrdiff_t>(std::max(rank.counters.size(), counters_at_first) - counters_at_first);
    title.name = lane.is_open  ? tr("fewer lanes")
                 : hidden == 1 ? tr("1 more lane")
                               : tr("%1 more lanes").arg(hidden);
    title.has_triangle = true;
}

void TimelineView::paintTitles(QPainter& painter, TimelineSection section, const QRect& area,
                               const TimelineStyle& look) const
{
    const std::vector<Lane>& all = lanes(section);
    const int scroll = scrollOf(section);
    const auto [first, last] = lanesBetween(all, scroll, scroll + area.height());
    painter.save();
    painter.setClipRect(QRect{0, area.top(), area.left(), area.height()});
    for (std::size_t i = first; i < last; ++i)
        paintLaneTitle(painter, {0, area.top() + all[i].top - scroll, area.left(), all[i].height},
                       titleOf(section, all[i]), look);
    painter.restore();
}

// A thin bar at the right edge tells how far lanes are scrolled.
void TimelineView::paintScrollHandle(QPainter& painter, TimelineSection section, const QRect& area,
                                     const TimelineStyle& look) const
{
    const int content = heightOf(lanes(section));
    const int scroll = scrollOf(section);
    if (content > area.height()) {
        // Not translucent: Qt would wake its threads to blend something this high.
        const QColor handle = blend(look.theme.background(), look.theme.text(), 0.27);
        const double unit = static_cast<double>(area.height()) / content;
        painter.fillRect(
            QRectF{area.left() + area.width() - 4.0, area.top() + scroll * unit, 3.0, area.height() * unit},
            handle);
    }
}

// Texts cost more than anything else of a frame, and these hardly ever change.
void TimelineView::drawGutter(QPainter& painter, const TimelineStyle& look)
{
    const double ratio = look.pixel_ratio;
    const QSize pixels = (QSizeF(m_layout.gutter, height()) * ratio).toSize();
    if (pixels.isEmpty())
        return;
    if (m_gutter.size() != pixels || !m_gutter_is_fresh) {
        m_gutter = QImage{pixels, QImage::Format_RGB32};
        m_gutter.setDevicePixelRatio(ratio);
        m_gutter.fill(look.theme.background());
        QPainter titles{&m_gutter};
        for (const TimelineSection section : {TimelineSection::predicted, TimelineSection::measured})
            if (!lanesPlace(section).isEmpty())
                paintTitles(titles, section, lanesPlace(section), look);
        m_gutter_is_fresh = true;
    }
    for (const TimelineSection section : {TimelineSection::predicted, TimelineSection::measured}) {
        const QRect area = lanesPlace(section);
        const QRectF band(0.0, area.top(), m_layout.gutter, area.height());
        if (!area.isEmpty())
            painter.drawImage(band, m_gutter, QRectF{band.topLeft() * ratio, band.size() * ratio});
    }
}

} // namespace shardscope
