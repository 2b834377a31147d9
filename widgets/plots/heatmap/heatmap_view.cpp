#include "widgets/plots/heatmap/heatmap_view.h"

#include "widgets/plots/heatmap/heatmap_painting.h"

#include <QEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// What is pooled within a frame, in rows; more is pooled on another thread.
constexpr std::int64_t cheap_rows = 4096;

// Ranks that were zoomed in to stay on screen when their nodes stand in their place, and the other way round.
RankWindow sameRanks(const RankWindow& window, const HeatmapScene& before, const HeatmapScene& now)
{
    if (before.squares.empty() || now.squares.empty() || window == wholeWorld(before.ranks))
        return wholeWorld(now.ranks);
    const auto ranksOfPlace = [](const HeatmapScene& scene) {
        return static_cast<double>(scene.squares.front().layout.firstRankOf(1));
    };
    const double scale = ranksOfPlace(before) / ranksOfPlace(now);
    return fitted(window.first_row * scale, window.first_column * scale, window.span * scale,
                  window.span * scale, now.ranks);
}

std::vector<TrafficGrid> poolAll(const std::vector<HeatmapSquare>& squares, const RankWindow& window,
                                 std::optional<Kind> kind, int most_bins)
{
    std::vector<TrafficGrid> grids;
    for (const HeatmapSquare& square : squares)
        grids.push_back(poolTraffic(*square.rows, window, most_bins, kind));
    return grids;
}

} // namespace

HeatmapView::HeatmapView(QWidget* parent)
    : QWidget{parent}, m_pooling{[this](std::vector<TrafficGrid> grids) {
          m_grids = std::move(grids);
          m_layer_is_fresh = false;
          update();
      }}
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Traffic between ranks"));
}

void HeatmapView::setScene(HeatmapScene scene)
{
    const bool same_places = scene.isByNode() == m_scene.isByNode();
    const bool same_world = same_places && scene.ranks == m_scene.ranks;
    if (!same_world)
        m_window = same_places ? wholeWorld(scene.ranks) : sameRanks(m_window, m_scene, scene);
    m_scene = std::move(scene);
    if (!same_world)
        emit zoomChanged(!(m_window == wholeWorld(m_scene.ranks)));
    setSpot(std::nullopt, {});
    spoil();
}

void HeatmapView::setWindow(const RankWindow& window)
{
    if (window == m_window)
        return;
    m_window = window;
    spoil();
    emit zoomChanged(!(m_window == wholeWorld(m_scene.ranks)));
}

void HeatmapView::showAll()
{
    setWindow(wholeWorld(m_scene.ranks));
}

void HeatmapView::spoil()
{
    m_grids_are_fresh = false;
    m_layer_is_fresh = false;
    update();
}

QRectF HeatmapView::squareRectangle(int square) const
{
    const auto index = static_cast<std::size_t>(square);
    return index < m_layout.squares.size() ? m_layout.squares[index] : QRectF{};
}

HeatmapLayout HeatmapView::layoutIn(const QRectF& area) const
{
    return layOutHeatmap(area, needsOf(m_scene, font()));
}

int HeatmapView::mostBins(const HeatmapLayout& layout) const
{
    return std::max(1, static_cast<int>(layout.squares.front().width() * devicePixelRatioF()));
}

bool HeatmapView::isCheap(int most_bins) const
{
    const auto span = static_cast<std::int64_t>(std::ceil(m_window.span));
    std::int64_t rows = 0;
    for (const HeatmapSquare& square : m_scene.squares)
        rows += square.rows->fillCost(span, most_bins);
    return rows <= cheap_rows;
}

void HeatmapView::refreshGrids()
{
    m_grids_are_fresh = true;
    const int most_bins = mostBins(m_layout);
    if (isCheap(most_bins)) {
        m_pooling.forget();
        m_grids = poolAll(m_scene.squares, m_window, m_scene.kind, most_bins);
        return;
    }
    m_pooling.start([squares = m_scene.squares, window = m_window, kind = m_scene.kind, most_bins] {
        return poolAll(squares, window, kind, most_bins);
    });
}

void HeatmapView::finish()
{
    if (!m_scene.squares.empty() && !m_grids_are_fresh) {
        m_layout = layoutIn(rect());
        refreshGrids();
    }
    m_pooling.finish();
}

void HeatmapView::renderLayer()
{
    const HeatmapStyle style{Theme{palette()}, font()};
    const double ratio = devicePixelRatioF();
    const QSize pixels = (QSizeF{size()} * ratio).toSize();
    if (m_layer.size() != pixels)
        m_layer = QImage{pixels, QImage::Format_RGB32};
    m_layer.setDevicePixelRatio(ratio);
    m_layer.fill(style.theme.background());
    QPainter painter{&m_layer};
    if (m_scene.squares.empty()) {
        paintHint(painter, rect(), m_scene.hint, style);
    } else {
        m_layout = layoutIn(rect());
        if (!m_grids_are_fresh)
            refreshGrids();
        paintHeatmap(painter, m_scene, m_layout, m_window, m_grids, style);
    }
    m_layer_is_fresh = true;
}

void HeatmapView::paintEvent(QPaintEvent*)
{
    if (!m_layer_is_fresh)
        renderLayer();
    QPainter painter{this};
    painter.drawImage(QPointF{0.0, 0.0}, m_layer);
    if (!m_scene.squares.empty())
        paintOverlay(painter);
}

void HeatmapView::paintOverlay(QPainter& painter) const
{
    const HeatmapStyle style{Theme{palette()}, font()};
    paintRankMark(painter, m_scene, m_layout, m_window, style);
    QColor line = style.theme.text();
    line.setAlpha(90);
    if (m_spot && m_drag == Drag::none) {
        const QRectF square = squareRectangle(m_spot->square);
        const double size = square.width();
        const double cell = std::max(3.0, static_cast<double>(m_spot->count) * size / m_window.span);
        const double x =
            square.left()
            + pixelOfRank(static_cast<double>(m_spot->column), m_window.first_column, m_window.span, size);
        const double y =
            square.top()
            + pixelOfRank(static_cast<double>(m_spot->row), m_window.first_row, m_window.span, size);
        painter.setClipRect(square.adjusted(-6, -6, 6, 6));
        painter.fillRect(QRectF{square.left() - 6, y + cell / 2, x - square.left() + 6, 1.0}, line);
        painter.fillRect(QRectF{x + cell / 2, y + cell, 1.0, square.bottom() - y - cell + 6}, line);
        painter.setPen(QPen{style.theme.text(), 1.5});
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF{x, y, cell, cell});
    }
    if (m_drag == Drag::band) {
        line.setAlpha(40);
        painter.setPen(QPen{style.theme.text(), 1.0, Qt::DashLine});
        painter.setBrush(line);
        painter.drawRect(QRectF{m_press, m_last}.normalized());
    }
}

void HeatmapView::paintTo(QPainter& painter, const QRectF& rectangle)
{
    finish();
    HeatmapStyle style{Theme{palette()}, font()};
    style.is_vector = true;
    painter.save();
    painter.fillRect(rectangle, style.theme.background());
    if (m_scene.squares.empty()) {
        paintHint(painter, rectangle, m_scene.hint, style);
    } else {
        const HeatmapLayout layout = layoutIn(rectangle);
        paintHeatmap(painter, m_scene, layout, m_window,
                     poolAll(m_scene.squares, m_window, m_scene.kind, mostBins(layout)), style);
        paintRankMark(painter, m_scene, layout, m_window, style);
    }
    painter.restore();
}

void HeatmapView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    spoil();
}

void HeatmapView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        spoil();
}

} // namespace shardscope
