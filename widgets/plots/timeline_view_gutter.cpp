#include "widgets/plots/timeline_view.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

// The names of lanes, left of them.

namespace shardscope
{

namespace
{

constexpr double most_letters = 22.0; // longer names are cut

} // namespace

// The room that the names of all lanes need, cut to what is sensible.
int TimelineView::labelWidth() const
{
    const QFontMetricsF metrics{font()};
    double width = metrics.horizontalAdvance(QStringLiteral("Predicted  "));
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
        return title;
    }
    const MeasuredRank& rank = m_scene.measured->ranks[lane.rank];
    if (lane.role == LaneRole::rank) {
        title.name = rank.name;
        if (lane.rank < m_scene.rank_places.size())
            title.remark = m_scene.rank_places[lane.rank];
        title.has_triangle = true;
        title.is_marked = m_scene.marked_rank == rank.rank;
        return title;
    }
    title.indent = 10;
    if (lane.role == LaneRole::track) {
        const MeasuredTrack& track = rank.tracks[lane.track];
        title.name = track.name;
        title.has_triangle = track.rows.size() > 1;
        return title;
    }
    const auto hidden = std::ranges::count(rank.tracks, false, &MeasuredTrack::is_of_interest);
    title.name = lane.is_open  ? tr("fewer threads")
                 : hidden == 1 ? tr("1 more thread")
                               : tr("%1 more threads").arg(hidden);
    title.has_triangle = true;
    return title;
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
    const int content = heightOf(all);
    if (content > area.height()) {
        // A thin bar at the right edge tells how far lanes are scrolled.
        QColor handle = look.theme.text();
        handle.setAlpha(70);
        const double unit = static_cast<double>(area.height()) / content;
        painter.fillRect(
            QRectF{area.left() + area.width() - 4.0, area.top() + scroll * unit, 3.0, area.height() * unit},
            handle);
    }
}

} // namespace shardscope
