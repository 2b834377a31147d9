#pragma once

#include "widgets/plots/timeline/timeline_scene.h"

#include <vector>

namespace shardscope
{

// What the bars of the timeline send.

// What is known of a measured communication; null for other events.
const MeasuredCall* callAt(const TimelineScene& scene, const TimelineSpot& spot);
// The message classes that a predicted communication stands for, those of its kind, pass and size, most calls
// first; of a bucket its own, of what replicas send besides the largest. None for other bars.
std::vector<const Message*> messagesAt(const TimelineScene& scene, const TimelineSpot& spot);
// The first of them, or null.
const Message* messageAt(const TimelineScene& scene, const TimelineSpot& spot);
// Whether the messages are among those that a predicted communication stands for.
bool standsFor(const TimelineScene& scene, const TimelineSpot& spot, const Message& messages);

} // namespace shardscope
