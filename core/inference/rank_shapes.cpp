#include "core/inference/rank_shapes.h"

#include "core/analysis/calls/layout_kinds.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace shardscope
{

namespace
{

// Operators of PyTorch with their shapes, whatever they are: some models have none of a transformer's.
bool hasShapes(const TraceFile& file)
{
    if (!file.store)
        return false;
    const TraceStore& store = *file.store;
    std::set<std::string_view> names;
    for (std::uint32_t event = 0; event < store.size(); ++event)
        if (const std::string_view name = store.name(EventIndex{event}); name.starts_with("aten::"))
            names.insert(name);
    const std::vector<std::string_view> operators{names.begin(), names.end()};
    const auto shapes = readOperatorShapes(file, operators);
    return shapes && !shapes.value().empty();
}

// What is known of the run all the same.
std::string numberOfRanks(const TraceSet& traces)
{
    const std::int64_t ranks = ranksOfRun(traces);
    if (ranks < 2)
        return {};
    const bool is_told =
        std::ranges::any_of(traces.files, [](const TraceFile& file) { return file.world_size > 0; });
    return "; the run has " + std::string{is_told ? "" : "at least "} + std::to_string(ranks) + " ranks";
}

// Why no rank's layers are known.
Error withoutLayers(const TraceSet& traces)
{
    const auto has_digest = [](const TraceFile& file) { return file.digest != nullptr; };
    if (std::ranges::any_of(traces.files, has_digest))
        return Error{"digests keep no shapes of operators; open the traces themselves, recorded with "
                     "record_shapes=True"
                     + numberOfRanks(traces)};
    if (std::ranges::any_of(traces.files, hasShapes))
        return Error{"shapes of operators were recorded, but no layers of a transformer are among them"
                     + numberOfRanks(traces)};
    return Error{"no rank shows the shapes of its operators; record with record_shapes=True"
                 + numberOfRanks(traces)};
}

} // namespace

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
    if (ranks.empty())
        return withoutLayers(traces);
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
