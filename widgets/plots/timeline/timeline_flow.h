#pragma once

#include "widgets/plots/timeline/timeline_scene.h"

#include "core/analysis/event_ranking.h"

#include <optional>
#include <utility>
#include <vector>

namespace shardscope
{

// What belongs together with a measured event: arrows join it, and [ and ] go along it.
struct TimelineFlow {
    std::optional<TimelineSpot> launch; // the call that started the event on the GPU
    std::vector<TimelineSpot> launched; // by the event, where it is such a call; by start
    // The calls of all ranks that are one with the event (members of a collective, a send and its recv), by
    // rank, itself among them.
    std::vector<TimelineSpot> members;
    // Sender and receiver of the members, where they tell which is which.
    std::optional<std::pair<TimelineSpot, TimelineSpot>> message;
    // The way of [ and ], around its ends, the event itself among them; empty where nothing belongs to it.
    std::vector<TimelineSpot> stops;
};

TimelineFlow flowOf(const MeasuredLanes& lanes, const TimelineSpot& spot);

// The event of a measured spot, and where an event of a rank stands; nothing when no row has it.
EventIndex eventOf(const MeasuredLanes& lanes, const TimelineSpot& spot);
std::optional<TimelineSpot> spotOf(const MeasuredLanes& lanes, std::size_t rank, EventIndex event);
std::optional<TimelineSpot> spotOf(const MeasuredLanes& lanes, const RunEvent& event);
// What is known of a measured communication; null for other events.
const MeasuredCall* callOf(const MeasuredLanes& lanes, const TimelineSpot& spot);
// From the end of a launch to the start on the GPU; 0 where the GPU was faster.
TraceTime launchDelay(const MeasuredLanes& lanes, const TimelineSpot& launch, const TimelineSpot& launched);

} // namespace shardscope
