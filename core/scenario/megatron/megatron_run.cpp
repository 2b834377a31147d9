#include "core/scenario/megatron/megatron_run.h"

#include "core/scenario/megatron/argument_reading.h"
#include "core/scenario/scenario_change.h"

namespace shardscope
{

namespace
{

// Ranks of all stages, tensor and context groups: what a replica takes.
std::int64_t ranksOfReplica(Parallel parallel)
{
    parallel.data = 1;
    return boundedWorldSize(parallel);
}

std::string missingSizes(const RunArguments& arguments)
{
    std::string missing;
    const auto need = [&](std::string_view called, std::initializer_list<std::string_view> names) {
        if (!arguments.size(names))
            missing += (missing.empty() ? "" : ", ") + std::string{called};
    };
    need("num_layers", {"num_layers", "encoder_num_layers", "decoder_num_layers"});
    need("hidden_size", {"hidden_size"});
    need("num_attention_heads", {"num_attention_heads"});
    need("seq_length", {"seq_length", "encoder_seq_length"});
    return missing;
}

} // namespace

void ArgumentReading::tell(std::string_view key, std::string value,
                           std::initializer_list<std::string_view> names)
{
    std::string evidence;
    for (const std::string_view name : names)
        if (const auto told = arguments.text(name))
            evidence += (evidence.empty() ? "" : ", ") + std::string{name} + " " + std::string{*told};
    if (!evidence.empty())
        run.figures.push_back({std::string{key}, std::move(value), std::move(evidence)});
}

bool tellModel(std::span<const RunArgument> arguments)
{
    return missingSizes(RunArguments{arguments}).empty();
}

Result<MegatronRun> megatronRun(std::span<const RunArgument> listed, const Scenario& base)
{
    const RunArguments arguments{listed};
    if (const std::string missing = missingSizes(arguments); !missing.empty())
        return Error{"the arguments tell no " + missing};
    MegatronRun run;
    run.scenario.name = base.name;
    run.scenario.time_model = base.time_model;
    run.scenario.cluster = base.cluster;
    ArgumentReading reading{arguments, run};
    readModel(reading);
    readExperts(reading);
    readFormats(reading);
    readLayout(reading);
    const std::int64_t of_replica = ranksOfReplica(run.scenario.parallel);
    if (const auto world = arguments.size({"world_size"}); world && *world % of_replica != 0)
        return Error{"the arguments are of " + std::to_string(*world) + " ranks, which stages and groups of "
                     + std::to_string(of_replica) + " do not divide"};
    readStages(reading);
    readBatch(reading);
    readConventions(reading);
    return run;
}

} // namespace shardscope
