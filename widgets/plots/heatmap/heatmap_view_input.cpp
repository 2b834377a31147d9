#include "widgets/plots/heatmap/heatmap_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

// The mouse and the keyboard of the heatmap.

namespace shardscope
{

namespace
{

constexpr double zoom_step = 1.25;
constexpr double drag_begins = 4.0; // pixels

} // namespace

int HeatmapView::squareAt(QPointF point) const
{
    for (std::size_t i = 0; i < m_layout.squares.size(); ++i)
        if (m_layout.squares[i].contains(point))
            return static_cast<int>(i);
    return -1;
}

std::pair<double, double> HeatmapView::ranksAt(QPointF point, int square) const
{
    const QRectF place = squareRectangle(square);
    return {rankAtPixel(point.y() - place.top(), m_window.first_row, m_window.span, place.height()),
            rankAtPixel(point.x() - place.left(), m_window.first_column, m_window.span, place.width())};
}

std::optional<HeatmapSpot> HeatmapView::spotAt(QPointF point) const
{
    const int square = m_scene.squares.empty() ? -1 : squareAt(point);
    if (square < 0)
        return std::nullopt;
    const auto [row, column] = ranksAt(point, square);
    HeatmapSpot spot{square, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column), 1};
    // Where pixels hold several ranks, a spot is a pixel.
    spot.count = std::max<std::int64_t>(1, std::llround(m_window.span / squareRectangle(square).width()));
    spot.row = std::clamp<std::int64_t>(spot.row - spot.row % spot.count, 0, m_scene.ranks - 1);
    spot.column = std::clamp<std::int64_t>(spot.column - spot.column % spot.count, 0, m_scene.ranks - 1);
    return spot;
}

void HeatmapView::setSpot(std::optional<HeatmapSpot> spot, const QPoint& tip_position)
{
    if (spot == m_spot)
        return;
    m_spot = spot;
    if (m_spot && m_tip)
        QToolTip::showText(tip_position, m_tip(*m_spot), this);
    else
        QToolTip::hideText();
    emit hovered(m_spot);
    update();
}

void HeatmapView::moveSpot(std::int64_t rows, std::int64_t columns)
{
    if (m_scene.squares.empty())
        return;
    HeatmapSpot spot = m_spot.value_or(HeatmapSpot{0, static_cast<std::int64_t>(m_window.first_row),
                                                   static_cast<std::int64_t>(m_window.first_column), 1});
    if (m_spot) {
        spot.row = std::clamp<std::int64_t>(spot.row + rows * spot.count, 0, m_scene.ranks - 1);
        spot.column = std::clamp<std::int64_t>(spot.column + columns * spot.count, 0, m_scene.ranks - 1);
    }
    // The window follows the cursor.
    RankWindow window = m_window;
    const auto follow = [span = window.span](double first, std::int64_t rank) {
        const auto place = static_cast<double>(rank);
        return std::clamp(first, std::max(0.0, place + 1.0 - span), place);
    };
    window.first_row = follow(window.first_row, spot.row);
    window.first_column = follow(window.first_column, spot.column);
    setWindow(window);
    const QRectF square = squareRectangle(spot.square);
    const QPointF place{square.left()
                            + pixelOfRank(static_cast<double>(spot.column) + 1.0, m_window.first_column,
                                          m_window.span, square.width()),
                        square.top()
                            + pixelOfRank(static_cast<double>(spot.row) + 1.0, m_window.first_row,
                                          m_window.span, square.height())};
    setSpot(spot, mapToGlobal(place.toPoint()));
}

// Around the cursor, or around the middle without one.
void HeatmapView::zoomBy(double factor)
{
    double row = m_window.first_row + m_window.span / 2;
    double column = m_window.first_column + m_window.span / 2;
    if (m_spot) {
        row = static_cast<double>(m_spot->row) + 0.5;
        column = static_cast<double>(m_spot->column) + 0.5;
    }
    setWindow(zoomed(m_window, factor, row, column, m_scene.ranks));
}

