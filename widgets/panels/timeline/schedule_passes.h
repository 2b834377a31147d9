#pragma once

#include "core/trace/trace_set.h"
#include "widgets/plots/timeline/lane_paint.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace shardscope
{

// The passes of measured pipeline schedules, to be drawn like the events of a trace. They are made for the
// picture alone: what analyses a trace must not take a pass for a kernel.

// Which iteration of the schedules is drawn. Dumps count the time of each from its own beginning, so that
// nothing tells how one follows another; the iteration of median length stands for the run, as in its bubble.
struct DrawnIteration {
    std::int64_t number = 0; // as the dumps have it
    std::int64_t count = 0;  // of iterations
};
// Nothing: there are no schedules, or events of traces, which have a clock of their own.
std::optional<DrawnIteration> drawnIteration(const TraceSet& traces);

// The file's passes in an iteration, each an event "forward 3" or "backward 3" of one track: the third of its
// direction. Null: it has none.
std::shared_ptr<const TraceStore> passesOf(const TraceFile& file, std::int64_t iteration);

// Pre: the store is one of passesOf().
LanePaint paintOfPass(const TraceStore& passes, EventIndex pass);

} // namespace shardscope
