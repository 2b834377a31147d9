#pragma once

#include "widgets/plots/timeline/timeline_scene.h"
#include "widgets/session/content.h"

#include <memory>

namespace shardscope
{

// The lanes of a measured run, null where it has no timeline: every rank's tracks, GPU streams and threads
// that compute or communicate first. Reads every event once, so it may take a while; pure, for any thread.
// `one_clock`: what the ranks' clocks are ahead is taken out of their times, where analysis trusts what it
// found.
std::shared_ptr<const MeasuredLanes> measuredLanes(std::shared_ptr<const MeasuredRun> source,
                                                   bool one_clock = false);

// Events of all files: what measuredLanes() has to read.
std::int64_t eventsOf(const MeasuredRun& run);

} // namespace shardscope
