#pragma once

#include "widgets/plots/axis_ticks.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace shardscope
{

// Both coordinates are above nothing; groups share a colour. Hollow points are those that count apart.
struct ScatterPoint {
    double x = 0.0;
    double y = 0.0;
    int group = 0;
    bool hollow = false;
};

// Points over two logarithmic axes of one unit with the diagonal on which both agree, and a band around it.
class ScatterView : public QWidget
{
    Q_OBJECT
public:
    explicit ScatterView(QWidget* parent = nullptr);

    void setPoints(std::vector<ScatterPoint> points);
    void setUnit(AxisUnit unit); // of both axes; seconds, unless told otherwise
    void setAxisNames(const QString& x, const QString& y);
    // -1: all groups alike.
    void setHighlightedGroup(int group);
    void setTip(std::function<QString(int point)> tip) { m_tip = std::move(tip); }
    QColor groupColour(int group) const;
    void paintTo(QPainter& painter, const QRectF& rectangle) const;
    // The drawn point nearest to a place, within a few pixels; -1: none.
    int pointAt(const QPointF& place) const;

    QSize sizeHint() const override { return {560, 480}; }
    QSize minimumSizeHint() const override { return {240, 200}; }

signals:
    void activated(int point); // a double click, or Enter on the current point

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Mapping;
    Mapping mappingFor(const QRectF& rectangle) const;
    bool isShown(const ScatterPoint& point) const;
    void paintAxes(QPainter& painter, const Mapping& mapping) const;
    void paintPoints(QPainter& painter, const Mapping& mapping) const;

    std::vector<ScatterPoint> m_points;
    QString m_x_name;
    QString m_y_name;
    AxisUnit m_unit = AxisUnit::seconds;
    double m_low = 0.1; // of both axes
    double m_high = 10.0;
    int m_group = -1;
    int m_current = -1;
    std::function<QString(int)> m_tip;
};

} // namespace shardscope
