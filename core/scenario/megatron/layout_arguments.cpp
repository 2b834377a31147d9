// Degrees of parallelism, stages and what overlaps, in the arguments of Megatron-LM and Megatron-DeepSpeed.
#include "core/scenario/megatron/argument_reading.h"

#include "core/scenario/defaults.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/scenario_change.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace shardscope
{

std::optional<std::int64_t> worldOf(const RunArguments& arguments)
{
    if (const auto world = arguments.size({"world_size"}))
        return world;
    const auto of_node = arguments.size({"nproc_per_node"});
    if (!of_node)
        return std::nullopt;
    return *of_node * arguments.size({"nnodes"}).value_or(1);
}

namespace
{

void readContext(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Parallel& parallel = reading.run.scenario.parallel;
    parallel.context = arguments.size({"context_parallel_size"}).value_or(1);
    std::string exchange{arguments.text("cp_comm_type").value_or("p2p")};
    std::erase_if(exchange, [](char letter) { return letter == '[' || letter == ']'; });
    if (exchange == "a2a")
        parallel.context_method = ContextMethod::ulysses;
    if (exchange == "all_gather" || exchange == "allgather")
        parallel.context_method = ContextMethod::all_gather;
    reading.noteIf(
        parallel.context > 1 && exchange != "p2p" && parallel.context_method == ContextMethod::ring,
        "Ranks that share a sequence exchange by " + exchange + "; a ring is predicted in its place.");
    if (const auto sequence = arguments.size({"ds_sequence_parallel_size"}); sequence && *sequence > 1) {
        parallel.context = *sequence;
        parallel.context_method = ContextMethod::ulysses;
    }
    if (parallel.context == 1)
        return;
    reading.tell("parallel.context", parallel.context,
                 {"context_parallel_size", "ds_sequence_parallel_size"});
    reading.tell("parallel.context_method", std::string{word(parallel.context_method)},
                 {"cp_comm_type", "ds_sequence_parallel_size"});
}

// Whole replicas of the ranks that are left; a number that does not come out even was looked at before.
void readReplicas(ArgumentReading& reading)
{
    Scenario& scenario = reading.run.scenario;
    Parallel& parallel = scenario.parallel;
    const auto world = worldOf(reading.arguments);
    if (world)
        scenario = withWorldSize(std::move(scenario), *world);
    else
        parallel.data = reading.arguments.size({"data_parallel_size"}).value_or(1);
    reading.tell("parallel.data", parallel.data, {"world_size", "data_parallel_size"});
    if (!reading.arguments.lists("world_size"))
        reading.tell("parallel.data", parallel.data, {"nnodes", "nproc_per_node"});
    reading.noteIf(!world && !reading.arguments.lists("data_parallel_size"),
                   "On how many GPUs the run is started is not told; one replica is taken.");
    const auto of_node = reading.arguments.size({"nproc_per_node"});
    const auto nodes = reading.arguments.size({"nnodes"});
    reading.noteIf(of_node && nodes.value_or(1) > 1 && *of_node != scenario.cluster.gpus_per_node,
                   "A node runs " + std::to_string(of_node.value_or(1)) + " processes, and the cluster has "
                       + std::to_string(scenario.cluster.gpus_per_node)
                       + " GPUs on each: choose the cluster that it is.");
}

int zeroStageOf(const RunArguments& arguments)
{
    constexpr std::int64_t most = 3;
    if (arguments.isOn("deepspeed"))
        return static_cast<int>(
            std::clamp<std::int64_t>(arguments.number("deepspeed.zero_optimization_stage")
                                         .value_or(arguments.number("zero_stage").value_or(0)),
                                     0, most));
    if (arguments.isOn("use_torch_fsdp2"))
        return most;
    if (arguments.isOn("use_megatron_fsdp") || arguments.isOn("use_custom_fsdp")) {
        const std::string_view shards =
            arguments.text("data_parallel_sharding_strategy").value_or("no_shard");
        return shards == "optim_grads_params" ? 3 : shards == "optim_grads" ? 2 : shards == "optim" ? 1 : 0;
    }
    return arguments.isOn("use_distributed_optimizer") ? 1 : 0;
}

void readZero(ArgumentReading& reading)
{
    Parallel& parallel = reading.run.scenario.parallel;
    parallel.zero_stage = zeroStageOf(reading.arguments);
    if (reading.arguments.isOn("deepspeed")) {
        reading.noteIf(!reading.arguments.lists("zero_stage")
                           && !reading.arguments.lists("deepspeed.zero_optimization_stage"),
                       "ZeRO's stage stands in DeepSpeed's configuration, which is not read; 0 is taken.");
        return reading.tell("parallel.zero_stage", parallel.zero_stage,
                            {"deepspeed.zero_optimization_stage", "zero_stage"});
    }
    if (reading.arguments.isOn("use_torch_fsdp2"))
        return reading.tell("parallel.zero_stage", parallel.zero_stage, {"use_torch_fsdp2"});
    reading.tell("parallel.zero_stage", parallel.zero_stage,
                 {"use_distributed_optimizer", "use_megatron_fsdp", "use_custom_fsdp",
                  "data_parallel_sharding_strategy"});
}

void readExpertRanks(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Scenario& scenario = reading.run.scenario;
    if (scenario.model.experts.count == 0)
        return;
    scenario.parallel.expert =
        arguments.size({"expert_model_parallel_size", "moe_expert_parallel_size"}).value_or(1);
    reading.tell("parallel.expert", scenario.parallel.expert,
                 {"expert_model_parallel_size", "moe_expert_parallel_size"});
    Parallel& parallel = scenario.parallel;
    const std::int64_t tensor = arguments.size({"expert_tensor_parallel_size"}).value_or(parallel.tensor);
    parallel.expert_tensor_parallel = tensor == parallel.tensor;
    if (parallel.expert_tensor_parallel)
        return;
    const bool are_whole = tensor == 1 && parallel.sequence_parallel;
    parallel.expert_tensor_parallel = !are_whole;
    reading.tell("parallel.expert_tensor_parallel", std::string{are_whole ? "false" : "true"},
                 {"expert_tensor_parallel_size"});
    reading.noteIf(!are_whole, "A scenario splits experts over all tensor parallel ranks, or over none with "
                               "sequence_parallel; the run has expert_tensor_parallel_size "
                                   + std::to_string(tensor) + ".");
}

} // namespace

void readLayout(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Parallel& parallel = reading.run.scenario.parallel;
    parallel.tensor = arguments.size({"tensor_model_parallel_size", "model_parallel_size"}).value_or(1);
    parallel.pipeline = arguments.size({"pipeline_model_parallel_size"}).value_or(1);
    parallel.sequence_parallel = arguments.isOn("sequence_parallel") && parallel.tensor > 1;
    if (arguments.isOn("use_tp_pp_dp_mapping"))
        parallel.rank_order = usual_rank_orders.back();
    reading.tell("parallel.tensor", parallel.tensor, {"tensor_model_parallel_size", "model_parallel_size"});
    reading.tell("parallel.pipeline", parallel.pipeline, {"pipeline_model_parallel_size"});
    reading.tellFlag("parallel.sequence_parallel", parallel.sequence_parallel, {"sequence_parallel"});
    reading.tell("parallel.rank_order", rankOrderWord(parallel.rank_order, false), {"use_tp_pp_dp_mapping"});
    readContext(reading);
    readReplicas(reading);
    readZero(reading);
    readExpertRanks(reading);
}

namespace
{

Framework frameworkOf(const RunArguments& arguments)
{
    if (arguments.isOn("deepspeed"))
        return Framework::deepspeed;
    return arguments.isOn("use_torch_fsdp2") ? Framework::fsdp : Framework::megatron;
}

// With the interleaved schedule it is on unless switched off; tables of before there was a choice list none.
bool overlapsStages(const RunArguments& arguments, const Parallel& parallel)
{
    if (parallel.schedule != Schedule::interleaved)
        return false;
    return arguments.areOfTable() ? arguments.isOn("overlap_p2p_comm") : !arguments.isOff("overlap_p2p_comm");
}

// Both backends of flex send a token once to a rank. Without a word Megatron-LM takes allgather; the table
// that a run prints lists what it has.
void readDispatcher(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Scenario& scenario = reading.run.scenario;
    const bool drops = scenario.model.experts.capacity_factor > 0.0; // which the scenario has with all_to_all
    const bool are_spread = scenario.model.experts.count > 0 && scenario.parallel.expert > 1;
    const auto told = arguments.text("moe_token_dispatcher_type");
    if (told == "flex" && !drops) {
        scenario.conventions.token_dispatcher = TokenDispatcher::deepep;
        reading.tell("conventions.token_dispatcher", "deepep", {"moe_token_dispatcher_type"});
    }
    reading.noteIf(told == "flex" && drops && are_spread,
                   "moe_token_dispatcher_type is flex with a capacity of experts, which no scenario has "
                   "together; all_to_all is predicted.");
    const bool is_by_default = !told && !arguments.areOfTable();
    reading.noteIf(
        are_spread && (told == "allgather" || is_by_default),
        std::string{"moe_token_dispatcher_type is "}
            + (told ? "allgather" : "not set, and Megatron-LM's default is allgather")
            + ": every rank of a group gathers the tokens of all, and a reduce_scatter brings back "
              "what the experts made of them. No scenario says that; all_to_all is predicted.");
}

void readMegatronOverlap(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Scenario& scenario = reading.run.scenario;
    Conventions& conventions = scenario.conventions;
    conventions.param_overlap = arguments.isOn("overlap_param_gather");
    // Of MXFP8 either product needs a copy of its own, so that 16 bits are gathered (reuse-grad-buf-for-
    // mxfp8-param-ag).
    conventions.fp8_param_gather = arguments.isOn("fp8_param_gather")
                                   && scenario.training.precision == Precision::fp8
                                   && arguments.text("fp8_recipe") != "mxfp8";
    conventions.tp_overlap = arguments.isOn("tp_comm_overlap");
    const std::string_view graphs = arguments.text("cuda_graph_impl").value_or("none");
    conventions.cuda_graphs = graphs == "local" || graphs == "transformer_engine"
                              || arguments.isOn("enable_cuda_graph") || arguments.isOn("external_cuda_graph");
    conventions.ep_overlap = arguments.isOn("overlap_moe_expert_parallel_comm");
    readDispatcher(reading);
    conventions.pp_overlap = overlapsStages(arguments, scenario.parallel);
    const auto bucket = arguments.size({"ddp_bucket_size"});
    if (bucket && conventions.dp_overlap)
        conventions.dp_bucket_bytes = *bucket * scenario.training.gradient_bytes;
    // Megatron-Core lists the switch still and sends whole messages.
    const bool is_before_core = !arguments.lists("use_legacy_models") && !arguments.lists("use_mcore_models")
                                && !arguments.lists("transformer_impl");
    // Megatron-Core scatters the sum where nothing is added to it (LanguageModelEmbedding).
    conventions.sp_reduce_scatter_embedding =
        (!is_before_core || !arguments.areOfTable()) && !arguments.isOn("use_legacy_models")
        && scenario.parallel.sequence_parallel
        && scenario.model.position_embedding != PositionEmbedding::learned;
    conventions.pp_partitioned = is_before_core && arguments.isOn("scatter_gather_tensors_in_pipeline")
                                 && scenario.parallel.tensor > 1 && !scenario.parallel.sequence_parallel;
    reading.tellFlag("conventions.dp_overlap", conventions.dp_overlap, {"overlap_grad_reduce"});
    reading.tellFlag("conventions.param_overlap", conventions.param_overlap, {"overlap_param_gather"});
    if (scenario.training.precision == Precision::fp8)
        reading.tellFlag("conventions.fp8_param_gather", conventions.fp8_param_gather, {"fp8_param_gather"});
    reading.tellFlag("conventions.tp_overlap", conventions.tp_overlap, {"tp_comm_overlap"});
    if (conventions.cuda_graphs)
        reading.tellFlag("conventions.cuda_graphs", true,
                         {"cuda_graph_impl", "enable_cuda_graph", "external_cuda_graph"});
    reading.tellFlag("conventions.pp_overlap", conventions.pp_overlap, {"overlap_p2p_comm"});
    reading.tellFlag("conventions.pp_partitioned", conventions.pp_partitioned,
                     {"scatter_gather_tensors_in_pipeline"});
}

} // namespace

void readConventions(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Scenario& scenario = reading.run.scenario;
    const Framework framework = frameworkOf(arguments);
    const bool is_megatron = framework == Framework::megatron;
    scenario.conventions =
        is_megatron ? defaultConventions(framework, scenario.model, scenario.training, scenario.parallel,
                                         arguments.isOn("overlap_grad_reduce"))
                    : defaultConventions(framework, scenario.model, scenario.training, scenario.parallel);
    reading.tell("conventions.framework", std::string{word(framework)},
                 {framework == Framework::fsdp ? "use_torch_fsdp2" : "deepspeed"});
    if (is_megatron)
        readMegatronOverlap(reading);
    if (const auto clip = arguments.decimal("clip_grad"); clip && *clip == 0.0) {
        scenario.conventions.gradient_norm = false;
        reading.tellFlag("conventions.gradient_norm", false, {"clip_grad"});
    }
}

} // namespace shardscope
