#include "core/scenario/megatron/megatron_run.h"

#include "core/scenario/megatron/argument_reading.h"
#include "core/scenario/megatron/hybrid_pattern.h"
#include "core/scenario/scenario_change.h"

#include <algorithm>
#include <array>
#include <iterator>

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

// "\"twelve\"", of anything that a script or a log may hold.
std::string quotedWord(std::string_view value)
{
    constexpr std::size_t longest = 40;
    std::string word{value.substr(0, longest)};
    std::ranges::replace_if(
        word, [](char c) { return c < ' ' || c > '~'; }, '?');
    return '"' + word + (value.size() > longest ? "...\"" : "\"");
}

// Of the sizes that every model has, those that are not told or are none; empty: all are told.
std::string amissInSizes(const RunArguments& arguments)
{
    std::string missing;
    std::string amiss;
    const auto need = [&](std::string_view called, std::initializer_list<std::string_view> names) {
        if (arguments.size(names))
            return;
        const auto told = std::ranges::find_if(
            names, [&](std::string_view name) { return arguments.text(name).has_value(); });
        if (told == names.end())
            missing += (missing.empty() ? "" : ", ") + std::string{called};
        else
            amiss += (amiss.empty() ? "" : "; ") + std::string{*told} + " is "
                     + quotedWord(*arguments.text(*told))
                     + ", which is no whole number from 1 to 999 999 999";
    };
    const std::string_view pattern = hybridPatternName(arguments);
    if (!pattern.empty() && !arguments.size({"num_layers"}) && !hybridPattern(arguments))
        amiss = std::string{pattern} + ": " + hybridPattern(*arguments.text(pattern)).error().sentence;
    else if (pattern.empty() || !hybridPattern(arguments))
        need("num_layers", {"num_layers", "encoder_num_layers", "decoder_num_layers"});
    need("hidden_size", {"hidden_size"});
    need("num_attention_heads", {"num_attention_heads"});
    need("seq_length", {"seq_length", "encoder_seq_length"});
    if (!missing.empty())
        amiss += (amiss.empty() ? "" : "; ") + std::string{"the arguments tell no "} + missing;
    return amiss;
}

// What no scenario says, and is left out.
void noteUnsaid(ArgumentReading& reading)
{
    struct Unsaid {
        std::string_view name;
        std::string_view sentence;
    };
    static constexpr std::array all{
        Unsaid{"disable_mamba_mem_eff_path",
               "Recurrences are predicted to keep what Mamba's path of little memory keeps."},
        Unsaid{"mtp_use_repeated_layer",
               "Each module of multi-token prediction is predicted with weights of its own."},
        Unsaid{"cpu_offloading", "All activations are predicted to stay on the GPU."},
        Unsaid{"fine_grained_activation_offloading", "All activations are predicted to stay on the GPU."},
        Unsaid{"distribute_saved_activations",
               "Inputs of recomputed layers are predicted whole on each tensor rank."},
        Unsaid{"moe_latent_size", "Experts are predicted to read tokens of the hidden size."},
        Unsaid{"ddp_num_buckets", "Buckets are predicted in their usual size."},
        Unsaid{"fp4_param", "Weights in 4 bits are not known; they are gathered in 16."},
        Unsaid{"first_last_layers_bf16",
               "The first and the last layers are predicted in the format of the others."},
        Unsaid{"heterogeneous_layers_config_encoded_json", "All layers are predicted alike."},
        Unsaid{"optimizer_offload_fraction", "All of the optimizer is predicted to be offloaded."}};
    const auto is_set = [&](std::string_view name) {
        return reading.arguments.text(name) && !reading.arguments.isOff(name)
               && reading.arguments.decimal(name) != 0.0 && reading.arguments.decimal(name) != 1.0;
    };
    for (const Unsaid& one : all)
        reading.noteIf(is_set(one.name), std::string{one.name} + ": " + std::string{one.sentence});
    const bool shares_states = reading.run.scenario.parallel.zero_stage > 0;
    reading.noteIf(reading.arguments.isOn("overlap_param_gather") && !shares_states,
                   "overlap_param_gather: Megatron-LM refuses it without use_distributed_optimizer; no "
                   "parameters are predicted to be gathered.");
    const auto instances = reading.arguments.size({"num_distributed_optimizer_instances"});
    reading.noteIf(instances.value_or(1) > 1,
                   "num_distributed_optimizer_instances: one set of optimizer states is predicted.");
}

