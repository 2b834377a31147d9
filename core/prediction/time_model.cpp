#include "core/prediction/time_model.h"

#include <algorithm>

namespace shardscope
{

double pipelineBubble(const Parallel& parallel, double f, double b, double w)
{
    const auto p = static_cast<double>(parallel.pipeline);
    switch (parallel.schedule) {
    case Schedule::gpipe:
    case Schedule::one_f_one_b:
        return (p - 1.0) * (f + b);
    case Schedule::interleaved:
        return (p - 1.0) * (f + b) / static_cast<double>(parallel.virtual_stages);
    case Schedule::zb_h1:
        return (p - 1.0) * std::max(0.0, f + b - 2.0 * w);
    case Schedule::zb_h2:
        return (p - 1.0) * std::max(0.0, f + b - 3.0 * w);
    case Schedule::dualpipe:
        return std::max(0.0, p / 2.0 - 1.0) * std::max(0.0, f + 2.0 * b - 3.0 * w);
    }
    return 0.0;
}

// The detailed model has no code yet: predict() warns that it answers with Li et al.'s.
IterationTime predictTime(const IterationFigures& figures, const Prediction& prediction)
{
    switch (figures.scenario.time_model) {
    case TimeModel::li:
    case TimeModel::detailed:
        break;
    }
    return predictTimeLi(figures, prediction);
}

} // namespace shardscope
