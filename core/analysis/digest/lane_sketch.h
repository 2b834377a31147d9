#pragma once

#include "core/trace/trace_store.h"

#include <memory>
#include <vector>

namespace shardscope
{

// A store with few of the events of another, to draw its lanes by: those that are kept stay as they are, with
// what is known of them as collectives and with their launches. Of the others the outermost of each track are
// merged: the ones that start in the same of some hundred parts of the time become one as long as they
// together, "mostly" and the longest one's name, with its category; one alone stays what it is. The tracks
// begin and end when they did. Counters keep their course: see sketchCounter(). `kept` has a value for each
// event.
std::shared_ptr<const TraceStore> sketchLanes(const TraceStore& store, const std::vector<bool>& kept);

} // namespace shardscope
