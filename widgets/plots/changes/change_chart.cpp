#include "widgets/plots/changes/change_chart.h"

#include "widgets/plots/bars/tip_place.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope
{

ChangeChart::ChangeChart(QWidget* parent) : QAbstractScrollArea{parent}
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::NoRole);
}

void ChangeChart::setScene(ChangeScene scene)
{
    m_scene = std::move(scene);
    if (m_current >= static_cast<int>(m_scene.rows.size()))
        m_current = -1;
    if (m_current >= 0 && !std::exchange(m_is_tip_old, true))
        QToolTip::hideText();
    fitScrollBar();
    viewport()->update();
}

ChangeLayout ChangeChart::layOut() const
{
    return layOutChanges(m_scene, viewport()->width(), pixelFont(font()));
}

QRectF ChangeChart::rowRectangle(int row) const
{
    const double height = layOut().row_height;
    return {0.0, height * (row + 1) - verticalScrollBar()->value(), static_cast<double>(viewport()->width()),
            height};
}

int ChangeChart::wholeHeight(int width) const
{
    return static_cast<int>(std::ceil(layOutChanges(m_scene, width, pixelFont(font())).height(m_scene)));
}

void ChangeChart::paintTo(QPainter& painter, const QRectF& rectangle) const
{
    const ChangeStyle style{Theme{palette()}, pixelFont(font())};
    painter.fillRect(rectangle, style.theme.background());
    painter.save();
    painter.translate(rectangle.topLeft());
    if (!m_scene.hint.isEmpty()) {
        painter.setFont(style.font);
        painter.setPen(style.theme.faintText());
        painter.drawText(QRectF{{}, rectangle.size()}, Qt::AlignCenter | Qt::TextWordWrap, m_scene.hint);
        painter.restore();
        return;
    }
    const double whole = layOutChanges(m_scene, rectangle.width(), style.font).height(m_scene);
    const double scale = std::min(1.0, rectangle.height() / whole);
    painter.scale(scale, scale);
    const double width = rectangle.width() / scale;
    const ChangeLayout layout = layOutChanges(m_scene, width, style.font);
    paintChangeHead(painter, m_scene, layout, {0.0, 0.0, width, layout.row_height}, style);
    for (int row = 0; row < static_cast<int>(m_scene.rows.size()); ++row)
        paintChangeRow(painter, m_scene, layout, row,
                       {0.0, layout.row_height * (row + 1), width, layout.row_height}, style);
    painter.restore();
}

void ChangeChart::paintEvent(QPaintEvent*)
{
    QPainter painter{viewport()};
    const QRectF all = viewport()->rect();
    if (!m_scene.hint.isEmpty())
        return paintTo(painter, all);
    const ChangeStyle style{Theme{palette()}, pixelFont(font()), m_current, true};
    painter.fillRect(all, style.theme.background());
    const ChangeLayout layout = layOut();
    for (int row = 0; row < static_cast<int>(m_scene.rows.size()); ++row)
        if (const QRectF area = rowRectangle(row); area.intersects(all))
            paintChangeRow(painter, m_scene, layout, row, area, style);
    // Over the rows, which scroll away beneath it.
    const QRectF head{0.0, 0.0, all.width(), layout.row_height};
    painter.fillRect(head, style.theme.background());
    paintChangeHead(painter, m_scene, layout, head, style);
    if (hasFocus()) {
        painter.setPen(style.theme.faintText());
        painter.setBrush(Qt::NoBrush); // an outlined row has left its own
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void ChangeChart::fitScrollBar()
{
    const ChangeLayout layout = layOut();
    const int height = viewport()->height();
    const int whole = m_scene.hint.isEmpty() ? static_cast<int>(std::ceil(layout.height(m_scene))) : 0;
    verticalScrollBar()->setRange(0, std::max(0, whole - height));
    verticalScrollBar()->setPageStep(std::max(1, height - static_cast<int>(2.0 * layout.row_height)));
    verticalScrollBar()->setSingleStep(static_cast<int>(layout.row_height));
}

void ChangeChart::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
}

void ChangeChart::scrollContentsBy(int, int)
{
    viewport()->update();
}

void ChangeChart::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitScrollBar();
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        viewport()->update();
}

// Not on the headings, beneath which rows may lie.
int ChangeChart::rowAt(QPointF point) const
{
    const double height = layOut().row_height;
    if (!m_scene.hint.isEmpty() || point.y() < height)
        return -1;
    const int row = static_cast<int>((point.y() + verticalScrollBar()->value()) / height) - 1;
    return row < static_cast<int>(m_scene.rows.size()) ? row : -1;
}

void ChangeChart::setCurrent(int row, const QPoint& pointer)
{
    if (row == m_current && !m_is_tip_old)
        return;
    m_is_tip_old = false;
    m_current = row;
    viewport()->setCursor(row < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    if (row >= 0 && m_tip)
        showTipBeside(pointer, m_tip(row), this);
    else
        QToolTip::hideText();
    viewport()->update();
    emit hovered(row);
}

void ChangeChart::mouseMoveEvent(QMouseEvent* event)
{
    setCurrent(rowAt(event->position()), event->globalPosition().toPoint());
}

void ChangeChart::mousePressEvent(QMouseEvent* event)
{
    const int row = rowAt(event->position());
    if (event->button() == Qt::LeftButton && row >= 0)
        emit activated(row);
}

bool ChangeChart::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave || event->type() == QEvent::Resize) // other rows lie beneath the mouse
        setCurrent(-1, {});
    return QAbstractScrollArea::viewportEvent(event);
}

void ChangeChart::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    setCurrent(-1, {});
}

// Scrolled into sight, its tip beside it.
void ChangeChart::stepTo(int row)
{
    const int to = std::clamp(row, 0, static_cast<int>(m_scene.rows.size()) - 1);
    if (to < 0)
        return;
    const double height = layOut().row_height;
    QScrollBar& bar = *verticalScrollBar();
    const QRectF place = rowRectangle(to);
    if (place.top() < height)
        bar.setValue(bar.value() - static_cast<int>(std::ceil(height - place.top())));
    else if (place.bottom() > viewport()->height())
        bar.setValue(bar.value() + static_cast<int>(std::ceil(place.bottom() - viewport()->height())));
    setCurrent(to, viewport()->mapToGlobal(rowRectangle(to).center().toPoint()));
}

void ChangeChart::keyPressEvent(QKeyEvent* event)
{
    const int page = std::max(1, static_cast<int>(verticalScrollBar()->pageStep() / layOut().row_height));
    switch (event->key()) {
    case Qt::Key_Up:
        return stepTo(m_current < 0 ? 0 : m_current - 1);
    case Qt::Key_Down:
        return stepTo(m_current + 1);
    case Qt::Key_PageUp:
        return stepTo(m_current - page);
    case Qt::Key_PageDown:
        return stepTo(m_current + page);
    case Qt::Key_Home:
        return stepTo(0);
    case Qt::Key_End:
        return stepTo(static_cast<int>(m_scene.rows.size()) - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            emit activated(m_current);
        return;
    case Qt::Key_Escape:
        return setCurrent(-1, {});
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

} // namespace shardscope
