#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/texts_above.h"
#include "widgets/plots/bars/tip_place.h"
#include "widgets/plots/theme.h"

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

// Of the texts that are cut where they find no room: what follows a bar's caption, the note, the title of the
// categories.
QString BarChart::wholeTextAt(const QPoint& point) const
{
    const QRect area = m_plot->axisRect()->rect();
    if (!m_scene.hint.isEmpty())
        return {};
    if (m_orientation == Qt::Horizontal) {
        const BarMapping mapping = mappingOf(m_scene, m_orientation, area);
        for (const Bar& bar : m_scene.bars)
            if (const CaptionAbove above = captionAbove(bar, mapping, pixelFont(font()));
                above.is_cut && above.rectangle.contains(point))
                return bar.caption + QStringLiteral(": ") + bar.remark;
    }
    if (point.y() < area.top())
        return m_scene.note;
    const bool is_below = m_orientation == Qt::Vertical && point.y() > area.bottom();
    const QString written = m_plot->xAxis->label().replace('\n', ' ');
    return is_below && written != m_scene.category_title ? m_scene.category_title : QString{};
}

bool BarChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* asked = static_cast<QHelpEvent*>(event);
    const QString text = wholeTextAt(asked->pos());
    if (text.isEmpty())
        return QWidget::event(event);
    QToolTip::showText(asked->globalPos(), text, this);
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
