#include "core/prediction/time/time_model.h"

#include "core/scenario/micro_batch_groups.h"

#include <algorithm>

namespace shardscope
{

double pipelineBubble_s(const Parallel& parallel, double forward_s, double backward_s,
                        double weight_gradient_s)
{
    const auto p = static_cast<double>(parallel.pipeline);
    const double both_s = forward_s + backward_s;
    switch (parallel.schedule) {
    case Schedule::gpipe:
    case Schedule::one_f_one_b:
        return (p - 1.0) * both_s;
    case Schedule::interleaved:
        return (p - 1.0) * both_s / static_cast<double>(parallel.virtual_stages);
    case Schedule::zb_h1:
        return (p - 1.0) * std::max(0.0, both_s - 2.0 * weight_gradient_s);
    case Schedule::zb_h2:
    case Schedule::zb_v: // with passes of equal length there is none either way
        return (p - 1.0) * std::max(0.0, both_s - 3.0 * weight_gradient_s);
    case Schedule::v_half: // of passes of equal length
        return (p - 1.0) * both_s / 2.0;
    case Schedule::v_min:
        return (p - 1.0) * both_s * 2.0 / 3.0;
    case Schedule::dualpipe:
        return std::max(0.0, p / 2.0 - 1.0)
               * std::max(0.0, forward_s + 2.0 * backward_s - 3.0 * weight_gradient_s);
    }
    return 0.0;
}

PipelineWork pipelineWork(const IterationFigures& figures, const IterationTime& time)
{
    const Parallel& parallel = figures.scenario.parallel;
    PipelineWork work;
    work.shape = {parallel.schedule, static_cast<int>(parallel.pipeline),
                  static_cast<int>(parallel.virtual_stages), static_cast<int>(figures.micro_batches),
                  static_cast<int>(microBatchGroup(parallel, figures.scenario.conventions.framework,
                                                   figures.micro_batches))};
    work.chunks.reserve(time.chunks.size());
    for (const StageTime& chunk : time.chunks)
        work.chunks.push_back({chunk.forward.total_s(), chunk.backward.total_s(), chunk.weight_gradient_s});
    work.message_s = time.message_s;
    work.sender_waits = time.sender_waits;
    return work;
}

IterationTime predictTime(const IterationFigures& figures, const Prediction& prediction)
{
    const bool detailed = figures.scenario.time_model == TimeModel::detailed;
    return detailed ? predictTimeDetailed(figures, prediction) : predictTimeLi(figures, prediction);
}

LeastTime leastIterationTime(const IterationFigures& figures, const Prediction& prediction)
{
    if (figures.scenario.time_model == TimeModel::detailed)
        return leastTimeDetailed(figures, prediction);
    const TimePrediction time = predictTimeLi(figures, prediction).summary;
    return {time.iteration_s, time.error_band};
}

} // namespace shardscope
