#pragma once

#include "widgets/session/notice.h"
#include "widgets/session/several_runs.h"

#include "core/analysis/measurement.h"

#include <QStringList>

#include <cstddef>
#include <optional>
#include <vector>

namespace shardscope
{

// What there is to know of traces that were opened, as sentences to the user; nothing where there is nothing
// to say.

// Of `named`, the paths that were read.
QStringList readPaths(const QStringList& named, const TraceSet& traces);
// All files that were not opened in one sentence; those that have the same reason together.
std::optional<Notice> noticeOfRejected(const TraceSet& traces);
// What was skipped or repaired.
std::optional<Notice> noticeOfOddities(const TraceSet& traces);
// Of several runs that were found together, with the one that is shown; nothing: all of them as one.
Notice noticeOfRuns(const SeveralRuns& several, std::optional<std::size_t> shown);
// What does not fit together between the files of a run, but for what noticeOfRuns() says, and what is taken
// for one rank though it is more than one GPU.
std::vector<Notice> noticesOfRanks(const TraceSet& traces);

// Of a run of nothing but timed collectives, tables of nccl-tests: where they are shown.
std::optional<Notice> noticeOfTables(const TraceSet& traces, const Measurement& measurement);

// Of dumps of PyTorch's flight recorder: the collective that did not complete, and who is missing in it.
std::optional<Notice> noticeOfUnfinished(const Measurement& measurement);

} // namespace shardscope
