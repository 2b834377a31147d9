#pragma once

#include "widgets/plots/changes/change_painting.h"

#include <QAbstractScrollArea>

#include <functional>

namespace shardscope
{

// Changes below each other, scrolled where there are more than fit. Shows a ChangeScene, tells which row the
// mouse or the arrow keys are on, and draws itself with vectors. -1: no row.
class ChangeChart : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit ChangeChart(QWidget* parent = nullptr);

    void setScene(ChangeScene scene);
    const ChangeScene& scene() const { return m_scene; }
    // The text for people about a row, asked for when the mouse or the keys reach it.
    void setTip(std::function<QString(int row)> tip) { m_tip = std::move(tip); }
    // Where a row stands in the viewport; it may be scrolled out of it.
    QRectF rowRectangle(int row) const;
    // All rows, as large as they find room.
    void paintTo(QPainter& painter, const QRectF& rectangle) const;
    // Height of all rows at that width.
    int wholeHeight(int width) const;

    QSize sizeHint() const override { return {360, 240}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    void hovered(int row);
    void activated(int row); // a click, or Enter

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent*) override {} // of the press
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    ChangeLayout layOut() const;
    void fitScrollBar();
    int rowAt(QPointF point) const;
    void setCurrent(int row, const QPoint& pointer);
    void stepTo(int row);

    ChangeScene m_scene;
    std::function<QString(int)> m_tip;
    int m_current = -1;
    bool m_is_tip_old = false; // it told of another scene
};

} // namespace shardscope
