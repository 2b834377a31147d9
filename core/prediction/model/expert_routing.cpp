#include "core/prediction/model/expert_routing.h"

#include <cmath>

namespace shardscope
{

double choicesPerToken(const Experts& experts)
{
    const auto all = static_cast<double>(experts.per_token);
    return all - experts.single_choice * (all - 1.0);
}

ExpertRouting::ExpertRouting(const IterationFigures& figures)
{
    const Experts& experts = figures.scenario.model.experts;
    // Sequence parallelism leaves each tensor rank its own tokens.
    tokens = figures.scenario.parallel.sequence_parallel ? figures.tokens / figures.tensor : figures.tokens;
    sizes_are_fixed = experts.capacity_factor > 0.0;
    slots = std::llround(static_cast<double>(tokens) * choicesPerToken(experts));
    if (sizes_are_fixed) {
        // The order of the operations decides how a product that comes out even is rounded.
        const double wanted = experts.capacity_factor * static_cast<double>(tokens)
                              * static_cast<double>(experts.per_token) / static_cast<double>(experts.count);
        slots = experts.count * static_cast<std::int64_t>(std::ceil(wanted));
    }
    bytes = slots * figures.scenario.model.hidden_size * bytesPerElement(figures.activation_dtype);
}

} // namespace shardscope
