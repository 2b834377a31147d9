#pragma once

#include "core/analysis/calibration/calibration.h"
#include "core/analysis/measurement.h"
#include "core/trace/trace_set.h"

#include <optional>
#include <vector>

namespace shardscope
{

// What the user adds where files leave it open.
struct MeasuredGroups {
    std::optional<Op> op;        // of nccl-tests tables that do not name theirs
    std::optional<int> per_node; // ranks on a node; else as many as a node of the cluster has
};

// The timed collectives of a measurement: lines of nccl-tests tables, whose ranks follow from bus and
// algorithm bandwidth, and calls of traces, each as long as its shortest rank (the others waited). Calls of
// the scenario's groups lie on nodes as its layout says.
std::vector<CalibrationPoint> calibrationPoints(const Measurement& measurement, const Scenario& scenario,
                                                const MeasuredGroups& groups,
                                                std::vector<std::string>& notes);

// Whether a table among the lines says by nothing of which operation it is: it has no name, and its
// bandwidths are not those of an all_reduce. Such a table gives no points unless MeasuredGroups tells its
// operation.
bool holdTableOfNoOperation(const std::vector<BandwidthPoint>& lines);

// Whether the bandwidths of a line say that the table is of an all_reduce, the only collective that sends
// more over the bus than its bytes. One of two ranks does not: false is no answer.
bool isOfAllReduce(const BandwidthPoint& line);

// What was skipped in the files that the points come from, as notes.
void noteSkipped(const TraceSet& traces, std::vector<std::string>& notes);

// "all_reduce of 16 MiB over 8 ranks"
std::string nameOf(const CollectiveQuestion& question);

} // namespace shardscope
