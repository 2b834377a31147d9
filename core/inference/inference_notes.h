#pragma once

#include "core/analysis/comparison.h"
#include "core/inference/rank_places.h"
#include "core/trace/trace_set.h"

#include <cstddef>
#include <string>
#include <vector>

namespace shardscope
{

struct Inference;

// There are messages, and all are as predicted.
bool agrees(const Comparison& comparison);

// "all 12 classes of messages are as predicted", or that none were recorded.
std::string messagesAgreeing(const Comparison& comparison);

// The same, and what a log's counts of parameters say.
std::string agreementOf(const Inference& inference);

// Files that are not whole, and what concerns several of them.
std::vector<std::string> notesOfFiles(const TraceSet& traces);

// Sentences on what an inferred scenario does not rest on: forms that are not inferred, ranks that were not
// read (`ranks_read` were), files that are not whole.
std::vector<std::string> inferenceNotes(const TraceSet& traces, std::size_t ranks_read,
                                        const RankPlaces& places, const Comparison& comparison);

} // namespace shardscope
