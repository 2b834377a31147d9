#include "core/prediction/expert_routing.h"

#include <cmath>

namespace shardscope
{

ExpertRouting::ExpertRouting(const IterationFigures& figures)
{
    const Experts& experts = figures.scenario.model.experts;
    // Sequence parallelism leaves each tensor rank its own tokens.
    const std::int64_t tokens =
        figures.scenario.parallel.sequence_parallel ? figures.tokens / figures.tensor : figures.tokens;
    const std::int64_t choices = tokens * experts.per_token;
    sizes_are_fixed = experts.capacity_factor > 0.0;
    slots = choices;
    if (sizes_are_fixed) {
        const double even = static_cast<double>(choices) / static_cast<double>(experts.count);
        slots = experts.count * static_cast<std::int64_t>(std::ceil(experts.capacity_factor * even));
    }
    bytes = slots * figures.scenario.model.hidden_size * bytesPerElement(figures.activation_dtype);
}

} // namespace shardscope
