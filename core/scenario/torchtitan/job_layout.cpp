// How the work is split over ranks, and what follows from it for messages.
#include "core/base/lower_case.h"
#include "core/scenario/json_text.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/torchtitan/job_reading.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace shardscope
{

namespace
{

// Degrees have moved from sections of their own into one.
constexpr KeyPaths pipeline_paths{"parallelism.pipeline_parallel_degree",
                                  "experimental.pipeline_parallel_degree"};
constexpr KeyPaths tensor_paths{"parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"};
constexpr KeyPaths rotation_paths{"parallelism.context_parallel_rotate_method",
                                  "experimental.context_parallel_rotate_method"};
constexpr KeyPaths context_paths{"parallelism.context_parallel_degree",
                                 "experimental.context_parallel_degree"};
constexpr KeyPaths replicate_paths{"parallelism.data_parallel_replicate_degree",
                                   "training.data_parallel_replicate_degree"};
constexpr KeyPaths shard_paths{"parallelism.data_parallel_shard_degree",
                               "training.data_parallel_shard_degree"};
constexpr KeyPaths expert_paths{"parallelism.expert_parallel_degree"};
constexpr KeyPaths schedule_paths{"parallelism.pipeline_parallel_schedule",
                                  "experimental.pipeline_parallel_schedule"};
constexpr KeyPaths reshard_paths{"parallelism.fsdp_reshard_after_forward"};

// PyTorch's schedules (torch.distributed.pipelining), in any case.
struct ScheduleName {
    std::string_view name;
    Schedule schedule;
    std::string_view instead; // of it this one is predicted; empty: it is the same
};
constexpr std::array schedule_names{
    ScheduleName{"1f1b", Schedule::one_f_one_b, ""},
    ScheduleName{"gpipe", Schedule::gpipe, ""},
    ScheduleName{"interleaved1f1b", Schedule::interleaved, ""},
    ScheduleName{"zbvzerobubble", Schedule::zb_v, ""},
    ScheduleName{"loopedbfs", Schedule::interleaved, "interleaved 1F1B, which holds fewer micro-batches,"},
    ScheduleName{"interleavedzerobubble", Schedule::interleaved, "interleaved 1F1B, which waits longer,"},
    ScheduleName{"dualpipev", Schedule::zb_v, "ZB-V, which hides no messages of experts,"},
};

void readJobSchedule(JobReading& reading)
{
    Parallel& parallel = reading.run.scenario.parallel;
    const std::string name = reading.keys.text(schedule_paths).value_or("1F1B");
    const std::string lower = inLowerCase(name);
    const auto found = std::ranges::find(schedule_names, lower, &ScheduleName::name);
    if (found == schedule_names.end())
        return reading.noteIf(true, "The schedule " + excerpt(nlohmann::json(name))
                                        + " is not known; 1F1B is predicted.");
    setSchedule(parallel, found->schedule);
    reading.tellWord("parallel.schedule", parallel.schedule, {schedule_paths});
    reading.noteIf(!found->instead.empty(), "pipeline_parallel_schedule: " + std::string{found->instead}
                                                + " is predicted instead of " + name + '.');
}

// torchtitan counts the embedding and the head as so many layers, one each by default.
void readJobStages(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Parallel& parallel = reading.run.scenario.parallel;
    const auto weight = [&](std::string_view path) {
        return keys.count({path}, JobKeys::most, 0).value_or(1);
    };
    const std::int64_t first = weight("parallelism.pipeline_parallel_first_stage_less_layers");
    const std::int64_t last = weight("parallelism.pipeline_parallel_last_stage_less_layers");
    const KeyPaths depth_paths{"parallelism.pipeline_parallel_layers_per_stage"};
    parallel.stage_balance = first == 0 && last == 0 ? StageBalance::layers : StageBalance::ends_count;
    reading.noteIf(first != last || first > 1,
                   "The embedding and the head are predicted to take the place of a layer each.");
    reading.noteIf(
        keys.has({"parallelism.module_fqns_per_model_part", "parallelism.pipeline_parallel_split_points",
                  "experimental.pipeline_parallel_split_points"}),
        "Which modules make a stage is not read; layers are predicted to be shared out evenly.");
    const auto depth = keys.count(depth_paths);
    if (!depth || parallel.schedule != Schedule::interleaved)
        return;
    const std::int64_t layers = reading.run.scenario.model.layers + first + last;
    const std::int64_t stages = (layers + *depth - 1) / *depth;
    if (stages % parallel.pipeline != 0 || stages < 2 * parallel.pipeline)
        return keys.fail(depth_paths, "such that the " + std::to_string(stages)
                                          + " stages are two or more for each of the "
                                          + std::to_string(parallel.pipeline) + " ranks of the pipeline");
    parallel.virtual_stages = stages / parallel.pipeline;
    reading.tell("parallel.virtual_stages", parallel.virtual_stages, {depth_paths});
}

// Whole experts take their ranks from those of the tensor group as well.
void readJobExperts(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Parallel& parallel = reading.run.scenario.parallel;
    const KeyPaths whole_paths{"parallelism.expert_tensor_parallel_degree"};
    const std::int64_t expert = keys.count(expert_paths).value_or(1);
    const std::int64_t tensor = keys.count(whole_paths).value_or(1);
    if (expert > 1 && reading.run.scenario.model.experts.count == 0)
        return reading.noteIf(true, "expert_parallel_degree: The model has no experts.");
    parallel.expert = expert;
    reading.tell("parallel.expert", expert, {expert_paths});
    if (expert == 1 || parallel.tensor == 1)
        return;
    if (tensor != 1 && tensor != parallel.tensor)
        keys.fail(whole_paths, "1 or tensor_parallel_degree (" + std::to_string(parallel.tensor) + ")");
    parallel.expert_tensor_parallel = tensor == parallel.tensor;
    reading.tellFlag("parallel.expert_tensor_parallel", parallel.expert_tensor_parallel, {whole_paths});
}

// -1: what the other degrees leave of the GPUs, which the file does not count. Fewest: of the ranks that
// share out experts there must be as many as expert asks for.
std::int64_t shardsOf(JobReading& reading)
{
    const auto told = reading.keys.countUnlessOpen(shard_paths);
    if (told)
        return *told;
    const Parallel& parallel = reading.run.scenario.parallel;
    const std::int64_t others = parallel.context * (parallel.tensor / parallel.expertTensor());
    const std::int64_t fewest = parallel.expert / std::gcd(parallel.expert, others);
    reading.noteIf(true, "data_parallel_shard_degree is -1, all GPUs that the other degrees leave, and the "
                         "file does not say how many there are: it is read as "
                             + std::to_string(fewest)
                             + (fewest > 1 ? ", the fewest that expert_parallel_degree needs." : "."));
    return fewest;
}

void readDispatcher(JobReading& reading)
{
    const KeyPaths paths{"parallelism.expert_parallel_comm_backend"};
    TokenDispatcher& dispatcher = reading.run.scenario.conventions.token_dispatcher;
    const std::string name = reading.keys.text(paths).value_or("standard");
    if (name == "deepep" || name == "hybridep")
        dispatcher = TokenDispatcher::deepep;
    else if (name != "standard")
        return reading.noteIf(true, "expert_parallel_comm_backend: How " + excerpt(nlohmann::json(name))
                                        + " sends is not known; all_to_all is predicted.");
    reading.tellWord("conventions.token_dispatcher", dispatcher, {paths});
}

void readTensorOverlap(JobReading& reading)
{
    const KeyPaths paths{"parallelism.enable_async_tensor_parallel",
                         "experimental.enable_async_tensor_parallel"};
    Scenario& scenario = reading.run.scenario;
    if (!reading.keys.isOn(paths) || scenario.parallel.tensor == 1)
        return;
    const bool compiles = compilesModel(reading.keys);
    reading.noteIf(!compiles, "enable_async_tensor_parallel: Without compile it has no effect.");
    scenario.conventions.tp_overlap = compiles;
    reading.tellFlag("conventions.tp_overlap", compiles, {paths, {"compile.enable", "training.compile"}});
}

} // namespace

void readJobLayout(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Parallel& parallel = reading.run.scenario.parallel;
    parallel.pipeline = keys.count(pipeline_paths).value_or(1);
    parallel.tensor = keys.count(tensor_paths).value_or(1);
    parallel.context = keys.count(context_paths).value_or(1);
    parallel.sequence_parallel = parallel.tensor > 1;
    reading.tell("parallel.pipeline", parallel.pipeline, {pipeline_paths});
    reading.tell("parallel.tensor", parallel.tensor, {tensor_paths});
    reading.tell("parallel.context", parallel.context, {context_paths});
    reading.tellFlag("parallel.sequence_parallel", parallel.sequence_parallel, {tensor_paths});
    const bool goes_round = keys.text(rotation_paths).value_or("allgather") == "alltoall";
    parallel.context_method = goes_round ? ContextMethod::ring : ContextMethod::all_gather;
    if (parallel.context > 1)
        reading.tellWord("parallel.context_method", parallel.context_method, {rotation_paths});
    if (parallel.pipeline > 1) {
        readJobSchedule(reading);
        readJobStages(reading);
    }
    readJobExperts(reading);
    const std::int64_t copies = keys.count(replicate_paths).value_or(1);
    parallel.data = copies * shardsOf(reading);
    reading.tell("parallel.data", parallel.data, {replicate_paths, shard_paths});
}

// Beside copies in bf16 that stay, a rank keeps the shards that they are made of, in the format that weights
// are stored in.
void keepStoredShards(JobReading& reading)
{
    constexpr int copy_bytes = 2;
    Training& training = reading.run.scenario.training;
    training.master_bytes += copy_bytes;
    reading.tell("training.master_bytes", training.master_bytes, {{"training.dtype"}, reshard_paths});
}

Framework readJobSharding(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Parallel& parallel = reading.run.scenario.parallel;
    const std::int64_t copies = keys.count(replicate_paths).value_or(1);
    const bool shards = keys.countUnlessOpen(shard_paths).value_or(-1) != 1 || parallel.context > 1;
    const std::string reshards = keys.text(reshard_paths).value_or("default");
    if (reshards != "default" && reshards != "always" && reshards != "never")
        keys.fail(reshard_paths, "\"default\", \"always\" or \"never\"");
    if (!shards && copies > 1) {
        parallel.zero_stage = 0;
        reading.tellWord("conventions.framework", Framework::ddp, {replicate_paths, shard_paths});
        return Framework::ddp;
    }
    // What stays gathered until the backward pass is gathered once: by default that is so in pipelines.
    const bool stays = reshards == "never" || (reshards == "default" && parallel.pipeline > 1);
    parallel.zero_stage = stays ? 2 : 3;
    if (stays && reading.run.scenario.training.precision != Precision::fp32)
        keepStoredShards(reading);
    reading.tell("parallel.zero_stage", parallel.zero_stage,
                 {reshard_paths, parallel.pipeline > 1 ? pipeline_paths : shard_paths});
    reading.noteIf(copies > 1, "data_parallel_replicate_degree: Weights are predicted to be sharded over all "
                               "replicas, not within groups of them (HSDP).");
    return Framework::fsdp;
}

void readJobMessages(JobReading& reading)
{
    Scenario& scenario = reading.run.scenario;
    Conventions& conventions = scenario.conventions;
    if (reading.keys.text(reshard_paths) == "always") {
        conventions.zero3_keeps = ZeroKeeps::root;
        reading.tellWord("conventions.zero3_keeps", conventions.zero3_keeps, {reshard_paths});
    }
    const KeyPaths gather_paths{"float8.enable_fsdp_float8_all_gather",
                                "quantize.linear.float8.enable_fsdp_float8_all_gather",
                                "quantize.dense.float8.enable_fsdp_float8_all_gather"};
    conventions.fp8_param_gather =
        reading.keys.isOn(gather_paths) && scenario.training.precision == Precision::fp8;
    if (conventions.fp8_param_gather)
        reading.tellFlag("conventions.fp8_param_gather", true, {gather_paths});
    if (scenario.parallel.pipeline > 1) { // PyTorch's stages reduce what they have summed up
        conventions.reduce_each_micro_batch = false;
        reading.tellFlag("conventions.reduce_each_micro_batch", false, {pipeline_paths});
    }
    if (scenario.parallel.tensor > 1) { // DTensor keeps what it gathers, and scatters the embedding's sum
        conventions.sp_regather = false;
        conventions.sp_reduce_scatter_embedding = true;
        reading.tellFlag("conventions.sp_regather", false, {tensor_paths});
        reading.tellFlag("conventions.sp_reduce_scatter_embedding", true, {tensor_paths});
    }
    if (scenario.parallel.expert > 1)
        readDispatcher(reading);
    readTensorOverlap(reading);
}

} // namespace shardscope
