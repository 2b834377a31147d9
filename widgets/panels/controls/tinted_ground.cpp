#include "widgets/panels/controls/tinted_ground.h"

#include <QPainter>
#include <QWidget>

namespace shardscope
{

void paintTintedGround(QWidget& bar, const QColor& colour, int tint_alpha)
{
    constexpr int stripe_width = 4;
    QColor tint = colour;
    tint.setAlpha(tint_alpha);
    QPainter painter{&bar};
    painter.fillRect(bar.rect(), tint);
    painter.fillRect(0, 0, stripe_width, bar.height(), colour);
}

} // namespace shardscope
