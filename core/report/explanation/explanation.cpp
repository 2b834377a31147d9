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
    default: // times, and what follows from them
        return explainTime(figure, run);
    }
}

Explanation explain(const Message& message, int stage, const Scenario& scenario, const Prediction& prediction)
{
    return explainMessage(message, ExplainedRun{scenario, prediction}, stage);
}

} // namespace shardscope
