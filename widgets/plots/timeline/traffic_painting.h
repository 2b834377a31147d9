#pragma once

#include "widgets/plots/timeline/timeline_painting.h"

namespace shardscope
{

// The traffic rate below the lanes: predicted as areas stacked by kind, measured as a line over them. Where
// the two sections have their own time scales, they have their own height scales too.
void paintTraffic(QPainter& painter, const QRect& place, const TimelineScene& scene, const TimeRange& axis,
                  const TimelineStyle& style);

// The rates at one time: "traffic: predicted 1.2 GiB/s, measured 900 MiB/s".
QString trafficAt(const TimelineScene& scene, const TimeRange& axis, int width, int column);

} // namespace shardscope
