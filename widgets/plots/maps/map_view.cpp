#include "widgets/plots/maps/map_view.h"

#include "widgets/plots/maps/map_painting.h"

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

constexpr int most_drawn_cells = 4096; // one by one; larger maps are drawn as a picture

}

MapView::MapView(QWidget* parent) : QWidget{parent}
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void MapView::setScene(MapScene scene)
{
    m_scene = std::move(scene);
    m_image = mapImage(m_scene, Theme{palette()});
    if (m_current.column >= m_scene.columns || m_current.row >= m_scene.rows)
        m_current = {};
    if (!m_current.isNone() && !std::exchange(m_is_tip_old, true))
        QToolTip::hideText();
    if (!m_current.isNone())
        emit hovered(m_current); // which has another value now
    update();
}

void MapView::leaveCell()
{
    setCurrent({}, {});
}

// Of the scenario, where the map has it; else of the middle.
MapCellPlace MapView::firstCell() const
{
    for (const MapMark& mark : m_scene.marks) {
        const MapCellPlace place{static_cast<int>(std::lround(mark.column)),
                                 static_cast<int>(std::lround(mark.row))};
        if (!mark.is_pinned && place.column >= 0 && place.column < m_scene.columns && place.row >= 0
            && place.row < m_scene.rows)
            return place;
    }
    return {m_scene.columns / 2, m_scene.rows / 2};
}

QRectF MapView::cellRectangle(MapCellPlace place) const
{
    return mapCellRectangle(m_scene, layOutMap(m_scene, rect(), pixelFont(font())).cells, place);
}

void MapView::paintTo(QPainter& painter, const QRectF& rectangle) const
{
    const bool as_vectors = m_scene.columns * m_scene.rows <= most_drawn_cells;
    paintMap(painter, m_scene, rectangle, {Theme{palette()}, pixelFont(font()), {}},
             as_vectors ? nullptr : &m_image);
}

void MapView::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    const Theme theme{palette()};
    painter.fillRect(rect(), theme.background());
    paintMap(painter, m_scene, rect(), {theme, pixelFont(font()), m_current}, &m_image);
    if (hasFocus()) {
        painter.setPen(theme.faintText());
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void MapView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        m_image = mapImage(m_scene, Theme{palette()});
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
}

MapCellPlace MapView::cellAt(QPointF point) const
{
    if (!m_scene.hint.isEmpty())
        return {};
    return mapCellAt(m_scene, layOutMap(m_scene, rect(), pixelFont(font())).cells, point);
}

// Cells have told already; the note is cut where it has no room.
bool MapView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_scene.note.isEmpty() || !m_scene.hint.isEmpty())
        return QWidget::event(event);
    const auto* asked = static_cast<QHelpEvent*>(event);
    const QRectF note = layOutMap(m_scene, rect(), pixelFont(font())).note;
    if (note.contains(asked->pos()))
        QToolTip::showText(asked->globalPos(), m_scene.note, this, note.toAlignedRect());
    return true;
}

void MapView::mouseMoveEvent(QMouseEvent* event)
{
    setCurrent(cellAt(event->position()), event->globalPosition().toPoint());
}

void MapView::mousePressEvent(QMouseEvent* event)
{
    const MapCellPlace place = cellAt(event->position());
    if (event->button() == Qt::LeftButton && !place.isNone())
        emit activated(place);
}

void MapView::leaveEvent(QEvent*)
{
    setCurrent({}, {});
}

void MapView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setCurrent({}, {});
}

void MapView::setCurrent(MapCellPlace place, const QPoint& tip_position)
{
    if (place == m_current && !m_is_tip_old)
        return;
    m_is_tip_old = false;
    m_current = place;
    emit hovered(place);
    if (place.isNone() || !m_tip)
        QToolTip::hideText();
    else
        QToolTip::showText(tip_position, m_tip(place), this);
    update();
}

void MapView::step(int columns, int rows)
{
    if (m_scene.columns == 0 || m_scene.rows == 0)
        return;
    const MapCellPlace from = m_current.isNone() ? firstCell() : m_current;
    const MapCellPlace to{std::clamp(from.column + columns, 0, m_scene.columns - 1),
                          std::clamp(from.row + rows, 0, m_scene.rows - 1)};
    setCurrent(to, mapToGlobal(cellRectangle(to).bottomRight().toPoint()));
}

void MapView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1, 0);
    case Qt::Key_Right:
        return step(1, 0);
    case Qt::Key_Up:
        return step(0, 1);
    case Qt::Key_Down:
        return step(0, -1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!m_current.isNone())
            emit activated(m_current);
        return;
    case Qt::Key_Escape:
        return setCurrent({}, {});
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace shardscope
