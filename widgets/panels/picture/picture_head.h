#pragma once

#include <vector>

class QLayout;
class QString;
class QWidget;

namespace shardscope
{

class LegendChips;
class SegmentButton;

// A legend and tools beside it, above a picture that takes the rest, with the margins of every panel.
void layOutPicture(QWidget* panel, LegendChips* legend, const std::vector<QWidget*>& tools, QWidget* picture);

// Boxes that choose what is shown, and a legend beside them, above pages that take the rest.
void layOutChoices(QWidget* panel, const std::vector<QWidget*>& choices, LegendChips* legend, QLayout* pages);

inline constexpr int most_legend_lines = 3; // also of an enlarged picture, whose text is large
// Hides the legend where the tools leave it no room; gives it no more lines than a fifth of a small panel
// holds: the picture comes first.
void fitLegend(const QWidget& panel, LegendChips& legend, const std::vector<QWidget*>& tools,
               int most_lines = most_legend_lines);

// Pictures below this height need their room more than the names of every colour.
inline constexpr int low_picture = 160; // pixels
inline constexpr int lowest_picture = 150;
// Gives a legend one line in a picture lower than `low`: what does not fit is counted, and named by its tip.
// In one lower than `lowest` it gives way altogether.
void shortenLegend(const QWidget& panel, LegendChips& legend, int low = low_picture,
                   int lowest = lowest_picture);

// A word of a head that is on or off.
SegmentButton* toggleButton(const QString& text, const QString& tip, QWidget* parent);

} // namespace shardscope
