#include "widgets/main_window/remark_line.h"

#include <QPainter>

namespace shardscope
{

QSize RemarkLine::minimumSizeHint() const
{
    return {0, QLabel::minimumSizeHint().height()};
}

void RemarkLine::paintEvent(QPaintEvent* /*event*/)
{
    const QRect place = contentsRect();
    QPainter painter{this};
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, place.width()));
}

} // namespace shardscope
