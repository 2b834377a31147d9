#pragma once

#include <QFontMetricsF>
#include <QStringList>

namespace shardscope
{

// A note in the lines above a picture, the highest first. Its last line shares the room with other texts and
// so has fewer pixels; what does not fit into it ends with an ellipsis.
QStringList noteWithin(const QString& note, const QFontMetricsF& metrics, double pixels, double last_pixels,
                       int most_lines);

} // namespace shardscope
