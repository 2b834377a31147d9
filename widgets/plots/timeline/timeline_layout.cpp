#include "widgets/plots/timeline/timeline_layout.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr int divider_height = 5;
constexpr int smallest_section = 24;
constexpr int smallest_height_with_traffic = 190;
constexpr double most_gutter = 0.24; // of the width
constexpr double most_predicted = 0.45;
constexpr double most_whole_lanes = 0.5; // a little more, for one more that is whole
constexpr double traffic_share = 0.16;
constexpr int least_traffic = 44;
constexpr int most_traffic = 110;

// Pixels of lanes that the predicted section gets of `room`.
int predictedRoom(const TimelineNeeds& needs, int room)
{
    if (!needs.has_measured)
        return room;
    const int most = std::max(smallest_section, room - smallest_section);
    if (needs.predicted_share >= 0.0)
        return std::clamp(static_cast<int>(std::lround(needs.predicted_share * room)), smallest_section,
                          most);
    if (needs.predicted_height + needs.measured_height <= room)
        return std::clamp(needs.predicted_height, smallest_section, most);
    // Both have to scroll, or one does: predicted lanes get what measured ones leave, at least their share.
    int share = static_cast<int>(most_predicted * room);
    // A lane that is cut in half has half a name.
    if (const int lane = needs.predicted_lane_height;
        lane > 0 && lane <= static_cast<int>(most_whole_lanes * room))
        share = static_cast<int>(most_whole_lanes * room) / lane * lane;
    share = std::min(needs.predicted_height, share);
    return std::clamp(std::max(share, room - needs.measured_height), smallest_section, most);
}

int rulerHeight(const TimelineNeeds& needs)
{
    return needs.line_height + 6;
}

} // namespace

int wholeHeight(const TimelineNeeds& needs)
{
    int height = 0;
    if (needs.has_predicted)
        height += rulerHeight(needs) + needs.predicted_height;
    if (needs.has_measured)
        height += rulerHeight(needs) + needs.measured_height;
    if (needs.has_predicted && needs.has_measured)
        height += divider_height;
    if (!needs.has_traffic)
        return height;
    const int with_traffic = static_cast<int>(std::ceil(height / (1.0 - traffic_share)));
    return std::max(smallest_height_with_traffic,
                    height + std::clamp(with_traffic - height, least_traffic, most_traffic));
}

// Where the lanes leave room for it, and in a tall picture at their cost.
bool showsTraffic(const TimelineNeeds& needs, int height)
{
    TimelineNeeds lanes = needs;
    lanes.has_traffic = false;
    return needs.has_traffic
           && (height >= smallest_height_with_traffic || wholeHeight(lanes) + least_traffic <= height);
}

TimelineLayout layOutTimeline(const QRect& area, const TimelineNeeds& needs)
{
    TimelineLayout layout;
    layout.gutter = std::min(needs.label_width + 12, static_cast<int>(most_gutter * area.width()));
    const int left = area.left() + layout.gutter;
    const int width = std::max(1, area.width() - layout.gutter);
    const int ruler = rulerHeight(needs);
    int bottom = area.top() + area.height();
    if (showsTraffic(needs, area.height())) {
        const int height =
            std::clamp(static_cast<int>(traffic_share * area.height()), least_traffic, most_traffic);
        layout.traffic = {left, bottom - height, width, height};
        bottom -= height;
    }
    int top = area.top();
    const bool both = needs.has_predicted && needs.has_measured;
    const int room = bottom - top - ruler * (both ? 2 : 1) - (both ? divider_height : 0);
    if (needs.has_predicted) {
        const int height = std::max(0, both ? predictedRoom(needs, room) : room);
        layout.predicted_ruler = {left, top, width, ruler};
        layout.predicted_lanes = {left, top + ruler, width, height};
        top += ruler + height;
    }
    if (both) {
        layout.divider = {area.left(), top, area.width(), divider_height};
        top += divider_height;
    }
    if (needs.has_measured) {
        layout.measured_ruler = {left, top, width, ruler};
        layout.measured_lanes = {left, top + ruler, width, std::max(0, bottom - top - ruler)};
    }
    return layout;
}

} // namespace shardscope
