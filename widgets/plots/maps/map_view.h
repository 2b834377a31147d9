#pragma once

#include "widgets/plots/maps/map_scene.h"

#include <QImage>
#include <QWidget>

#include <functional>

namespace shardscope
{

// A map of two figures in colours. Shows a MapScene, tells what the mouse or the arrow keys are on and what
// is chosen, and draws itself with vectors.
class MapView : public QWidget
{
    Q_OBJECT
public:
    explicit MapView(QWidget* parent = nullptr);

    void setScene(MapScene scene);
    const MapScene& scene() const { return m_scene; }
    // The text for people about a cell, asked for when the mouse or the keys reach it.
    void setTip(std::function<QString(MapCellPlace)> tip) { m_tip = std::move(tip); }
    // The cell that the mouse or the keys have reached is none any more.
    void leaveCell();
    // Where a cell stands in this widget.
    QRectF cellRectangle(MapCellPlace place) const;
    void paintTo(QPainter& painter, const QRectF& rectangle) const;

    QSize sizeHint() const override { return {360, 240}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    void hovered(shardscope::MapCellPlace place);   // none: nothing any more
    void activated(shardscope::MapCellPlace place); // a click, or Enter

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    MapCellPlace cellAt(QPointF point) const;
    void setCurrent(MapCellPlace place, const QPoint& tip_position);
    void step(int columns, int rows);
    MapCellPlace firstCell() const; // that keys begin at

    MapScene m_scene;
    QImage m_image;
    std::function<QString(MapCellPlace)> m_tip;
    MapCellPlace m_current;
    bool m_is_tip_old = false; // it told of another scene
};

} // namespace shardscope
