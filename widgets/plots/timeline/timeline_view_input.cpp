#include "widgets/plots/timeline/timeline_view.h"
#include "widgets/session/shown_text.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>

// The mouse and the keyboard of the timeline.

namespace shardscope
{

namespace
{

constexpr double zoom_step = 1.25;
constexpr double pan_step = 0.1; // of the screen
constexpr double fast = 4.0;     // with shift
constexpr int drag_begins = 4;   // pixels
constexpr int wheel_pixels = 48; // a notch scrolls lanes by
constexpr int arrow_pixels = 24;

enum class PlaceKey : unsigned char { zoom_in, zoom_out, left, right };

// Where W, S, A and D lie on an American keyboard, whatever is printed there: the codes of evdev (X11,
// Wayland; 8 added), Windows and macOS.
#if defined(Q_OS_WIN)
constexpr std::array<quint32, 4> place_codes{0x11, 0x1f, 0x1e, 0x20};
#elif defined(Q_OS_MACOS)
constexpr std::array<quint32, 4> place_codes{}; // macOS gives no scan codes
#else
constexpr std::array<quint32, 4> place_codes{25, 39, 38, 40};
#endif
constexpr std::array<int, 4> letters{Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D};

std::optional<PlaceKey> placeKey(const QKeyEvent& event)
{
    for (std::size_t i = 0; i < place_codes.size(); ++i) {
        // Synthetic events have no code; then the letter counts.
        const bool by_place = event.nativeScanCode() > 1 && event.nativeScanCode() == place_codes[i];
        const bool by_letter = event.nativeScanCode() <= 1 && event.key() == letters[i];
        if (by_place || by_letter)
            return static_cast<PlaceKey>(i);
    }
    return std::nullopt;
}

} // namespace

int TimelineView::axisWidth() const
{
    return std::max(1, width() - m_layout.gutter);
}

TraceTime TimelineView::timeAt(int x) const
{
    return timeOfColumn(x - m_layout.gutter, m_range, axisWidth());
}

std::optional<TimelineSection> TimelineView::sectionAt(QPoint point) const
{
    for (const TimelineSection section : {TimelineSection::predicted, TimelineSection::measured}) {
        const QRect area = lanesPlace(section);
        if (!area.isEmpty() && point.y() >= area.top() && point.y() < area.top() + area.height())
            return section;
    }
    return std::nullopt;
}

std::optional<Lane> TimelineView::laneUnder(QPoint point) const
{
    const std::optional<TimelineSection> section = sectionAt(point);
    if (!section)
        return std::nullopt;
    const int y = point.y() - lanesPlace(*section).top() + scrollOf(*section);
    const std::optional<std::size_t> index = laneAt(lanes(*section), y);
    return index ? std::optional{lanes(*section)[*index]} : std::nullopt;
}

std::optional<TimelineSpot> TimelineView::spotAt(QPoint point) const
{
    const std::optional<TimelineSection> section = sectionAt(point);
    const std::optional<Lane> lane = laneUnder(point);
    const int column = point.x() - m_layout.gutter;
    if (!section || !lane || column < 0)
        return std::nullopt;
    const TimeRange range = inSection(m_scene, *section, m_range);
    const int y = point.y() - lanesPlace(*section).top() + scrollOf(*section) - lane->top;
    if (*section == TimelineSection::predicted)
        return predictedSpot(*m_scene.predicted, *lane, y, range, axisWidth(), column);
    return measuredSpot(*m_scene.measured, *lane, y, range, axisWidth(), column, m_scene.groups);
}

void TimelineView::scrollBy(TimelineSection section, int pixels)
{
    const int most = std::max(0, heightOf(lanes(section)) - lanesPlace(section).height());
    scrollOf(section) = std::clamp(scrollOf(section) + pixels, 0, most);
    spoil();
}

void TimelineView::panBy(double share)
{
    setRange(panned(m_range,
                    static_cast<TraceTime>(std::llround(share * static_cast<double>(m_range.length_ns))),
                    boundsOf(m_scene)));
}

void TimelineView::zoomBy(double factor, TraceTime anchor)
{
    setRange(zoomed(m_range, factor, anchor, boundsOf(m_scene)));
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    const QPoint point = event->position().toPoint();
    const double steps = event->angleDelta().y() / 120.0;
    const double sideways = event->angleDelta().x() / 120.0;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        zoomBy(std::pow(zoom_step, -steps), timeAt(point.x()));
    else if (event->modifiers().testFlag(Qt::ShiftModifier))
        panBy(-(steps + sideways) * pan_step);
    else if (sideways != 0.0)
        panBy(-sideways * pan_step);
    else if (const std::optional<TimelineSection> section = sectionAt(point))
        scrollBy(*section, static_cast<int>(std::lround(-steps * wheel_pixels)));
    event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_press = m_last = event->pos();
    if (m_layout.divider.adjusted(0, -2, 0, 2).contains(event->pos()))
        m_drag = Drag::divider;
    else
        m_drag = event->button() == Qt::MiddleButton ? Drag::pan : Drag::press;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint point = event->pos();
    if (m_drag == Drag::press && (point - m_press).manhattanLength() >= drag_begins
        && m_press.x() >= m_layout.gutter) {
        m_drag = event->modifiers().testFlag(Qt::ShiftModifier) ? Drag::pan : Drag::select;
        setCursor(m_drag == Drag::pan ? Qt::ClosedHandCursor : Qt::IBeamCursor);
    }
    switch (m_drag) {
    case Drag::select: {
        const TraceTime a = timeAt(std::clamp(m_press.x(), m_layout.gutter, width()));
        const TraceTime b = timeAt(std::clamp(point.x(), m_layout.gutter, width()));
        m_selected = TimeRange{std::min(a, b), std::max<TraceTime>(1, std::abs(b - a))};
        m_summary.reset();
        emit hinted(tr("%1 selected").arg(nanosecondsText(m_selected->length_ns)));
        update();
        break;
    }
    case Drag::pan:
        // By whole nanoseconds from the last place: what is under the hand stays there.
        setRange(panned(m_range, timeAt(m_last.x()) - timeAt(point.x()), boundsOf(m_scene)));
        if (const std::optional<TimelineSection> section = sectionAt(m_press))
            scrollBy(*section, m_last.y() - point.y());
        break;
    case Drag::divider: {
        const int room = m_layout.predicted_lanes.height() + m_layout.measured_lanes.height();
        m_predicted_share = std::clamp(
            static_cast<double>(point.y() - m_layout.predicted_lanes.top()) / std::max(1, room), 0.0, 1.0);
        placeLanes();
        spoil();
        break;
    }
    case Drag::press:
        break;
    case Drag::none:
        setHover(point, event->globalPosition().toPoint());
        break;
    }
    m_last = point;
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = std::exchange(m_drag, Drag::none);
    unsetCursor();
    if (drag == Drag::select) {
        selectRange(m_selected);
    } else if (drag == Drag::press && event->button() == Qt::LeftButton) {
        const std::optional<TimelineSection> section = sectionAt(event->pos());
        const std::optional<Lane> lane = laneUnder(event->pos());
        if (event->pos().x() < m_layout.gutter && section && lane)
            clickGutter(*section, *lane);
        else if (const std::optional<TimelineSpot> spot = spotAt(event->pos()))
            clickSpot(*spot);
        else
            clearSelection();
    }
    update();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    // What was pointed at fills the screen.
    if (const std::optional<TimelineSpot> spot = spotAt(event->pos())) {
        const QRectF place = spotPlace(*spot);
        const TraceTime start = timeAt(static_cast<int>(place.left()));
        setRange(padded(
            {start, std::max(shortest_range_ns, timeAt(static_cast<int>(place.right()) + 1) - start)}));
    } else if (m_layout.divider.contains(event->pos())) {
        m_predicted_share = -1.0;
        placeLanes();
        spoil();
    }
}

void TimelineView::clickSpot(const TimelineSpot& spot)
{
    choose(spot);
    emit spotClicked(spot);
}

void TimelineView::clickGutter(TimelineSection section, const Lane& lane)
{
    if (section == TimelineSection::measured) {
        OpenLanes open = m_open;
        const auto turn = [](auto& set, const auto& value) {
            if (!set.insert(value).second)
                set.erase(value);
        };
        if (lane.role == LaneRole::group)
            turn(open.closed_groups, lane.rank);
        else if (lane.role == LaneRole::more_tracks)
            turn(open.ranks_with_all_tracks, lane.rank);
        else if (lane.role == LaneRole::track)
            turn(open.turned_tracks, std::pair{lane.rank, lane.track});
        else if (m_press.x() < 18)
            turn(open.ranks, lane.rank);
        const bool turned = lane.role != LaneRole::rank || m_press.x() < 18;
        setOpenLanes(std::move(open));
        if (turned)
            return;
    }
    emit laneClicked(section, lane.rank);
}

void TimelineView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_mouse.reset();
    forgetSpot();
    update();
}

