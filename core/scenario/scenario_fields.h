#pragma once

#include "core/scenario/scenario.h"

#include <type_traits>

namespace shardscope
{

// Which key of the scenario format belongs to which member: the one table that reading, writing and the names
// of keys share. Fields<Model>::visit(visitor, model) calls visitor("layers", model.layers) and so on, in the
// file's order; visit(visitor, one, other) calls visitor("layers", one.layers, other.layers).
template<class T>
struct Fields;

template<>
struct Fields<Mla> {
    static void visit(auto& visitor, auto&... mla)
    {
        visitor("q_lora_rank", mla.q_lora_rank...);
        visitor("kv_lora_rank", mla.kv_lora_rank...);
        visitor("qk_nope_head_dim", mla.qk_nope_head_dim...);
        visitor("qk_rope_head_dim", mla.qk_rope_head_dim...);
        visitor("v_head_dim", mla.v_head_dim...);
    }
};

template<>
struct Fields<Experts> {
    static void visit(auto& visitor, auto&... experts)
    {
        visitor("count", experts.count...);
        visitor("per_token", experts.per_token...);
        visitor("ffn_hidden_size", experts.ffn_hidden_size...);
        visitor("every", experts.every...);
        visitor("first", experts.first...);
        visitor("shared", experts.shared...);
        visitor("shared_gate", experts.shared_gate...);
        visitor("capacity_factor", experts.capacity_factor...);
        visitor("skew", experts.skew...);
        visitor("single_choice", experts.single_choice...);
        visitor("groups", experts.groups...);
        visitor("groups_per_token", experts.groups_per_token...);
        visitor("routing_bias", experts.routing_bias...);
    }
};

template<>
struct Fields<Recurrence> {
    static void visit(auto& visitor, auto&... recurrence)
    {
        visitor("kind", recurrence.kind...);
        visitor("heads", recurrence.heads...);
        visitor("value_dim", recurrence.value_dim...);
        visitor("key_groups", recurrence.key_groups...);
        visitor("key_dim", recurrence.key_dim...);
        visitor("conv_kernel", recurrence.conv_kernel...);
    }
};

template<>
struct Fields<ParameterTensor> {
    static void visit(auto& visitor, auto&... tensor)
    {
        visitor("name", tensor.name...);
        visitor("parameters", tensor.parameters...);
    }
};

template<>
struct Fields<Model> {
    static void visit(auto& visitor, auto&... model)
    {
        visitor("preset", model.preset...);
        visitor("kind", model.kind...);
        visitor("layers", model.layers...);
        visitor("layer_pattern", model.layer_pattern...);
        visitor("mtp_layers", model.mtp_layers...);
        visitor("encoder_layers", model.encoder_layers...);
        visitor("encoder_sequence_length", model.encoder_sequence_length...);
        visitor("hidden_size", model.hidden_size...);
        visitor("attention_heads", model.attention_heads...);
        visitor("kv_heads", model.kv_heads...);
        visitor("head_dim", model.head_dim...);
        visitor("ffn_hidden_size", model.ffn_hidden_size...);
        visitor("gated_mlp", model.gated_mlp...);
        visitor("vocab_size", model.vocab_size...);
        visitor("vocab_padding", model.vocab_padding...);
        visitor("sequence_length", model.sequence_length...);
        visitor("sliding_window", model.sliding_window...);
        visitor("full_attention_every", model.full_attention_every...);
        visitor("tied_embeddings", model.tied_embeddings...);
        visitor("position_embedding", model.position_embedding...);
        visitor("linear_bias", model.linear_bias...);
        visitor("qkv_bias", model.qkv_bias...);
        visitor("qk_norm", model.qk_norm...);
        visitor("norm", model.norm...);
        visitor("norms_per_layer", model.norms_per_layer...);
        visitor("final_norm", model.final_norm...);
        visitor("embedding_norm", model.embedding_norm...);
        visitor("token_types", model.token_types...);
        visitor("head_bias", model.head_bias...);
        visitor("output_head", model.output_head...);
        visitor("attention_gate", model.attention_gate...);
        visitor("mla", model.mla...);
        visitor("experts", model.experts...);
        visitor("recurrence", model.recurrence...);
        visitor("tensors", model.tensors...);
        visitor("flops_per_sample", model.flops_per_sample...);
    }
};

template<>
struct Fields<Training> {
    static void visit(auto& visitor, auto&... training)
    {
        visitor("global_batch_size", training.global_batch_size...);
        visitor("micro_batch_size", training.micro_batch_size...);
        visitor("precision", training.precision...);
        visitor("gradient_bytes", training.gradient_bytes...);
        visitor("optimizer", training.optimizer...);
        visitor("master_bytes", training.master_bytes...);
        visitor("exp_avg_bytes", training.exp_avg_bytes...);
        visitor("exp_avg_sq_bytes", training.exp_avg_sq_bytes...);
        visitor("recompute", training.recompute...);
        visitor("recompute_layers", training.recompute_layers...);
        visitor("recompute_modules", training.recompute_modules...);
        visitor("offload", training.offload...);
        visitor("flash_attention", training.flash_attention...);
        visitor("causal_flops", training.causal_flops...);
    }
};

template<>
struct Fields<Parallel> {
    static void visit(auto& visitor, auto&... parallel)
    {
        visitor("pipeline", parallel.pipeline...);
        visitor("tensor", parallel.tensor...);
        visitor("data", parallel.data...);
        visitor("context", parallel.context...);
        visitor("context_method", parallel.context_method...);
        visitor("expert", parallel.expert...);
        visitor("expert_tensor_parallel", parallel.expert_tensor_parallel...);
        visitor("sequence_parallel", parallel.sequence_parallel...);
        visitor("zero_stage", parallel.zero_stage...);
        visitor("virtual_stages", parallel.virtual_stages...);
        visitor("micro_batch_group", parallel.micro_batch_group...);
        visitor("schedule", parallel.schedule...);
        visitor("rank_order", parallel.rank_order...);
        visitor("stage_balance", parallel.stage_balance...);
        visitor("stage_layers", parallel.stage_layers...);
    }
};

template<>
struct Fields<Conventions> {
    static void visit(auto& visitor, auto&... conventions)
    {
        visitor("framework", conventions.framework...);
        visitor("dp_reduction", conventions.dp_reduction...);
        visitor("dp_bucket_bytes", conventions.dp_bucket_bytes...);
        visitor("dp_overlap", conventions.dp_overlap...);
        visitor("param_overlap", conventions.param_overlap...);
        visitor("tp_overlap", conventions.tp_overlap...);
        visitor("pp_overlap", conventions.pp_overlap...);
        visitor("ep_overlap", conventions.ep_overlap...);
        visitor("cuda_graphs", conventions.cuda_graphs...);
        visitor("token_dispatcher", conventions.token_dispatcher...);
        visitor("fp8_dispatch", conventions.fp8_dispatch...);
        visitor("fp8_param_gather", conventions.fp8_param_gather...);
        visitor("zero_unit", conventions.zero_unit...);
        visitor("zero_reduction", conventions.zero_reduction...);
        visitor("reduce_each_micro_batch", conventions.reduce_each_micro_batch...);
        visitor("zero3_keeps", conventions.zero3_keeps...);
        visitor("zero3_by_tensor", conventions.zero3_by_tensor...);
        visitor("sp_regather", conventions.sp_regather...);
        visitor("sp_reduce_scatter_embedding", conventions.sp_reduce_scatter_embedding...);
        visitor("pp_partitioned", conventions.pp_partitioned...);
        visitor("tp_broadcast_batch", conventions.tp_broadcast_batch...);
        visitor("report_loss", conventions.report_loss...);
        visitor("gradient_norm", conventions.gradient_norm...);
        visitor("operator_traffic", conventions.operator_traffic...);
        visitor("fused_cross_entropy", conventions.fused_cross_entropy...);
        visitor("memory_measure", conventions.memory_measure...);
    }
};

template<>
struct Fields<Link> {
    static void visit(auto& visitor, auto&... link)
    {
        visitor("kind", link.kind...);
        visitor("bandwidth_GBps", link.bandwidth_GBps...);
        visitor("latency_us", link.latency_us...);
        visitor("bandwidth_of", link.bandwidth_of...);
    }
};

template<>
struct Fields<EffectiveBandwidth> {
    static void visit(auto& visitor, auto&... effective)
    {
        visitor("tp", effective.tp_GBps...);
        visitor("pp", effective.pp_GBps...);
        visitor("dp", effective.dp_GBps...);
    }
};

template<>
struct Fields<ComputeLaw> {
    static void visit(auto& visitor, auto&... law)
    {
        visitor("gemm_efficiency", law.gemm_efficiency...);
        visitor("gemm_lost_waves", law.gemm_lost_waves...);
        visitor("multiprocessors", law.multiprocessors...);
        visitor("fp8_speedup", law.fp8_speedup...);
        visitor("formats_are_apart", law.formats_are_apart...);
        visitor("fp32_speedup", law.fp32_speedup...);
        visitor("bf16_speedup", law.bf16_speedup...);
        visitor("fp4_over_fp8", law.fp4_over_fp8...);
        visitor("kernel_us", law.kernel_us...);
        visitor("memory_efficiency", law.memory_efficiency...);
        visitor("attention_efficiency", law.attention_efficiency...);
        visitor("biased_attention_efficiency", law.biased_attention_efficiency...);
        visitor("dispatch_us", law.dispatch_us...);
        visitor("overlap_contention", law.overlap_contention...);
        visitor("tp_overlap_exposed", law.tp_overlap_exposed...);
        visitor("dp_overlap_exposed", law.dp_overlap_exposed...);
        visitor("time_error", law.time_error...);
        visitor("time_error_small", law.time_error_small...);
        visitor("time_error_fp8", law.time_error_fp8...);
        visitor("time_error_unlike", law.time_error_unlike...);
        visitor("time_error_li", law.time_error_li...);
        visitor("time_error_li_small", law.time_error_li_small...);
        visitor("fitted", law.fitted...);
    }
};

template<>
struct Fields<CollectiveLaw> {
    static void visit(auto& visitor, auto&... law)
    {
        visitor("intra_efficiency", law.intra_efficiency...);
        visitor("inter_efficiency", law.inter_efficiency...);
        visitor("switch_reduce_efficiency", law.switch_reduce_efficiency...);
        visitor("switch_link_efficiency", law.switch_link_efficiency...);
        visitor("all_reduce_step_us", law.all_reduce_step_us...);
        visitor("all_reduce_doubling_us", law.all_reduce_doubling_us...);
        visitor("ring_base_us", law.ring_base_us...);
        visitor("ring_step_us", law.ring_step_us...);
        visitor("blend", law.blend...);
        visitor("derate_per_doubling", law.derate_per_doubling...);
        visitor("ring_adapters", law.ring_adapters...);
        visitor("intra_inferred", law.intra_inferred...);
        visitor("inter_inferred", law.inter_inferred...);
    }
};

template<>
struct Fields<Cluster> {
    static void visit(auto& visitor, auto&... cluster)
    {
        visitor("preset", cluster.preset...);
        visitor("gpu", cluster.gpu...);
        visitor("peak_tflops", cluster.peak_tflops...);
        visitor("memory_GB", cluster.memory_GB...);
        visitor("memory_bandwidth_GBps", cluster.memory_bandwidth_GBps...);
        visitor("gpus_per_node", cluster.gpus_per_node...);
        visitor("scale_up_gpus", cluster.scale_up_gpus...);
        visitor("nics_per_node", cluster.nics_per_node...);
        visitor("nodes_per_pod", cluster.nodes_per_pod...);
        visitor("oversubscription", cluster.oversubscription...);
        visitor("node_wiring", cluster.node_wiring...);
        visitor("intra_node", cluster.intra_node...);
        visitor("inter_node", cluster.inter_node...);
        visitor("mu", cluster.mu...);
        visitor("fitted_mu", cluster.fitted_mu...);
        visitor("effective_GBps", cluster.effective...);
        visitor("in_network_reduction", cluster.in_network_reduction...);
        visitor("few_node_trees", cluster.few_node_trees...);
        visitor("launch_blocking", cluster.launch_blocking...);
        visitor("compute", cluster.compute...);
        visitor("collectives", cluster.collectives...);
        visitor("calibrated", cluster.calibrated...);
    }
};

template<>
struct Fields<Scenario> {
    static void visit(auto& visitor, auto&... scenario)
    {
        visitor("name", scenario.name...);
        visitor("model", scenario.model...);
        visitor("training", scenario.training...);
        visitor("parallel", scenario.parallel...);
        visitor("conventions", scenario.conventions...);
        visitor("time_model", scenario.time_model...);
        visitor("cluster", scenario.cluster...);
    }
};

// A part of the scenario that is a JSON object with keys of its own.
template<class T>
concept HasFields = requires
{
    sizeof(Fields<std::remove_cv_t<T>>);
};

} // namespace shardscope
