#pragma once

#include "widgets/plots/timeline/timeline_scene.h"

#include <optional>
#include <vector>

namespace shardscope
{

// A row as it is drawn: columns are pixels of the section, heights are in its pixels from the top of its
// lanes, before scrolling.
struct LaneStrip {
    int top = 0;
    int height = 0;
    TimelineSpot row;       // span does not hold
    LanePicture picture;    // of several rows on top of each other it has no bars, for these have no labels
    bool is_hidden = false; // beneath other work: it costs no time
};

// The strips of the lanes [first, last).
std::vector<LaneStrip> predictedStrips(const PredictedLanes& predicted, const std::vector<Lane>& lanes,
                                       std::size_t first, std::size_t last, const TimeRange& range,
                                       int width);
// `groups`: of the group lanes.
std::vector<LaneStrip> measuredStrips(const MeasuredLanes& measured, const std::vector<Lane>& lanes,
                                      std::size_t first, std::size_t last, const TimeRange& range, int width,
                                      const std::vector<RankGroup>& groups = {});

// The bar at a place: `y` from the lane's top.
std::optional<TimelineSpot> predictedSpot(const PredictedLanes& predicted, const Lane& lane, int y,
                                          const TimeRange& range, int width, int column);
std::optional<TimelineSpot> measuredSpot(const MeasuredLanes& measured, const Lane& lane, int y,
                                         const TimeRange& range, int width, int column,
                                         const std::vector<RankGroup>& groups = {});

// The time of a spot in its section's time.
TimeRange spotRange(const TimelineScene& scene, const TimelineSpot& spot);
LanePaint spotPaint(const TimelineScene& scene, const TimelineSpot& spot);

} // namespace shardscope
