#pragma once

class QColor;
class QWidget;

namespace shardscope
{

// Paints the ground of a bar that speaks beside the pictures: a tint of the colour, which has an alpha of 0
// to 255, and at the left end a stripe of the colour itself. For the bar's paintEvent().
void paintTintedGround(QWidget& bar, const QColor& colour, int tint_alpha);

} // namespace shardscope