// What RunArguments::size() is asked for.
constexpr std::array sizes{"batch_size",
                           "context_parallel_size",
                           "data_parallel_size",
                           "ddp_bucket_size",
                           "decoder_num_layers",
                           "decoder_seq_length",
                           "ds_sequence_parallel_size",
                           "encoder_num_layers",
                           "encoder_seq_length",
                           "expert_interval",
                           "expert_model_parallel_size",
                           "expert_tensor_parallel_size",
                           "ffn_hidden_size",
                           "global_batch_size",
                           "hidden_size",
                           "kv_channels",
                           "kv_lora_rank",
                           "linear_conv_kernel_dim",
                           "linear_key_head_dim",
                           "linear_num_key_heads",
                           "linear_num_value_heads",
                           "linear_value_head_dim",
                           "make_vocab_size_divisible_by",
                           "mamba_head_dim",
                           "mamba_num_groups",
                           "mamba_num_heads",
                           "mamba_state_dim",
                           "micro_batch_size",
                           "model_parallel_size",
                           "moe_expert_parallel_size",
                           "moe_ffn_hidden_size",
                           "moe_router_group_topk",
                           "moe_router_num_groups",
                           "moe_router_topk",
                           "moe_shared_expert_intermediate_size",
                           "mtp_num_layers",
                           "num_attention_heads",
                           "num_key_value_heads",
                           "num_layers",
                           "num_layers_per_virtual_pipeline_stage",
                           "num_query_groups",
                           "padded_vocab_size",
                           "pipeline_model_parallel_size",
                           "q_lora_rank",
                           "qk_head_dim",
                           "qk_pos_emb_head_dim",
                           "recompute_num_layers",
                           "seq_length",
                           "tensor_model_parallel_size",
                           "tokenizer_vocab_size",
                           "topk",
                           "v_head_dim",
                           "virtual_pipeline_model_parallel_size",
                           "vocab_size"};

// Listed as a size, and none.
bool isNoSize(const RunArguments& arguments, std::string_view name)
{
    return arguments.text(name) && !arguments.size({name}) && std::ranges::find(sizes, name) != sizes.end();
}

// One note for each argument, whatever it would have told.
void noteNoSize(ArgumentReading& reading, std::string_view name, const std::string& what_is_taken)
{
    const std::string amiss = std::string{name} + " is " + quotedWord(*reading.arguments.text(name))
                              + ", which is no whole number from 1 to 999 999 999; ";
    std::vector<std::string>& notes = reading.run.notes;
    if (std::ranges::none_of(notes, [&](const std::string& note) { return note.starts_with(amiss); }))
        notes.push_back(amiss + what_is_taken);
}

// Those that told no figure. 0 is none of a thing.
void noteNoSizes(ArgumentReading& reading)
{
    for (const std::string_view name : sizes)
        if (isNoSize(reading.arguments, name) && reading.arguments.number(name) != 0)
            noteNoSize(reading, name, "it is left out.");
}

} // namespace

void ArgumentReading::tell(std::string_view key, std::string value,
                           std::initializer_list<std::string_view> names)
{
    std::string evidence;
    for (const std::string_view name : names) {
        const auto told = arguments.text(name);
        if (told && *told != value && isNoSize(arguments, name))
            noteNoSize(*this, name, value + " is taken.");
        else if (told)
            evidence += (evidence.empty() ? "" : ", ") + std::string{name} + " " + std::string{*told};
    }
    if (!evidence.empty())
        run.figures.push_back({std::string{key}, std::move(value), std::move(evidence)});
}

void ArgumentReading::tellByList(std::string_view key, std::string value, std::string_view name)
{
    constexpr std::size_t longest = 60;
    if (arguments.text(name).value_or("").size() <= longest)
        tell(key, std::move(value), {name});
    else
        run.figures.push_back(
            {std::string{key}, std::move(value), std::string{name} + ", a list of all layers"});
}

bool tellModel(std::span<const RunArgument> arguments)
{
    return amissInSizes(RunArguments{arguments}).empty();
}

Result<MegatronRun> megatronRun(std::span<const RunArgument> listed, const Scenario& base)
{
    const RunArguments arguments{listed};
    if (const std::string amiss = amissInSizes(arguments); !amiss.empty())
        return Error{amiss};
    MegatronRun run;
    run.scenario.name = base.name;
    run.scenario.time_model = base.time_model;
    run.scenario.cluster = base.cluster;
    ArgumentReading reading{arguments, run};
    readModel(reading);
    readExperts(reading);
    readLayerForms(reading);
    readFormats(reading);
    readStates(reading);
    readLayout(reading);
    const std::int64_t of_replica = ranksOfReplica(run.scenario.parallel);
    if (const auto world = worldOf(arguments); world && *world % of_replica != 0)
        return Error{"the arguments are of " + std::to_string(*world) + " ranks, which stages and groups of "
                     + std::to_string(of_replica) + " do not divide"};
    readStages(reading);
    readBatch(reading);
    readConventions(reading);
    reading.tellFlag("conventions.ep_overlap", run.scenario.conventions.ep_overlap,
                     {"overlap_moe_expert_parallel_comm"});
    noteUnsaid(reading);
    noteNoSizes(reading);
    if (!arguments.areOfTable()) // which the run printed itself
        std::ranges::move(arguments.misspelt(), std::back_inserter(run.notes));
    return run;
}

} // namespace shardscope
