#pragma once

#include "core/analysis/measurement.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace shardscope
{

// Seconds of one iteration of a rank, the mean over those that it recorded. Of what it waited for by kind of
// message, the rank's exposed time.
struct IterationTimes {
    std::int64_t iterations = 1;
    bool by_steps = false; // marked steps tell when it begins and ends
    double length_s = 0.0;
    double compute_s = 0.0;
    double overlap_s = 0.0; // of compute_s, communication beside it
    double memory_s = 0.0;  // copies and fills alone
    double idle_s = 0.0;
    std::array<double, kind_count> exposed_s{};
};

// True where the profiler marked steps and the rank's work can be told by them: it is of one if the call that
// launched it is, and what ran before the first, to warm up, is no part of an iteration.
bool isToldBySteps(const RankMeasurement& rank);

// Of the rank's exposed communication what belongs to marked steps, 0 to 1; 1 where none tell its work.
double exposedShareOfSteps(const RankMeasurement& rank);

// How many iterations the rank's figures are of: those that it recorded, or the step that alone is counted.
std::int64_t iterationsOf(const TraceSet& traces, const Measurement& run, std::int64_t rank);

// False: one step alone counts, and the rank does not have it. What it would add is not nothing, but unknown.
bool hasWhatCounts(const Measurement& run, const RankMeasurement& rank);

// Where steps tell the rank's work, they are as long as their marks or as the GPU is at work on them,
// whichever is longer: the processor may run ahead of it, or keep it waiting. Else all that was recorded is
// `iterations`. Pre: the rank has a timeline, iterations > 0.
IterationTimes iterationTimes(const RankMeasurement& rank, std::int64_t iterations);

// All ranks live through the same iterations. What no steps mark lasts from a rank's first event to its last,
// so that waiting for others before and behind is missing: such ranks become as long as the one that takes
// longest, and what they lack of it is idle time.
void makeOneIteration(std::vector<IterationTimes>& ranks);
// How long an iteration takes, wherever it is told: the mean over the ranks. 0: there are none.
// Pre: makeOneIteration().
double iterationLength_s(const std::vector<IterationTimes>& ranks);
// The same of all ranks that have a timeline and what counts.
double iterationLength_s(const TraceSet& traces, const Measurement& run);

// The means of all parts. Pre: there are ranks.
IterationTimes meanOf(const std::vector<IterationTimes>& ranks);
// Of the stages the one whose ranks compute longest, with the messages of their passes. Pre: there are some.
int busiestStage(const std::map<int, std::vector<IterationTimes>>& stages);

} // namespace shardscope
