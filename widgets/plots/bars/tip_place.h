#pragma once

#include <QPoint>
#include <QRect>
#include <QSize>
#include <QString>

class QWidget;

namespace shardscope
{

// Where a tip stands beside the pointer, to its left where the right has no room. A tall one under the
// pointer would take the mouse away from what it explains, and be gone at once.
QPoint tipPlace(const QPoint& pointer, const QSize& tip, const QRect& screen);

// QToolTip's at that place.
void showTipBeside(const QPoint& pointer, const QString& text, QWidget* owner);

} // namespace shardscope
