#pragma once

#include "widgets/plots/curves/curve_scene.h"

#include <QWidget>

#include <functional>
#include <optional>

namespace shardscope
{

class CurveMapping;

// Curves on logarithmic axes with handles. Shows a CurveScene, tells where the mouse or the arrow keys are
// and where a handle is dragged to, and draws itself with vectors.
class CurveView : public QWidget
{
    Q_OBJECT
public:
    explicit CurveView(QWidget* parent = nullptr);

    // While a handle is dragged the axes stay as they were at the press: the value under the mouse would
    // otherwise be another one after every move.
    void setScene(CurveScene scene);
    const CurveScene& scene() const { return m_scene; }
    // What stands beside the mouse: of the value that it is at. A mark draws the cursor to its own value.
    void setTip(std::function<QString(double x)> tip) { m_tip = std::move(tip); }
    // Where a handle stands in this widget.
    QPointF handlePlace(int handle) const;
    void paintTo(QPainter& painter, const QRectF& rectangle) const;

    QSize sizeHint() const override { return {360, 240}; }
    QSize minimumSizeHint() const override { return {160, 100}; }

signals:
    void hovered(double x); // a value; 0: nothing any more
    void chosen(double x);  // a click beside the handles, or Enter
    // The value that the handle shall stand at. Moves of one drag share the number.
    void handleMoved(int handle, double y, int drag);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    int handleAt(const QPointF& place) const;
    int markAt(const QPointF& place) const; // the nearest in reach; -1: none
    void setHot(int handle);                // under the mouse or chosen by the keys; -1: none
    void releaseAxes();
    void setCursorX(double x);
    void showTip(const QPoint& place);
    QPoint besideMark(const CurveMapping& mapping) const;
    void hideTip();
    void stepHandle(int direction);

    CurveScene m_scene;
    std::function<QString(double x)> m_tip;
    int m_dragged = -1;
    int m_hot = -1;        // the handle under the mouse, or the one that the keys move
    int m_mark = -1;       // under the mouse
    double m_cursor_x = 0; // 0: none
    bool m_shows_tip = false;
    int m_drag = 0;
    QPointF m_grab;                      // from the mouse to the middle of the handle that it took
    std::optional<CurveAxes> m_own_axes; // of the scene, while those of the press are held
};

} // namespace shardscope
