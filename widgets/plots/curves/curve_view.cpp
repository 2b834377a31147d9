#include "widgets/plots/curves/curve_view.h"

#include "widgets/plots/curves/curve_painting.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope
{

namespace
{

int nextDrag()
{
    static int last = 1'000'000; // far from the numbers of other controls' drags
    return ++last;
}

} // namespace

CurveView::CurveView(QWidget* parent) : QWidget{parent}
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void CurveView::setScene(CurveScene scene)
{
    hideTip(); // its figures were of the older scene
    m_mark = -1;
    const CurveAxes held = m_scene;
    m_scene = std::move(scene);
    if (m_hot >= static_cast<int>(m_scene.handles.size())) {
        m_dragged = -1;
        setHot(-1);
    }
    m_own_axes.reset();
    if (m_dragged >= 0) {
        m_own_axes = m_scene;
        static_cast<CurveAxes&>(m_scene) = held;
    }
    update();
}

void CurveView::releaseAxes()
{
    if (!m_own_axes)
        return;
    static_cast<CurveAxes&>(m_scene) = *m_own_axes;
    m_own_axes.reset();
    update();
}

QPointF CurveView::handlePlace(int handle) const
{
    const CurveMapping mapping{m_scene, curveArea(m_scene, rect(), pixelFont(font()))};
    return mapping.place(m_scene.handles[static_cast<std::size_t>(handle)].at);
}

void CurveView::paintTo(QPainter& painter, const QRectF& rectangle) const
{
    paintCurves(painter, m_scene, rectangle, {Theme{palette()}, pixelFont(font())});
}

void CurveView::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    const Theme theme{palette()};
    painter.fillRect(rect(), theme.background());
    paintCurves(painter, m_scene, rect(), {theme, pixelFont(font()), m_hot, m_cursor_x});
    if (hasFocus()) {
        painter.setPen(theme.faintText());
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void CurveView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
}

int CurveView::handleAt(const QPointF& place) const
{
    constexpr double reach = 12.0;
    for (std::size_t i = 0; i < m_scene.handles.size(); ++i) {
        const QPointF way = handlePlace(static_cast<int>(i)) - place;
        if (std::hypot(way.x(), way.y()) <= reach)
            return static_cast<int>(i);
    }
    return -1;
}

int CurveView::markAt(const QPointF& place) const
{
    constexpr double reach = 8.0;
    const CurveMapping mapping{m_scene, curveArea(m_scene, rect(), pixelFont(font()))};
    int nearest = -1;
    double least = reach;
    for (std::size_t i = 0; i < m_scene.marks.size(); ++i) {
        const QPointF way = mapping.place(m_scene.marks[i].at) - place;
        const double distance = std::hypot(way.x(), way.y());
        if (distance > least)
            continue;
        least = distance;
        nearest = static_cast<int>(i);
    }
    return nearest;
}

// The title and the note above the curves are cut where they have no room.
bool CurveView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || !m_scene.hint.isEmpty())
        return QWidget::event(event);
    if (m_mark >= 0)
        return true; // its own tip stands there, which a handle's would replace
    const auto* asked = static_cast<QHelpEvent*>(event);
    if (m_hot >= 0 || asked->y() >= curveArea(m_scene, rect(), pixelFont(font())).top())
        return QWidget::event(event);
    QStringList lines{m_scene.y_title, m_scene.note};
    lines.removeAll({});
    QToolTip::showText(asked->globalPos(), lines.join('\n'), this);
    return true;
}

void CurveView::setHot(int handle)
{
    m_hot = handle;
    setCursor(handle >= 0 ? Qt::SizeVerCursor : Qt::ArrowCursor);
    setToolTip(handle >= 0 ? m_scene.handles[static_cast<std::size_t>(handle)].tip : QString{});
    update();
}

