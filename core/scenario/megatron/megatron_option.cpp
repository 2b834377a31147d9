#include "core/scenario/megatron/megatron_option.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

// Options that the table lists by another name, of those that change sizes, messages or times. Others that
// begin with "no-" or "disable-" keep their name there, or matter to nobody here.
struct OtherName {
    std::string_view option;
    std::string_view name;
    std::string_view flag; // empty: a value follows
};
constexpr auto other_names = std::to_array<OtherName>({
    // the model
    {"disable-bias-linear", "add_bias_linear", "False"},
    {"no-position-embedding", "add_position_embedding", "False"},
    {"bert-no-binary-head", "bert_binary_head", "False"},
    // parallelism and batches, two of them by names of early versions
    {"model-parallel-size", "tensor_model_parallel_size", ""},
    {"batch-size", "micro_batch_size", ""},
    {"microbatch-group-size-per-virtual-pipeline-stage", "microbatch_group_size_per_vp_stage", ""},
    {"no-scatter-gather-tensors-in-pipeline", "scatter_gather_tensors_in_pipeline", "False"},
    {"torch-fsdp2-no-reshard-after-forward", "torch_fsdp2_reshard_after_forward", "False"},
    // processes, as DeepSpeed's launcher counts them
    {"num_nodes", "nnodes", ""},
    {"num_gpus", "nproc_per_node", ""},
    // precision
    {"fp8-format", "fp8", ""},
    {"fp4-format", "fp4", ""},
    {"fp4-param-gather", "fp4_param", "True"},
    {"no-fp8-wgrad", "fp8_wgrad", "False"},
    // overlap
    {"no-overlap-p2p-communication", "overlap_p2p_comm", "False"},
    {"overlap-p2p-communication", "overlap_p2p_comm", "True"},
    {"overlap-p2p-communication-warmup-flush", "overlap_p2p_comm_warmup_flush", "True"},
    {"no-align-grad-reduce", "align_grad_reduce", "False"},
    {"no-delay-grad-reduce", "delay_grad_reduce", "False"},
    {"no-align-param-gather", "align_param_gather", "False"},
    {"no-async-tensor-model-parallel-allreduce", "async_tensor_model_parallel_allreduce", "False"},
    {"disable-tp-comm-overlap-ag", "tp_comm_overlap_ag", "False"},
    {"disable-tp-comm-overlap-rs", "tp_comm_overlap_rs", "False"},
    {"disable-tp-comm-bulk-dgrad", "tp_comm_bulk_dgrad", "False"},
    {"disable-tp-comm-bulk-wgrad", "tp_comm_bulk_wgrad", "False"},
    {"disable-tp-comm-split-ag", "tp_comm_split_ag", "False"},
    {"disable-tp-comm-split-rs", "tp_comm_split_rs", "False"},
    {"use-nccl-ub", "nccl_ub", "True"},
    // states of the optimizer
    {"no-store-param-remainders", "store_param_remainders", "False"},
    // experts, of Megatron-DeepSpeed
    {"disable-moe-token-dropping", "moe_token_dropping", "False"},
    // operators that are one
    {"no-gradient-accumulation-fusion", "gradient_accumulation_fusion", "False"},
    {"no-masked-softmax-fusion", "masked_softmax_fusion", "False"},
    {"no-bias-gelu-fusion", "bias_gelu_fusion", "False"},
    {"no-bias-swiglu-fusion", "bias_swiglu_fusion", "False"},
    {"no-bias-dropout-fusion", "bias_dropout_fusion", "False"},
    {"no-rope-fusion", "apply_rope_fusion", "False"},
});

// Flags under their own name that matter here. Without this list a variable behind one, which may be empty,
// would look like its value.
constexpr auto flags = std::to_array<std::string_view>({
    "account_for_embedding_in_pipeline_split",
    "account_for_loss_in_pipeline_split",
    "accumulate_allreduce_grads_in_fp32",
    "add_qkv_bias",
    "apply_residual_connection_post_layernorm",
    "attention_output_gate",
    "bf16",
    "checkpoint_activations",
    "cpu_optimizer",
    "deepspeed",
    "deepspeed_activation_checkpointing",
    "defer_embedding_wgrad_compute",
    "delay_wgrad_compute",
    "disable_mamba_mem_eff_path",
    "distribute_saved_activations",
    "first_last_layers_bf16",
    "fp16",
    "fp32_residual_connection",
    "fp8_e4m3",
    "fp8_hybrid",
    "fp8_param_gather",
    "grad_reduce_in_bf16",
    "group_query_attention",
    "is_hybrid_model",
    "moe_enable_deepep",
    "moe_grouped_gemm",
    "moe_layer_recompute",
    "moe_pad_expert_input_to_capacity",
    "moe_permute_fusion",
    "moe_router_enable_expert_bias",
    "moe_shared_expert_gate",
    "moe_shared_expert_overlap",
    "mtp_use_repeated_layer",
    "multi_latent_attention",
    "no_pipeline_parallel",
    "optimizer_cpu_offload",
    "overlap_grad_reduce",
    "overlap_moe_expert_parallel_comm",
    "overlap_param_gather",
    "overlap_param_gather_with_optimizer_step",
    "qk_layernorm",
    "quick_geglu",
    "recompute_activations",
    "sequence_parallel",
    "squared_relu",
    "store_param_remainders",
    "swiglu",
    "tp_comm_overlap",
    "tp_comm_overlap_rs_dgrad",
    "untie_embeddings_and_output_weights",
    "use_custom_fsdp",
    "use_distributed_optimizer",
    "use_flash_attn",
    "use_flash_attn_triton",
    "use_flash_attn_v1",
    "use_flash_attn_v2",
    "use_legacy_models",
    "use_mcore_models",
    "use_megatron_fsdp",
    "use_precision_aware_optimizer",
    "use_rotary_position_embeddings",
    "use_torch_fsdp2",
    "use_tp_pp_dp_mapping",
});

constexpr auto of_several_values = std::to_array<std::string_view>({
    "cp_comm_type",
    "hierarchical_context_parallel_sizes",
    "num_experts",
    "rampup_batch_size",
    "recompute_modules",
    "spec",
});

constexpr auto of_launchers = std::to_array<std::string_view>({
    "local_ranks_filter",
    "max_restarts",
    "module",
    "monitor_interval",
    "no_python",
    "node_rank",
    "redirects",
    "role",
    "run_path",
    "standalone",
    "start_method",
    "tee",
    "use_env",
});

template<class Words>
bool holds(const Words& words, std::string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

} // namespace

MegatronOption megatronOption(std::string_view option)
{
    const auto other = std::ranges::find(other_names, option, &OtherName::option);
    if (other != other_names.end())
        return {std::string{other->name}, std::string{other->flag}};
    MegatronOption own{std::string{option}, {}};
    std::ranges::replace(own.name, '-', '_');
    if (holds(flags, own.name))
        own.flag = "True";
    own.takes_several = holds(of_several_values, own.name);
    return own;
}

bool isLaunchersOption(std::string_view name)
{
    return name.starts_with("rdzv_") || holds(of_launchers, name);
}

bool isCountOfProcesses(std::string_view name)
{
    return name == "nnodes" || name == "nproc_per_node";
}

bool isOptionOfPathOrText(std::string_view name)
{
    const std::string_view last_word = name.substr(name.find_last_of('_') + 1); // npos + 1 is 0
    return name == "save" || name == "load" || name == "tokenizer_model"
           || holds(std::to_array<std::string_view>(
                        {"path", "dir", "file", "name", "project", "entity", "prefix", "addr", "port", "id"}),
                    last_word);
}

} // namespace shardscope
