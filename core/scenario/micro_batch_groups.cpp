#include "core/scenario/micro_batch_groups.h"

#include "core/scenario/scenario.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool goesInRounds(const Scenario& scenario)
{
    const Framework framework = scenario.conventions.framework;
    return scenario.parallel.micro_batch_group == 0
           && (framework == Framework::fsdp || framework == Framework::ddp);
}

std::int64_t roundsOf(const Scenario& scenario, std::int64_t micro_batches)
{
    return std::max<std::int64_t>(1, micro_batches / scenario.parallel.pipeline);
}

} // namespace

std::int64_t microBatchGroup(const Scenario& scenario)
{
    if (goesInRounds(scenario)) {
        const std::int64_t micro_batches = scenario.microBatches();
        return std::max<std::int64_t>(1, micro_batches / roundsOf(scenario, micro_batches));
    }
    const std::int64_t told = scenario.parallel.micro_batch_group;
    return told > 0 ? told : scenario.parallel.pipeline;
}

bool fillGroups(const Scenario& scenario, std::int64_t micro_batches)
{
    if (micro_batches < 1)
        return false;
    if (goesInRounds(scenario))
        return micro_batches % roundsOf(scenario, micro_batches) == 0;
    const std::int64_t stages = scenario.parallel.pipeline;
    const std::int64_t group = microBatchGroup(scenario);
    const std::int64_t rest = micro_batches % group;
    return group >= stages && group <= micro_batches && (rest == 0 || rest >= stages);
}

} // namespace shardscope
