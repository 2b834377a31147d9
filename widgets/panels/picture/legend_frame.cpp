#include "widgets/panels/picture/legend_frame.h"

#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

#include <QPainter>

namespace shardscope
{

QRectF paintLegendFrame(QPainter& painter, const QRectF& rectangle, const LegendChips& legend)
{
    painter.fillRect(rectangle, Theme{legend.palette()}.background());
    const double height =
        legend.paintTo(painter, rectangle.adjusted(legend_margin, 4.0, -legend_margin, 0.0));
    return rectangle.adjusted(0.0, height > 0.0 ? height + legend_margin : 0.0, 0.0, 0.0);
}

} // namespace shardscope
