#include "core/scenario/micro_batch_groups.h"

#include "core/scenario/pytorch.h"

#include <algorithm>

namespace shardscope
{

namespace
{

std::int64_t roundsOf(const Parallel& parallel, std::int64_t micro_batches)
{
    return std::max<std::int64_t>(1, micro_batches / parallel.pipeline);
}

} // namespace

bool goInRounds(const Parallel& parallel, Framework framework)
{
    return parallel.micro_batch_group == 0 && isPyTorch(framework);
}

std::int64_t microBatchGroup(const Parallel& parallel, Framework framework, std::int64_t micro_batches)
{
    if (goInRounds(parallel, framework))
        return std::max<std::int64_t>(1, micro_batches / roundsOf(parallel, micro_batches));
    return parallel.micro_batch_group > 0 ? parallel.micro_batch_group : parallel.pipeline;
}

bool fillGroups(const Parallel& parallel, Framework framework, std::int64_t micro_batches)
{
    if (micro_batches < 1)
        return false;
    if (goInRounds(parallel, framework))
        return micro_batches % roundsOf(parallel, micro_batches) == 0;
    const std::int64_t group = microBatchGroup(parallel, framework, micro_batches);
    const std::int64_t rest = micro_batches % group;
    return group >= parallel.pipeline && group <= micro_batches && (rest == 0 || rest >= parallel.pipeline);
}

} // namespace shardscope
