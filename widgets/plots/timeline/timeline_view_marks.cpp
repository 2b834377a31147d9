#include "widgets/plots/timeline/predicted_flow.h"
#include "widgets/plots/timeline/timeline_view.h"

#include "core/base/format.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

// What the user marks in the timeline: one event, with what belongs to it on other ranks, and bookmarks.

namespace shardscope
{

namespace
{

constexpr double narrowest_shown = 3.0; // pixels; a chosen event is brought to at least that
constexpr double share_shown = 0.02;    // of the screen

} // namespace

void TimelineView::choose(const std::optional<TimelineSpot>& spot)
{
    m_chosen = spot;
    m_flow = {};
    if (spot)
        m_flow = spot->section == TimelineSection::measured ? flowOf(*m_scene.measured, *spot)
                                                            : flowOf(*m_scene.predicted, *spot);
    update();
    emit spotChosen(spot);
}

void TimelineView::reveal(const TimelineSpot& spot)
{
    openLanesOf(spot);
    bringOnScreen(spot);
}

void TimelineView::showSpot(const TimelineSpot& spot, TraceTime before_ns)
{
    const bool is_closed = spot.section == TimelineSection::measured && !m_open.ranks.contains(spot.rank);
    const bool is_seen = is_closed && m_scene.measured->ranks[spot.rank].tracks[spot.track].is_of_interest
                         && kindOf(spotPaint(m_scene, spot)).has_value() && !spotPlace(spot).isNull();
    if (!is_seen)
        openLanesOf(spot);
    bringOnScreen(spot, before_ns);
}

void TimelineView::bringOnScreen(const TimelineSpot& spot, TraceTime before_ns)
{
    TimeRange axis = spotRange(m_scene, spot);
    axis.start_ns -= before_ns;
    axis.length_ns += before_ns;
    if (spot.section == TimelineSection::measured)
        axis.start_ns -= m_scene.measured->origin_ns;
    TimeRange range = m_range;
    const double pixels = static_cast<double>(axis.length_ns) * axisWidth()
                          / static_cast<double>(std::max<TraceTime>(1, range.length_ns));
    if (pixels < narrowest_shown)
        range.length_ns = std::max(shortest_range_ns,
                                   static_cast<TraceTime>(static_cast<double>(axis.length_ns) / share_shown));
    else if (axis.length_ns > range.length_ns)
        range = padded(axis);
    if (range.length_ns != m_range.length_ns || axis.start_ns < m_range.start_ns
        || axis.end_ns() > m_range.end_ns()) {
        range.start_ns = axis.start_ns + axis.length_ns / 2 - range.length_ns / 2;
        const TimeRange all = boundsOf(m_scene); // what is empty beside it need not be seen
        const TraceTime air = range.length_ns / 50;
        if (range.length_ns <= all.length_ns)
            range.start_ns =
                std::clamp(range.start_ns, all.start_ns - air, all.end_ns() + air - range.length_ns);
        setRange(range);
    }
    const QRect area = lanesPlace(spot.section);
    const QRectF place = spotPlace(spot);
    if (place.top() < area.top())
        scrollBy(spot.section, static_cast<int>(place.top()) - area.top());
    else if (place.bottom() > area.bottom())
        scrollBy(spot.section, static_cast<int>(place.bottom()) - area.bottom());
}

// A closed rank shows bars of its tracks already; tracks that are hidden or squeezed are opened.
void TimelineView::openLanesOf(const TimelineSpot& spot)
{
    if (spot.section != TimelineSection::measured)
        return;
    const MeasuredTrack& track = m_scene.measured->ranks[spot.rank].tracks[spot.track];
    OpenLanes open = m_open;
    for (std::size_t group = 0; group < m_scene.groups.size(); ++group)
        if (std::ranges::count(m_scene.groups[group].ranks, spot.rank) > 0)
            open.closed_groups.erase(group);
    open.ranks.insert(spot.rank);
    if (!track.is_of_interest)
        open.ranks_with_all_tracks.insert(spot.rank);
    const auto rows = static_cast<int>(track.rows.size());
    if (!open.trackIsOpen(spot.rank, spot.track, rows)) {
        const std::pair place{spot.rank, spot.track};
        if (open.turned_tracks.erase(place) == 0)
            open.turned_tracks.insert(place);
    }
    setOpenLanes(std::move(open));
}

void TimelineView::selectRange(const std::optional<TimeRange>& range)
{
    if (m_selected && !range)
        emit hinted({}); // how long it was
    m_selected = range;
    m_summary = range ? std::optional{summarize(m_scene, *range)} : std::nullopt;
    update();
    emit rangeSelected(range);
}

void TimelineView::stepAlongFlow(int step)
{
    const std::vector<TimelineSpot>& stops = m_flow.stops;
    const auto own = m_chosen ? std::ranges::find(stops, *m_chosen) : stops.end();
    if (own == stops.end()) {
        emit hinted(tr("Click a kernel, its launch, a communication that was matched between ranks, or a "
                       "predicted message between stages: [ and ] go along what belongs to it"));
        return;
    }
    const auto count = static_cast<std::ptrdiff_t>(stops.size());
    const TimelineSpot spot = stops[static_cast<std::size_t>((own - stops.begin() + step + count) % count)];
    choose(spot);
    showSpot(spot);
}

// At the start of the chosen event, at the edges of the selected stretch, or at the mouse.
void TimelineView::addBookmark()
{
    std::vector<TraceTime> times;
    if (m_chosen)
        times = {spotRange(m_scene, *m_chosen).start_ns
                 - (m_chosen->section == TimelineSection::measured ? m_scene.measured->origin_ns : 0)};
    else if (m_selected)
        times = {m_selected->start_ns, m_selected->end_ns()};
    else if (m_mouse)
        times = {timeAt(m_mouse->x())};
    for (const TraceTime time : times)
        if (const auto place = std::ranges::lower_bound(m_bookmarks, time);
            place == m_bookmarks.end() || *place != time)
            m_bookmarks.insert(place, time);
    update();
}

void TimelineView::stepAlongBookmarks(int step)
{
    if (m_bookmarks.empty())
        return;
    const TraceTime middle = m_range.start_ns + m_range.length_ns / 2;
    auto place = step > 0 ? std::ranges::upper_bound(m_bookmarks, middle)
                          : std::ranges::lower_bound(m_bookmarks, middle);
    if (step > 0 && place == m_bookmarks.end())
        place = m_bookmarks.begin();
    else if (step < 0)
        place = std::prev(place == m_bookmarks.begin() ? m_bookmarks.end() : place);
    setRange({*place - m_range.length_ns / 2, m_range.length_ns});
}

bool TimelineView::pressMarkKey(const QKeyEvent& event)
{
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return false;
    const QString key = event.text();
    if (key == QLatin1String{"/"})
        emit searchWished();
    else if (key == QLatin1String{"?"})
        emit helpWished();
    else if (event.key() == Qt::Key_X)
        emit exposedWished(event.modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
    else if (key == QLatin1String{"["})
        stepAlongFlow(-1);
    else if (key == QLatin1String{"]"})
        stepAlongFlow(1);
    else if (key == QLatin1String{","})
        stepAlongBookmarks(-1);
    else if (key == QLatin1String{"."})
        stepAlongBookmarks(1);
    else if (event.key() == Qt::Key_M && !event.modifiers().testFlag(Qt::ShiftModifier))
        addBookmark();
    else if (event.key() == Qt::Key_M) {
        m_bookmarks.clear();
        update();
    } else
        return false;
    return true;
}

void TimelineView::paintMarks(QPainter& painter, const TimelineStyle& look) const
{
    if (m_chosen) {
        painter.save();
        painter.setClipRect(lanesPlace(m_chosen->section));
        paintFlow(painter, look);
        painter.setPen(QPen{look.theme.text(), 2.5});
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(spotPlace(*m_chosen).adjusted(0.0, 1.0, 0.0, -1.0));
        painter.restore();
    }
    paintBookmarks(painter, look);
}

// A line with a flag that says how far it is from the one before.
void TimelineView::paintBookmarks(QPainter& painter, const TimelineStyle& look) const
{
    const QFontMetricsF metrics{look.font};
    painter.setFont(look.font);
    double free = 0.0; // right of the last flag
    for (std::size_t i = 0; i < m_bookmarks.size(); ++i) {
        const auto column = columnOf(m_bookmarks[i], m_range, axisWidth());
        if (column < 0 || column >= axisWidth())
            continue;
        const double x = m_layout.gutter + static_cast<double>(column);
        painter.setPen(QPen{look.theme.text(), 1.0, Qt::DashLine});
        painter.drawLine(QPointF{x, 0.0}, QPointF{x, static_cast<double>(height())});
        const QString text = i == 0 ? QString::number(1)
                                    : QStringLiteral("%1: +%2").arg(i + 1).arg(QString::fromStdString(
                                        formatNanoseconds(m_bookmarks[i] - m_bookmarks[i - 1])));
        const double wide = metrics.horizontalAdvance(text) + 8.0;
        double left = std::min(x, width() - wide);
        left = std::max(left, free);
        if (left > x + 1.0 && i > 0)
            continue; // no room for its words
        painter.setPen(Qt::NoPen);
        painter.setBrush(look.theme.text());
        const QRectF flag{left, 0.0, wide, std::ceil(metrics.height())};
        painter.drawRect(flag);
        painter.setPen(look.theme.background());
        painter.drawText(flag, Qt::AlignCenter, text);
        free = flag.right() + 2.0;
    }
}

} // namespace shardscope