void HeatmapView::wheelEvent(QWheelEvent* event)
{
    const double steps = (event->angleDelta().y() + event->angleDelta().x()) / 120.0;
    const bool shows_all = m_window.span >= static_cast<double>(m_scene.ranks);
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        const int square = squareAt(event->position());
        if (square >= 0) {
            const auto [row, column] = ranksAt(event->position(), square);
            setWindow(zoomed(m_window, std::pow(zoom_step, -steps), row, column, m_scene.ranks));
        }
    } else if (!shows_all) {
        const double by = -steps * m_window.span / 10.0;
        const bool sideways = event->modifiers().testFlag(Qt::ShiftModifier) || event->angleDelta().y() == 0;
        setWindow(panned(m_window, sideways ? 0.0 : by, sideways ? by : 0.0, m_scene.ranks));
    } else {
        event->ignore();
        return;
    }
    event->accept();
}

void HeatmapView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || squareAt(event->position()) < 0)
        return;
    m_drag = Drag::press;
    m_press = m_last = event->position();
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF point = event->position();
    if (m_drag == Drag::none) {
        setSpot(spotAt(point), event->globalPosition().toPoint());
        return;
    }
    if (m_drag == Drag::press && (point - m_press).manhattanLength() >= drag_begins) {
        const bool shows_all = m_window.span >= static_cast<double>(m_scene.ranks);
        m_drag = shows_all || event->modifiers().testFlag(Qt::ShiftModifier) ? Drag::band : Drag::pan;
        setCursor(m_drag == Drag::pan ? Qt::ClosedHandCursor : Qt::CrossCursor);
        setSpot(std::nullopt, {});
    }
    if (m_drag == Drag::pan) {
        const double ranks_per_pixel = m_window.span / squareRectangle(0).width();
        setWindow(panned(m_window, (m_last.y() - point.y()) * ranks_per_pixel,
                         (m_last.x() - point.x()) * ranks_per_pixel, m_scene.ranks));
    }
    m_last = point;
    update();
}

void HeatmapView::finishBand(QPointF end)
{
    const int square = squareAt(m_press);
    if (square < 0)
        return;
    const QRectF place = squareRectangle(square);
    const QRectF band = QRectF{m_press, end}.normalized() & place;
    const auto [top, left] = ranksAt(band.topLeft(), square);
    const auto [bottom, right] = ranksAt(band.bottomRight(), square);
    setWindow(fitted(std::floor(top), std::floor(left), std::ceil(bottom) - std::floor(top),
                     std::ceil(right) - std::floor(left), m_scene.ranks));
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const Drag drag = std::exchange(m_drag, Drag::none);
    unsetCursor();
    if (drag == Drag::band)
        finishBand(event->position());
    else if (drag == Drag::press)
        if (const auto spot = spotAt(event->position()))
            pick(*spot);
    update();
}

void HeatmapView::pick(const HeatmapSpot& spot)
{
    emit rankPicked(m_scene.squares[static_cast<std::size_t>(spot.square)].layout.firstRankOf(spot.row));
}

// What stands beside the squares is told when the mouse rests there.
bool HeatmapView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_scene.squares.empty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const QRectF& part : {m_layout.headline, m_layout.totals, m_layout.links, m_layout.busy})
        if (part.contains(QPointF{help->pos()})) {
            QToolTip::showText(help->globalPos(), m_scene.figures_tip, this, part.toAlignedRect());
            return true;
        }
    return true; // cells have told already
}

void HeatmapView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    setSpot(std::nullopt, {});
}

void HeatmapView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    if (!underMouse())
        setSpot(std::nullopt, {});
}

void HeatmapView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(1.0 / zoom_step);
    case Qt::Key_Minus:
        return zoomBy(zoom_step);
    case Qt::Key_0:
    case Qt::Key_Home:
        return showAll();
    case Qt::Key_Up:
        return moveSpot(-1, 0);
    case Qt::Key_Down:
        return moveSpot(1, 0);
    case Qt::Key_Left:
        return moveSpot(0, -1);
    case Qt::Key_Right:
        return moveSpot(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_spot)
            pick(*m_spot);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace shardscope