void TimelineView::fitSelection()
{
    if (m_selected)
        setRange(padded(*m_selected));
    else if (m_chosen)
        reveal(*m_chosen);
    else
        showAll();
}

void TimelineView::clearSelection()
{
    if (m_chosen)
        choose(std::nullopt);
    else if (m_selected)
        selectRange(std::nullopt);
    else
        emit cleared();
}

bool TimelineView::pressPlaceKey(const QKeyEvent& event)
{
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return false;
    const std::optional<PlaceKey> key = placeKey(event);
    if (!key)
        return false;
    const double strength = event.modifiers().testFlag(Qt::ShiftModifier) ? fast : 1.0;
    const TraceTime anchor = m_mouse ? timeAt(m_mouse->x()) : m_range.start_ns + m_range.length_ns / 2;
    switch (*key) {
    case PlaceKey::zoom_in:
        zoomBy(std::pow(zoom_step, -strength), anchor);
        break;
    case PlaceKey::zoom_out:
        zoomBy(std::pow(zoom_step, strength), anchor);
        break;
    case PlaceKey::left:
        panBy(-pan_step * strength);
        break;
    case PlaceKey::right:
        panBy(pan_step * strength);
        break;
    }
    return true;
}

// Esc lets go of what is chosen here before it means anything to the window.
bool TimelineView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && (m_chosen || m_selected)
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

