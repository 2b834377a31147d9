#pragma once

#include "widgets/plots/curves/curve_scene.h"
#include "widgets/plots/theme.h"

#include <QFont>
#include <QRectF>

class QPainter;
class QPen;

namespace shardscope
{

// Where values of a scene stand in a rectangle, both axes logarithmic.
class CurveMapping
{
public:
    CurveMapping(const CurveScene& scene, const QRectF& area);

    QPointF place(const QPointF& value) const;
    QPointF value(const QPointF& place) const;
    const QRectF& area() const { return m_area; }

private:
    QRectF m_area;
    double m_x_low = 0.0; // logarithms
    double m_x_size = 1.0;
    double m_y_low = 0.0;
    double m_y_size = 1.0;
};

struct CurveStyle {
    Theme theme;
    QFont font;
    int active_handle = -1; // drawn larger
    double cursor_x = 0.0;  // a line across at this value; 0: none
};

QPen penOf(const CurveLine& line);
// The area that axes leave within a rectangle.
QRectF curveArea(const CurveScene& scene, const QRectF& rectangle, const QFont& font);
// What is said of an axis, cut where even the whole picture has no room for it.
struct CurveTitle {
    QString text; // empty: it is not written
    QRectF box;
};
struct CurveTitles {
    CurveTitle up;    // above the upright axis
    CurveTitle along; // below the other one
};
CurveTitles curveTitles(const CurveScene& scene, const QRectF& rectangle, const QFont& font);
void paintCurves(QPainter& painter, const CurveScene& scene, const QRectF& rectangle,
                 const CurveStyle& style);

} // namespace shardscope
