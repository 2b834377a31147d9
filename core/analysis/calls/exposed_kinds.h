#pragma once

#include "core/analysis/calls/call.h"
#include "core/analysis/measurement.h"

#include <array>
#include <span>

namespace shardscope
{

// Adds to the rank what the calls of one of its files have of its exposed communication, by kind. Of calls of
// a kind that overlap (a send and the receive beside it) each moment counts once; a moment of several kinds
// is shared between them. A call's exposed time is taken as spread over all of it; calls outside the marked
// steps are left out. Pre: timed calls have it.
void addExposedKinds(std::span<const Call> calls, RankMeasurement& rank);

// Once all files are added: makes the kinds' times add up to the rank's, each as its time to that of all.
void shareExposedKinds(RankMeasurement& rank);

// What a rank's calls have of the exposed time of their kind. Formats that list calls alone do not tell what
// is hidden: all of it counts. The rank outlives this.
class ExposedParts
{
public:
    explicit ExposedParts(const RankMeasurement& rank);
    // Seconds, of all iterations. Pre: a row of the rank.
    double of(const MeasuredCollective& calls) const;

private:
    const RankMeasurement& m_rank;
    std::array<double, kind_count> m_sum_ns{};
};

} // namespace shardscope