void CurveView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_scene.hint.isEmpty())
        return;
    const CurveMapping mapping{m_scene, curveArea(m_scene, rect(), pixelFont(font()))};
    if (m_dragged >= 0) {
        const double y =
            std::clamp(mapping.value(event->position() + m_grab).y(), m_scene.y_low, m_scene.y_high);
        emit handleMoved(m_dragged, y, m_drag);
        return;
    }
    const int hot = handleAt(event->position());
    if (hot != m_hot)
        setHot(hot);
    m_mark = markAt(event->position());
    if (m_mark >= 0)
        setCursorX(m_scene.marks[static_cast<std::size_t>(m_mark)].at.x());
    else
        setCursorX(mapping.area().contains(event->position()) ? mapping.value(event->position()).x() : 0.0);
    showTip(m_mark >= 0 ? besideMark(mapping) : event->globalPosition().toPoint());
}

// The tip of a mark stands beside it, wherever the mouse reaches it from, and leaves it in sight: Qt puts a
// tip a little below the place, or above where the screen ends.
QPoint CurveView::besideMark(const CurveMapping& mapping) const
{
    constexpr QPoint beside{10, -4};
    return mapToGlobal(mapping.place(m_scene.marks[static_cast<std::size_t>(m_mark)].at).toPoint()) + beside;
}

// A handle says itself what it is for, but where it lies over a mark.
void CurveView::showTip(const QPoint& place)
{
    if (!m_tip || (m_hot >= 0 && m_mark < 0) || m_cursor_x <= 0.0)
        return hideTip();
    QToolTip::showText(place, m_tip(m_cursor_x), this);
    m_shows_tip = true;
}

void CurveView::hideTip()
{
    if (std::exchange(m_shows_tip, false))
        QToolTip::hideText();
}

void CurveView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_dragged = m_hot = handleAt(event->position());
    m_drag = nextDrag();
    m_grab = m_dragged >= 0 ? handlePlace(m_dragged) - event->position() : QPointF{};
    const CurveMapping mapping{m_scene, curveArea(m_scene, rect(), pixelFont(font()))};
    if (m_dragged < 0 && m_scene.hint.isEmpty() && mapping.area().contains(event->position()))
        emit chosen(mapping.value(event->position()).x());
}

void CurveView::mouseReleaseEvent(QMouseEvent*)
{
    m_dragged = -1;
    releaseAxes();
}

void CurveView::leaveEvent(QEvent*)
{
    m_mark = -1;
    setCursorX(0.0);
}

void CurveView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setCursorX(0.0);
}

void CurveView::setCursorX(double x)
{
    if (x == m_cursor_x)
        return;
    m_cursor_x = x;
    emit hovered(x);
    update();
}

// Left and right move the cursor by a doubling, H chooses the next handle, up and down move it.
void CurveView::keyPressEvent(QKeyEvent* event)
{
    hideTip();
    const double middle = std::sqrt(m_scene.x_low * m_scene.x_high);
    const double here = m_cursor_x > 0.0 ? m_cursor_x : std::exp2(std::round(std::log2(middle)));
    switch (event->key()) {
    case Qt::Key_Left:
        setCursorX(std::max(m_scene.x_low, here / 2));
        return;
    case Qt::Key_Right:
        setCursorX(std::min(m_scene.x_high, here * 2));
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_cursor_x > 0.0)
            emit chosen(m_cursor_x);
        return;
    case Qt::Key_H:
        m_hot = m_scene.handles.empty() ? -1 : (m_hot + 1) % static_cast<int>(m_scene.handles.size());
        m_drag = nextDrag();
        update();
        return;
    case Qt::Key_Up:
        stepHandle(1);
        return;
    case Qt::Key_Down:
        stepHandle(-1);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void CurveView::stepHandle(int direction)
{
    if (m_hot < 0)
        return;
    constexpr double step = 1.05;
    const double y = m_scene.handles[static_cast<std::size_t>(m_hot)].at.y();
    emit handleMoved(m_hot, std::clamp(y * std::pow(step, direction), m_scene.y_low, m_scene.y_high), m_drag);
}

} // namespace shardscope
