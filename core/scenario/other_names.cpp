#include "core/scenario/other_names.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

struct OtherName {
    std::string_view name;
    std::string_view key;
};

// Megatron-LM's options, Hugging Face's keys, and the short words of reports.
constexpr std::array other_names{
    OtherName{"tp", "parallel.tensor"},
    OtherName{"tensor_parallel", "parallel.tensor"},
    OtherName{"tensor_parallel_size", "parallel.tensor"},
    OtherName{"tensor_model_parallel_size", "parallel.tensor"},
    OtherName{"pp", "parallel.pipeline"},
    OtherName{"pipeline_parallel", "parallel.pipeline"},
    OtherName{"pipeline_parallel_size", "parallel.pipeline"},
    OtherName{"pipeline_model_parallel_size", "parallel.pipeline"},
    OtherName{"dp", "parallel.data"},
    OtherName{"data_parallel", "parallel.data"},
    OtherName{"data_parallel_size", "parallel.data"},
    OtherName{"cp", "parallel.context"},
    OtherName{"context_parallel", "parallel.context"},
    OtherName{"context_parallel_size", "parallel.context"},
    OtherName{"ep", "parallel.expert"},
    OtherName{"expert_parallel", "parallel.expert"},
    OtherName{"expert_parallel_size", "parallel.expert"},
    OtherName{"expert_model_parallel_size", "parallel.expert"},
    OtherName{"vpp", "parallel.virtual_stages"},
    OtherName{"virtual_pipeline_model_parallel_size", "parallel.virtual_stages"},
    OtherName{"zero", "parallel.zero_stage"},
    OtherName{"mbs", "training.micro_batch_size"},
    OtherName{"gbs", "training.global_batch_size"},
    OtherName{"recompute_num_layers", "training.recompute_layers"},
    OtherName{"recompute_granularity", "training.recompute"},
    OtherName{"dtype", "training.precision"},
    OtherName{"seq_length", "model.sequence_length"},
    OtherName{"seq_len", "model.sequence_length"},
    OtherName{"seqlen", "model.sequence_length"},
    OtherName{"num_layers", "model.layers"},
    OtherName{"num_hidden_layers", "model.layers"},
    OtherName{"num_attention_heads", "model.attention_heads"},
    OtherName{"num_heads", "model.attention_heads"},
    OtherName{"num_key_value_heads", "model.kv_heads"},
    OtherName{"num_query_groups", "model.kv_heads"},
    OtherName{"intermediate_size", "model.ffn_hidden_size"},
    OtherName{"hybrid_override_pattern", "model.layer_pattern"},
    OtherName{"hybrid_layer_pattern", "model.layer_pattern"},
    OtherName{"mamba_num_heads", "model.recurrence.heads"},
    OtherName{"linear_num_value_heads", "model.recurrence.heads"},
    OtherName{"mamba_head_dim", "model.recurrence.value_dim"},
    OtherName{"linear_value_head_dim", "model.recurrence.value_dim"},
    OtherName{"mamba_num_groups", "model.recurrence.key_groups"},
    OtherName{"linear_num_key_heads", "model.recurrence.key_groups"},
    OtherName{"mamba_state_dim", "model.recurrence.key_dim"},
    OtherName{"ssm_state_size", "model.recurrence.key_dim"},
    OtherName{"linear_key_head_dim", "model.recurrence.key_dim"},
};

} // namespace

std::string_view keyOfOtherName(std::string_view name)
{
    const auto found = std::ranges::find(other_names, name, &OtherName::name);
    return found == other_names.end() ? std::string_view{} : found->key;
}

} // namespace shardscope
