#pragma once

#include <QString>

class QWidget;

namespace shardscope
{

// Keys and mouse of the timeline as a table (rich text).
QString timelineHelp();
// The same over a widget, until a click or a key.
void showTimelineHelp(QWidget& over);

} // namespace shardscope
