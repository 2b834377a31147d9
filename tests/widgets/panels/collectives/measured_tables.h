#pragma once

#include "widgets/session/content.h"

#include <memory>

namespace shardscope
{

// A scenario of four tensor and eight data ranks, and lines of an nccl-tests table (stas00/ml-engineering
// network/README.md, 8 A100).
inline Content contentOf(bool measured)
{
    Content content;
    auto predicted = std::make_shared<PredictedScenario>();
    predicted->scenario.parallel.tensor = 4;
    predicted->scenario.parallel.data = 8;
    content.predicted = predicted;
    if (measured) {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.points.push_back({"all_reduce", "float", 16 << 20, 276.6e-6, 60.66, 106.15});
        run->measurement.points.push_back({"all_reduce", "float", 1 << 30, 8203.9e-6, 130.88, 229.04});
        content.measured = run;
    }
    return content;
}

} // namespace shardscope