// The part under the mouse, else the measured one.
TimelineSection TimelineView::sectionOfKeys() const
{
    if (m_mouse)
        return sectionAt(*m_mouse).value_or(TimelineSection::measured);
    return m_scene.measured ? TimelineSection::measured : TimelineSection::predicted;
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    if (pressPlaceKey(*event) || pressMarkKey(*event))
        return;
    const TraceTime anchor = m_mouse ? timeAt(m_mouse->x()) : m_range.start_ns + m_range.length_ns / 2;
    const TimelineSection section = sectionOfKeys();
    const bool shifted = event->modifiers().testFlag(Qt::ShiftModifier);
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(1.0 / zoom_step, anchor);
    case Qt::Key_Minus:
        return zoomBy(zoom_step, anchor);
    case Qt::Key_Left:
        return panBy(-pan_step);
    case Qt::Key_Right:
        return panBy(pan_step);
    case Qt::Key_Up:
        return scrollBy(section, -arrow_pixels);
    case Qt::Key_Down:
        return scrollBy(section, arrow_pixels);
    case Qt::Key_PageUp:
        return scrollBy(section, -lanesPlace(section).height());
    case Qt::Key_PageDown:
        return scrollBy(section, lanesPlace(section).height());
    case Qt::Key_F:
        return fitSelection();
    case Qt::Key_0:
    case Qt::Key_Home:
        return showAll();
    case Qt::Key_E:
        return shifted ? openAllGroups(true) : openAllRanks(true);
    case Qt::Key_C:
        return shifted ? openAllGroups(false) : openAllRanks(false);
    case Qt::Key_Escape:
        return clearSelection();
    default:
        QWidget::keyPressEvent(event);
    }
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event)
{
    std::optional<std::size_t> rank;
    const bool is_pointed = event->reason() == QContextMenuEvent::Mouse;
    const std::optional<Lane> lane = is_pointed ? laneUnder(event->pos()) : std::nullopt;
    if (lane && lane->role != LaneRole::group && sectionAt(event->pos()) == TimelineSection::measured)
        rank = lane->rank;
    emit menuWished(rank, event->globalPos());
}

} // namespace shardscope
