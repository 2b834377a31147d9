#pragma once

#include "core/analysis/measurement.h"

#include <array>
#include <cstdint>

namespace shardscope
{

// Seconds of one iteration of a rank, the mean over those that it recorded. Of what it waited for by kind of
// message, the rank's exposed time.
struct IterationTimes {
    std::int64_t iterations = 1;
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

// Of the ranks that have a timeline the one in the middle; 0: no rank has.
double medianIteration_s(const TraceSet& traces, const Measurement& run);

} // namespace shardscope
