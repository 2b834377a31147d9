#pragma once

#include <vector>

class QLayout;
class QString;
class QToolButton;
class QWidget;

namespace shardscope
{

class LegendChips;

// A legend and tools beside it, above a picture that takes the rest, with the margins of every panel.
void layOutPicture(QWidget* panel, LegendChips* legend, const std::vector<QWidget*>& tools, QWidget* picture);

// Boxes that choose what is shown, and a legend beside them, above pages that take the rest.
void layOutChoices(QWidget* panel, const std::vector<QWidget*>& choices, LegendChips* legend, QLayout* pages);

// Hides the legend where the tools leave it no room, or where its lines would take more than a fifth of a
// small panel: the picture comes first.
void fitLegend(const QWidget& panel, LegendChips& legend, const std::vector<QWidget*>& tools);

// A button of a head that stays pressed.
QToolButton* toggleButton(const QString& text, const QString& tip, QWidget* parent);

} // namespace shardscope
