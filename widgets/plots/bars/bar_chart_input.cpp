#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/tip_place.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <qcustomplot.h>

#include <algorithm>
#include <iterator>

// How a chart hears of the mouse and the keyboard.

namespace shardscope
{

void BarChart::setCurrent(int bar, int segment, const QPoint& pointer)
{
    if (bar == m_current_bar && segment == m_current_segment && !m_is_tip_old)
        return;
    m_is_tip_old = false;
    m_current_bar = bar;
    m_current_segment = segment;
    setCursor(bar < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    if (bar >= 0 && m_tip)
        showTipBeside(pointer, m_tip(bar, segment), this);
    else
        QToolTip::hideText();
    replotSoon();
    emit hovered(bar, segment);
}

// The note is cut where it finds no room.
bool BarChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* asked = static_cast<QHelpEvent*>(event);
    if (m_scene.note.isEmpty() || asked->y() >= m_plot->axisRect()->top())
        return QWidget::event(event);
    QToolTip::showText(asked->globalPos(), m_scene.note, this);
    return true;
}

void BarChart::mouseMoveEvent(QMouseEvent* event)
{
    const std::vector<PlacedSegment> segments = placed();
    const PlacedSegment* hit = segmentAt(segments, m_scene, event->position());
    if (hit)
        setCurrent(hit->bar, hit->segment, event->globalPosition().toPoint());
    else
        setCurrent(-1, -1, {});
}

void BarChart::mousePressEvent(QMouseEvent* event)
{
    QWidget::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    event->accept();
    const std::vector<PlacedSegment> segments = placed();
    const PlacedSegment* hit = segmentAt(segments, m_scene, event->position());
    emit activated(hit ? hit->bar : -1, hit ? hit->segment : -1);
}

void BarChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    setCurrent(-1, -1, {});
}

void BarChart::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setCurrent(-1, -1, {});
}

// Moves from segment to segment in the order in which they are drawn; from bar to bar where `bars` is not 0.
void BarChart::stepCurrent(int bars, int segments)
{
    std::vector<PlacedSegment> order;
    const std::vector<PlacedSegment> placed_now = placed();
    std::copy_if(placed_now.begin(), placed_now.end(), std::back_inserter(order),
                 [this](const PlacedSegment& placed) {
                     return !m_scene.bars[static_cast<std::size_t>(placed.bar)].is_ghost;
                 });
    if (order.empty())
        return;
    auto current = std::find_if(order.begin(), order.end(), [this](const PlacedSegment& placed) {
        return placed.bar == m_current_bar && placed.segment == m_current_segment;
    });
    if (current == order.end()) {
        current = order.begin();
    } else if (segments != 0) {
        const auto place = std::clamp<std::ptrdiff_t>(current - order.begin() + segments, 0,
                                                      static_cast<std::ptrdiff_t>(order.size()) - 1);
        current = order.begin() + place;
    } else {
        const int from = current->bar;
        while (current->bar == from) {
            if (bars > 0 ? current + 1 == order.end() : current == order.begin())
                break;
            current += bars;
        }
    }
    setCurrent(current->bar, current->segment, mapToGlobal(current->rectangle.center().toPoint()));
}

void BarChart::keyPressEvent(QKeyEvent* event)
{
    const bool is_vertical = m_orientation == Qt::Vertical;
    switch (event->key()) {
    case Qt::Key_Left:
        stepCurrent(is_vertical ? -1 : 0, is_vertical ? 0 : -1);
        break;
    case Qt::Key_Right:
        stepCurrent(is_vertical ? 1 : 0, is_vertical ? 0 : 1);
        break;
    case Qt::Key_Up:
        stepCurrent(is_vertical ? 0 : -1, is_vertical ? 1 : 0);
        break;
    case Qt::Key_Down:
        stepCurrent(is_vertical ? 0 : 1, is_vertical ? -1 : 0);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        emit activated(m_current_bar, m_current_segment);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace shardscope
