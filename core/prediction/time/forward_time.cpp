#include "core/prediction/time/forward_time.h"

#include "core/prediction/model/pipeline_chain.h"
#include "core/prediction/time/time_model.h"

namespace shardscope
{

TimePrediction forwardTime(const Scenario& scenario, const Prediction& prediction)
{
    const IterationFigures figures{scenario};
    const IterationTime time = predictTime(figures, prediction);
    TimePrediction sum;
    sum.slowest_stage = time.summary.slowest_stage;
    const auto add = [&](int place) {
        const PassTime& pass = time.chunks[static_cast<std::size_t>(place)].forward;
        const auto passes = static_cast<double>(figures.passes);
        sum.compute_s += passes * pass.compute_s;
        sum.tp_s += passes * pass.tp_s;
        sum.cp_s += passes * pass.cp_s;
        sum.ep_s += passes * pass.ep_s;
        sum.dp_s += passes * pass.dp_s;
        sum.pp_s += passes * pass.pp_s;
    };
    const PipelineChain chain{scenario.parallel};
    for (int chunk = 0; chunk < scenario.parallel.virtual_stages; ++chunk)
        add(chain.place(chunk, sum.slowest_stage));
    if (figures.mirrored) // the other half of the micro-batches passes the mirror image
        add(static_cast<int>(time.chunks.size()) - 1 - sum.slowest_stage);
    sum.exposed_communication_s = sum.tp_s + sum.cp_s + sum.ep_s + sum.dp_s + sum.pp_s;
    sum.iteration_s = sum.compute_s + sum.exposed_communication_s;
    return sum;
}

} // namespace shardscope
