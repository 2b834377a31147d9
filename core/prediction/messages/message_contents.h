#pragma once

#include <string_view>

// What a call carries, as Message::what names it. Whoever asks for one of them by name takes it from here;
// the words themselves stand in what the program writes.
namespace shardscope::contents
{

// Of a tensor group: what a block, the embedding or the head gathers and sums.
inline constexpr std::string_view embedding = "embedding";
inline constexpr std::string_view embedding_encoder = "embedding_encoder";
inline constexpr std::string_view attention = "attention";
inline constexpr std::string_view recurrence = "recurrence";
inline constexpr std::string_view query_latent = "query_latent";
inline constexpr std::string_view key_value_latent = "key_value_latent";
inline constexpr std::string_view rotary_key = "rotary_key";
inline constexpr std::string_view cross_attention = "cross_attention";
inline constexpr std::string_view mlp = "mlp";
inline constexpr std::string_view experts = "experts";
inline constexpr std::string_view shared_experts = "shared_experts";
inline constexpr std::string_view encoder_attention = "encoder_attention";
inline constexpr std::string_view encoder_mlp = "encoder_mlp";
inline constexpr std::string_view encoder_output = "encoder_output";
inline constexpr std::string_view regather = "regather";
inline constexpr std::string_view head = "head";
inline constexpr std::string_view head_regather = "head_regather";
inline constexpr std::string_view cross_entropy_maximum = "cross_entropy_maximum";
inline constexpr std::string_view cross_entropy_target = "cross_entropy_target";
inline constexpr std::string_view cross_entropy_sum = "cross_entropy_sum";
inline constexpr std::string_view mtp_embedding = "mtp_embedding";
inline constexpr std::string_view mtp_projection = "mtp_projection";
inline constexpr std::string_view mtp_projection_regather = "mtp_projection_regather";
inline constexpr std::string_view mtp_projected = "mtp_projected";
inline constexpr std::string_view batch_sizes = "batch_sizes";
inline constexpr std::string_view batch = "batch";
inline constexpr std::string_view replicated_gradients = "replicated_gradients";

// Between stages; reversed where micro-batches enter at the last one, returning where they come back from it
// in a V.
inline constexpr std::string_view activation = "activation";
inline constexpr std::string_view gradient = "gradient";
inline constexpr std::string_view reversed_activation = "reversed_activation";
inline constexpr std::string_view reversed_gradient = "reversed_gradient";
inline constexpr std::string_view returning_activation = "returning_activation";
inline constexpr std::string_view returning_gradient = "returning_gradient";

// Of a context group.
inline constexpr std::string_view query = "query";
inline constexpr std::string_view key = "key";
inline constexpr std::string_view value = "value";
inline constexpr std::string_view attention_output = "attention_output";
inline constexpr std::string_view key_gradient = "key_gradient";
inline constexpr std::string_view value_gradient = "value_gradient";
inline constexpr std::string_view key_value = "key_value";
inline constexpr std::string_view key_value_gradient = "key_value_gradient";
inline constexpr std::string_view key_value_and_gradient = "key_value_and_gradient";

// Of a recurrence in a context group: what goes to the ranks that share its heads out, and comes back.
inline constexpr std::string_view recurrence_gate = "recurrence_gate";
inline constexpr std::string_view recurrence_value = "recurrence_value";
inline constexpr std::string_view recurrence_key = "recurrence_key";
inline constexpr std::string_view recurrence_query = "recurrence_query";
inline constexpr std::string_view recurrence_step = "recurrence_step"; // numbers a head
inline constexpr std::string_view recurrence_output = "recurrence_output";

// Of an expert group.
inline constexpr std::string_view expert_counts = "expert_counts";
inline constexpr std::string_view dispatch = "dispatch";
inline constexpr std::string_view combine = "combine";

// Of replicas, and of the step.
inline constexpr std::string_view parameters = "parameters";
inline constexpr std::string_view gradients = "gradients";
inline constexpr std::string_view loss = "loss";
inline constexpr std::string_view tied_embedding = "tied_embedding";
inline constexpr std::string_view embedding_copy = "embedding_copy"; // not tied: multi-token prediction's
inline constexpr std::string_view gradient_norm = "gradient_norm";

constexpr bool isOfCrossEntropy(std::string_view what)
{
    return what == cross_entropy_maximum || what == cross_entropy_target || what == cross_entropy_sum;
}

// From the last stage to the first: half of dualpipe's micro-batches, and a V's way back.
constexpr bool isReversed(std::string_view what)
{
    return what == reversed_activation || what == reversed_gradient || what == returning_activation
           || what == returning_gradient;
}

// What latent attention exchanges in place of the activation.
constexpr bool isOfLatentAttention(std::string_view what)
{
    return what == query_latent || what == key_value_latent || what == rotary_key;
}

constexpr bool isOfRecurrence(std::string_view what)
{
    return what.starts_with(recurrence);
}

constexpr bool isOfEncoder(std::string_view what)
{
    return what == embedding_encoder || what == encoder_attention || what == encoder_mlp
           || what == encoder_output;
}

} // namespace shardscope::contents
