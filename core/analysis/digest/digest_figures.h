#pragma once

#include "core/analysis/activity.h"
#include "core/analysis/measurement.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What a digest knows of one profiler step.
struct StepFigures {
    StepMeasurement measured;
    std::vector<KernelRow> kernels;
};

// What was measured of one trace before its events were given up.
struct DigestFigures {
    BreakdownTimes times;
    std::vector<KernelRow> kernels;
    std::vector<StepFigures> steps;
    std::optional<RankActivity> activity; // of the whole trace; where it has GPU events
};

// The bytes that TraceDigest::figures holds: the message Figures of docs/digest.proto.
std::string encodeFigures(const DigestFigures& figures);
// Nothing where the bytes are damaged.
std::optional<DigestFigures> decodeFigures(std::string_view bytes);

} // namespace shardscope
