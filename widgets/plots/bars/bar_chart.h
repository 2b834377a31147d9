#pragma once

#include "widgets/plots/bars/bar_scene.h"

#include <QWidget>

#include <functional>

class QCustomPlot;

namespace shardscope
{

// Stacked bars with axes. Shows a BarScene, tells what the mouse or the arrow keys are on, and draws itself
// with vectors. Bars are named by their index in the scene and their segments' index; -1, -1 is none.
class BarChart : public QWidget
{
    Q_OBJECT
public:
    explicit BarChart(Qt::Orientation orientation, QWidget* parent = nullptr);
    ~BarChart() override;

    void setScene(BarScene scene);
    const BarScene& scene() const { return m_scene; }
    // The text for people about one segment, asked for when the mouse or the keys reach it.
    void setTip(std::function<QString(int bar, int segment)> tip) { m_tip = std::move(tip); }
    // Where a segment stands in this widget, as last drawn; empty when it has no length.
    QRectF segmentRectangle(int bar, int segment) const;
    void paintTo(QPainter& painter, const QRectF& rectangle);
    // The same with another scene than the one on screen.
    void paintTo(QPainter& painter, const QRectF& rectangle, BarScene scene);

    QSize sizeHint() const override { return {320, 220}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    void hovered(int bar, int segment);
    void activated(int bar, int segment); // a click, or Enter

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    class Layer;
    class Ticker;

    void restyle();
    void adoptScene();
    int topMargin(int height, int note_lines) const;
    void leaveOutTexts(int height);
    void updateMargins(const QSize& size);
    void fitTexts(); // of the chart, on screen or elsewhere
    bool fitNote();  // true: it takes another number of lines
    bool fitTitle();
    QString wholeTextAt(const QPoint& point) const;
    void replotSoon();
    std::vector<PlacedSegment> placed() const;
    void setCurrent(int bar, int segment, const QPoint& pointer);
    void stepCurrent(int bars, int segments);

    Qt::Orientation m_orientation;
    QCustomPlot* m_plot = nullptr;
    Layer* m_layer = nullptr; // owned by the plot
    BarScene m_scene;
    std::function<QString(int, int)> m_tip;
    int m_note_lines = 0;
    int m_current_bar = -1;
    int m_current_segment = -1;
    bool m_is_tip_old = false; // the current segment is of another scene than the tip that was shown
    bool m_is_behind = false;  // the scene changed while nobody could see it
};

} // namespace shardscope
