#include "core/inference/rank_shapes.h"

#include "core/analysis/calls/layout_kinds.h"

#include <algorithm>
#include <array>
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

// What files of formats that show no layers are called.
struct NamedFormat {
    std::string_view format;
    std::string_view name;
};
constexpr std::array formats_without_shapes{
    NamedFormat{"nsys_sqlite", "an export of Nsight Systems"},
    NamedFormat{"flight_recorder", "a dump of PyTorch's flight recorder"},
    NamedFormat{"primus", "a pipeline dump of Primus"},
    NamedFormat{"nccl_inspector", "a file of NCCL Inspector"},
    NamedFormat{"nccl_log", "a log of NCCL"},
    NamedFormat{"nccl_tests", "what nccl-tests prints"},
    NamedFormat{"pytorch_et", "an execution trace of PyTorch"},
    NamedFormat{"chakra_et", "an execution trace of Chakra"},
    NamedFormat{"aicb", "a workload of AICB or SimAI"},
    NamedFormat{"deepspeed_comms", "a communication log of DeepSpeed"},
    NamedFormat{"megatron_log", "a log of Megatron-LM that lists no arguments"},
};

// "a log of Megatron-LM"; of several formats, what all of them are.
std::string_view nameOfFormats(const TraceSet& traces)
{
    std::set<std::string_view> formats;
    for (const TraceFile& file : traces.files)
        if (file.status != FileStatus::rejected)
            formats.insert(file.sourceFormat());
    const auto named = formats.size() == 1
                           ? std::ranges::find(formats_without_shapes, *formats.begin(), &NamedFormat::format)
                           : formats_without_shapes.end();
    return named == formats_without_shapes.end() ? "files of these formats" : named->name;
}

// Why no rank's layers are known.
Error withoutLayers(const TraceSet& traces)
{
    if (!mayShowLayers(traces))
        return Error{"no shapes of operators are read from " + std::string{nameOfFormats(traces)}
                     + ", but from traces of PyTorch's profiler, recorded with record_shapes=True"
                     + numberOfRanks(traces)};
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

bool mayShowLayers(const TraceSet& traces)
{
    return std::ranges::any_of(traces.files, [](const TraceFile& file) {
        return file.sourceFormat() == "kineto" || file.sourceFormat() == "chrome";
    });
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
