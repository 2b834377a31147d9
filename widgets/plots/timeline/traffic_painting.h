#pragma once

#include "widgets/plots/timeline/timeline_painting.h"

#include <QString>
#include <QStringList>

#include <functional>

namespace shardscope
{

// The traffic rate below the lanes: predicted as areas stacked by kind, measured as a line over them. Where
// the two sections have their own time scales, they have their own height scales too.
void paintTraffic(QPainter& painter, const QRect& place, const TimelineScene& scene, const TimeRange& axis,
                  const TimelineStyle& style);

// The key of its curves, each with what the top of the strip stands for: "▆ predicted 2 TiB/s", or without
// the word where there is no room for it. A curve that is alone needs no key.
QStringList trafficScales(const TimelineScene& scene, const TimeRange& axis, int width,
                          const std::function<bool(const QString&)>& has_room);

// The rates at one time: "traffic: predicted 1.2 GiB/s, measured 900 MiB/s".
QString trafficAt(const TimelineScene& scene, const TimeRange& axis, int width, int column);

} // namespace shardscope
