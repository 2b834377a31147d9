#include "core/report/explanation/explanation.h"

#include "core/report/explanation/explanation_parts.h"

namespace shardscope
{

Explanation explain(Figure figure, const Scenario& scenario, const Prediction& prediction, int stage)
{
    const ExplainedRun run{scenario, prediction};
    switch (figure) {
    case Figure::parameters_total:
    case Figure::parameters_active:
    case Figure::parameters_per_rank:
    case Figure::world_size:
    case Figure::micro_batches:
    case Figure::model_flops:
    case Figure::hardware_flops:
        return explainCount(figure, run);
    case Figure::peak_memory:
    case Figure::weights_memory:
    case Figure::gradients_memory:
    case Figure::optimizer_memory:
    case Figure::activations_memory:
    case Figure::temporaries_memory:
    case Figure::buffers_memory:
    case Figure::cached_memory:
    case Figure::context_memory:
        return explainMemory(figure, run, stage);
    case Figure::iteration_time:
    case Figure::compute_time:
    case Figure::tp_time:
    case Figure::cp_time:
    case Figure::ep_time:
    case Figure::pp_time:
    case Figure::dp_time:
    case Figure::emb_time:
    case Figure::mp_time:
    case Figure::bubble_time:
    case Figure::tokens_per_second:
    case Figure::mfu:
    case Figure::hfu:
    case Figure::communication_ratio:
    case Figure::bubble_ratio:
        break;
    }
    return explainTime(figure, run);
}

Explanation explain(const Message& message, int stage, const Scenario& scenario, const Prediction& prediction)
{
    return explainMessage(message, ExplainedRun{scenario, prediction}, stage);
}

} // namespace shardscope
