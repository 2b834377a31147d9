#pragma once

#include "widgets/plots/heatmap/heatmap_layout.h"
#include "widgets/plots/heatmap/heatmap_scene.h"
#include "widgets/session/latest_job.h"

#include <QImage>
#include <QWidget>

#include <functional>

namespace shardscope
{

// Cells under the mouse or the keyboard's cursor: [row, row + count) x [column, column + count) of a square.
// More than one where a pixel holds several ranks.
struct HeatmapSpot {
    int square = 0;
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t count = 1;
    bool operator==(const HeatmapSpot&) const = default;
};

// A rank x rank picture with axes, zoom and a cursor. ctrl+wheel or + and - zoom at the cursor, 0 shows all;
// dragging pans, with shift (or while all is shown) it draws a rubber band; arrows move the cursor, Enter or
// a click asks for its sender.
class HeatmapView : public QWidget
{
    Q_OBJECT
public:
    explicit HeatmapView(QWidget* parent = nullptr);

    void setScene(HeatmapScene scene);
    const HeatmapScene& scene() const { return m_scene; }
    const RankWindow& window() const { return m_window; }
    void setWindow(const RankWindow& window);
    void showAll();
    // The text for people about a spot, asked for when the mouse or the keys reach it.
    void setTip(std::function<QString(const HeatmapSpot&)> tip) { m_tip = std::move(tip); }
    // Where a square stands in this widget, as last drawn.
    QRectF squareRectangle(int square) const;
    void paintTo(QPainter& painter, const QRectF& rectangle);
    bool isPooling() const { return m_pooling.isRunning(); }
    // Waits for cells that are being pooled on another thread.
    void finish();

    QSize sizeHint() const override { return {420, 380}; }
    QSize minimumSizeHint() const override { return {160, 120}; }

signals:
    void hovered(const std::optional<shardscope::HeatmapSpot>& spot);
    void rankPicked(std::int64_t rank); // of a node that stands in the place of ranks its first one
    // Zoomed in, or back to all ranks.
    void zoomChanged(bool is_in);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    enum class Drag : unsigned char { none, press, pan, band };

    HeatmapLayout layoutIn(const QRectF& area) const;
    int mostBins(const HeatmapLayout& layout) const;
    bool isCheap(int most_bins) const;
    void refreshGrids();
    void renderLayer();
    void paintOverlay(QPainter& painter) const;
    void spoil();
    int squareAt(QPointF point) const;
    std::pair<double, double> ranksAt(QPointF point, int square) const;
    std::optional<HeatmapSpot> spotAt(QPointF point) const;
    void setSpot(std::optional<HeatmapSpot> spot, const QPoint& tip_position);
    void moveSpot(std::int64_t rows, std::int64_t columns);
    void zoomBy(double factor);
    void finishBand(QPointF end);
    void pick(const HeatmapSpot& spot);

    HeatmapScene m_scene;
    RankWindow m_window;
    HeatmapLayout m_layout;
    std::vector<TrafficGrid> m_grids;
    LatestJob<std::vector<TrafficGrid>> m_pooling;
    QImage m_layer; // all but marks and cursor
    bool m_layer_is_fresh = false;
    bool m_grids_are_fresh = false;
    std::function<QString(const HeatmapSpot&)> m_tip;
    std::optional<HeatmapSpot> m_spot;
    Drag m_drag = Drag::none;
    QPointF m_press;
    QPointF m_last;
};

} // namespace shardscope
