#include "core/inference/rank_shapes.h"

#include "core/analysis/calls/layout_kinds.h"

#include <algorithm>

namespace shardscope
{

Result<std::vector<RankShapes>> shapesOfRanks(const TraceSet& traces, const std::atomic<bool>* stop)
{
    std::vector<RankShapes> ranks;
    for (const TraceFile& file : traces.files) {
        if (stop != nullptr && *stop)
            return Error{"stopped"};
        if (std::ranges::find(ranks, file.rank, &RankShapes::rank) != ranks.end())
            continue; // another recording of it
        const auto operators = readOperatorShapes(file, layerOperators());
        if (!operators)
            return operators.error();
        if (const auto shapes = layerShapes(operators.value()))
            ranks.push_back({file.rank, recordedIterations(file), *shapes});
    }
    const bool has_digest =
        std::ranges::any_of(traces.files, [](const TraceFile& file) { return file.digest != nullptr; });
    if (ranks.empty() && has_digest)
        return Error{"digests keep no shapes of operators; open the traces themselves, recorded with "
                     "record_shapes=True"};
    if (ranks.empty())
        return Error{"no rank shows the shapes of a transformer's operators; record with record_shapes=True"};
    return ranks;
}

std::int64_t ranksOfRun(const TraceSet& traces)
{
    std::int64_t world = 1;
    for (const TraceFile& file : traces.files)
        world = std::max({world, file.world_size, file.rank + 1});
    return world;
}

std::int64_t groupSize(Kind kind, const TraceSet& traces, const ClassificationRules& rules)
{
    std::int64_t size = 0;
    for (const TraceFile& file : traces.files)
        for (const ProcessGroup& group : file.groups)
            if (rules.kindOfGroup(group.description) == kind)
                size = std::max(size, std::max(group.size, static_cast<std::int64_t>(group.ranks.size())));
    return size;
}

} // namespace shardscope
