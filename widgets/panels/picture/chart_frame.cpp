#include "widgets/panels/picture/chart_frame.h"

#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

#include <QPainter>

namespace shardscope
{

void paintChart(QPainter& painter, const QRectF& rectangle, const LegendChips& legend, BarChart& chart)
{
    painter.fillRect(rectangle, Theme{chart.palette()}.background());
    const QRectF head = rectangle.adjusted(6.0, 4.0, -6.0, 0.0);
    const double height = legend.paintTo(painter, head);
    chart.paintTo(painter, rectangle.adjusted(0.0, height > 0.0 ? height + 6.0 : 0.0, 0.0, 0.0));
}

} // namespace shardscope
