#pragma once

#include "core/scenario/layer_form.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

enum class ModelKind : std::uint8_t { transformer, parameter_list };
enum class PositionEmbedding : std::uint8_t { learned, rope, alibi, none, relative };
enum class Norm : std::uint8_t { layernorm, rmsnorm };
// What stands on the last layer: logits over the vocabulary, or BERT's masked words and next sentence.
enum class OutputHead : std::uint8_t { language_model, bert };

// Multi-head latent attention (DeepSeek-V2, V3); off while kv_lora_rank is 0.
struct Mla {
    std::int64_t q_lora_rank = 0;
    std::int64_t kv_lora_rank = 0;
    std::int64_t qk_nope_head_dim = 0;
    std::int64_t qk_rope_head_dim = 0;
    std::int64_t v_head_dim = 0;
    bool operator==(const Mla&) const = default;
};

// Mixture of experts; dense while count is 0. Layers first, first + every, ... are MoE.
struct Experts {
    std::int64_t count = 0;
    std::int64_t per_token = 2;
    std::int64_t ffn_hidden_size = 8192;
    std::int64_t every = 1;
    std::int64_t first = 0;
    std::int64_t shared = 0;
    double capacity_factor = 0.0; // 0: nothing is dropped, sizes follow the routing
    double skew = 0.0;            // 0 even routing ... 1
    bool routing_bias = false;    // one number for each expert that no gradient trains (DeepSeek-V3)
    // Share of the tokens that go to one expert alone, whatever per_token is: a top-2 router that drops the
    // second choice where it counts for nothing.
    double single_choice = 0.0;
    // Experts stand in so many groups of neighbours, and a token's are in at most so many of these: routing
    // limited to devices or nodes (DeepSeek-V2, V3).
    std::int64_t groups = 1;
    std::int64_t groups_per_token = 1;
    bool shared_gate = false; // hidden_size weights that scale what the shared experts return (Qwen2-MoE)
    bool operator==(const Experts&) const = default;
};

// One tensor of a parameter_list model, in the order of the model's definition.
struct ParameterTensor {
    std::string name;
    std::int64_t parameters = 0;
    bool operator==(const ParameterTensor&) const = default;
};

// What is trained: the shape of a transformer, or a list of tensors (ResNet, VGG) for data parallelism alone.
struct Model {
    std::string preset; // empty: none, or edited since
    ModelKind kind = ModelKind::transformer;
    std::int64_t layers = 24; // of the decoder
    // Forms of the layers, over and over until all have one; empty: attention and an MLP, or experts where
    // these say. Modules of multi-token prediction have attention in any case.
    std::vector<LayerForm> layer_pattern;
    // Multi-token prediction: modules behind the last layer, each of which predicts one token further on
    // (DeepSeek-V3, GLM-4.5). They have a layer each, which `layers` does not count.
    std::int64_t mtp_layers = 0;
    // Of an encoder that each of the layers attends to (T5); 0: no encoder.
    std::int64_t encoder_layers = 0;
    std::int64_t encoder_sequence_length = 0; // 0: as long as sequence_length
    std::int64_t hidden_size = 2048;
    std::int64_t attention_heads = 16;
    std::int64_t kv_heads = 16; // fewer than attention_heads: grouped queries
    std::int64_t head_dim = 128;
    std::int64_t ffn_hidden_size = 8192;
    bool gated_mlp = false; // three matrices instead of two (SwiGLU)
    std::int64_t vocab_size = 50257;
    std::int64_t vocab_padding = 128; // the vocabulary is padded to a multiple of vocab_padding * tensor
    std::int64_t sequence_length = 2048;
    // Tokens that one attends to, itself the last of them; 0: all before it. Layers n, 2 n, ... of
    // full_attention_every n attend to all (Gemma 2 and 3, gpt-oss); 0: none does (Mistral 7B).
    std::int64_t sliding_window = 0;
    std::int64_t full_attention_every = 0;
    bool tied_embeddings = true; // the head is the embedding's table; both end stages of a pipeline hold it
    PositionEmbedding position_embedding = PositionEmbedding::learned;
    bool linear_bias = true; // every product adds one
    bool qkv_bias = false;   // queries, keys and values have biases even without linear_bias (Qwen2)
    bool qk_norm = false;    // queries and keys are normalised, head by head (Qwen3)
    Norm norm = Norm::layernorm;
    std::int64_t norms_per_layer = 2; // 4: the outputs of attention and MLP are normalised too (Gemma 2)
    bool final_norm = true;           // false: layers end with their norm (BERT)
    bool embedding_norm = false;      // the embeddings are normalised (BERT, BLOOM)
    std::int64_t token_types = 0;     // rows of a second embedding (BERT: the two sentences)
    bool head_bias = false;           // the output has a bias, one number for each word (Phi-2)
    OutputHead output_head = OutputHead::language_model;
    bool attention_gate = false; // queries come with a gate as wide on what attention returns (Qwen3-Next)
    Mla mla;
    Experts experts;
    Recurrence recurrence;
    std::vector<ParameterTensor> tensors; // parameter_list alone
    double flops_per_sample = 0.0;        // parameter_list alone: forward and backward of one sample
    bool operator==(const Model&) const = default;

    bool hasEncoder() const { return encoder_layers > 0; }
    // The words of the pattern that layers have.
    std::span<const LayerForm> formsInUse() const
    {
        const auto words = static_cast<std::int64_t>(layer_pattern.size());
        return {layer_pattern.data(), static_cast<std::size_t>(std::clamp<std::int64_t>(layers, 0, words))};
    }
    bool hasForm(bool (*has)(LayerForm)) const { return std::ranges::any_of(formsInUse(), has); }
    // A pattern may leave experts out that are told.
    bool hasExpertLayers() const
    {
        return experts.count > 0 && (layer_pattern.empty() || hasForm(hasExperts));
    }
    bool hasAttentionLayers() const
    {
        return layer_pattern.empty() || mtp_layers > 0 || hasForm(hasAttention);
    }
    // Tokens of a sample in the encoder.
    std::int64_t encoderLength() const
    {
        return encoder_sequence_length > 0 ? encoder_sequence_length : sequence_length;
    }
};

} // namespace shardscope
