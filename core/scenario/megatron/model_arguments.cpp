// The model's shape in the arguments of Megatron-LM and its forks (Megatron-DeepSpeed, BigScience).
#include "core/scenario/megatron/argument_reading.h"

#include "core/base/lower_case.h"
#include "core/base/whole_number.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool hasWord(std::optional<std::string_view> text, std::string_view word)
{
    return text && inLowerCase(*text).find(word) != std::string::npos;
}

void readLayers(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Model& model = reading.run.scenario.model;
    // Of a decoder alone both names may stand there; with an encoder (T5) each has its own.
    const auto decoder = arguments.size({"decoder_num_layers"});
    model.layers = decoder.value_or(arguments.size({"num_layers", "encoder_num_layers"}).value_or(1));
    model.sequence_length = arguments.size({"seq_length", "encoder_seq_length"}).value_or(1);
    if (const auto encoder = arguments.size({"encoder_num_layers", "num_layers"}); decoder && encoder) {
        model.encoder_layers = *encoder;
        model.encoder_sequence_length = model.sequence_length;
        model.sequence_length = arguments.size({"decoder_seq_length", "seq_length"}).value_or(1);
        reading.tell("model.encoder_layers", *encoder, {"encoder_num_layers", "num_layers"});
    }
    model.mtp_layers = arguments.size({"mtp_num_layers"}).value_or(0);
    if (!readHybridSizes(reading)) {
        reading.tell("model.layers", model.layers, {"num_layers", "decoder_num_layers"});
        reading.tell("model.mtp_layers", model.mtp_layers, {"mtp_num_layers"});
    }
    reading.tell("model.sequence_length", model.sequence_length, {"seq_length", "decoder_seq_length"});
}

void readMla(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    if (!arguments.isOn("multi_latent_attention"))
        return;
    // What is not listed has the defaults of Megatron-LM's arguments.
    Mla& mla = reading.run.scenario.model.mla;
    mla.q_lora_rank = arguments.size({"q_lora_rank"}).value_or(0);
    mla.kv_lora_rank = arguments.size({"kv_lora_rank"}).value_or(32);
    mla.qk_nope_head_dim = arguments.size({"qk_head_dim"}).value_or(128);
    mla.qk_rope_head_dim = arguments.size({"qk_pos_emb_head_dim"}).value_or(64);
    mla.v_head_dim = arguments.size({"v_head_dim"}).value_or(128);
    reading.run.scenario.model.head_dim = mla.v_head_dim; // kv_channels says nothing then
    reading.tell("model.mla.q_lora_rank", mla.q_lora_rank, {"q_lora_rank"});
    reading.tell("model.mla.kv_lora_rank", mla.kv_lora_rank, {"multi_latent_attention", "kv_lora_rank"});
    reading.tell("model.mla.qk_nope_head_dim", mla.qk_nope_head_dim, {"qk_head_dim"});
    reading.tell("model.mla.qk_rope_head_dim", mla.qk_rope_head_dim, {"qk_pos_emb_head_dim"});
    reading.tell("model.mla.v_head_dim", mla.v_head_dim, {"v_head_dim"});
}

void readWidths(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Model& model = reading.run.scenario.model;
    model.hidden_size = arguments.size({"hidden_size"}).value_or(1);
    model.attention_heads = arguments.size({"num_attention_heads"}).value_or(1);
    model.head_dim = arguments.size({"kv_channels"})
                         .value_or(std::max<std::int64_t>(1, model.hidden_size / model.attention_heads));
    const bool is_grouped = arguments.isOn("group_query_attention");
    model.kv_heads = is_grouped ? arguments.size({"num_query_groups"}).value_or(1)
                                : arguments.size({"num_key_value_heads"}).value_or(model.attention_heads);
    model.gated_mlp = arguments.isOn("swiglu") || hasWord(arguments.text("glu_activation"), "glu");
    // Its own default: two thirds of four times the width where a gate stands beside it, in units of 64.
    constexpr std::int64_t unit = 64;
    const std::int64_t by_default =
        model.gated_mlp ? 4 * model.hidden_size * 2 / 3 / unit * unit : 4 * model.hidden_size;
    model.ffn_hidden_size = arguments.size({"ffn_hidden_size"}).value_or(by_default);
    reading.tell("model.hidden_size", model.hidden_size, {"hidden_size"});
    reading.tell("model.attention_heads", model.attention_heads, {"num_attention_heads"});
    reading.tell("model.kv_heads", model.kv_heads,
                 {"group_query_attention", "num_query_groups", "num_key_value_heads"});
    reading.tell("model.head_dim", model.head_dim, {"kv_channels"});
    reading.tell("model.ffn_hidden_size", model.ffn_hidden_size, {"ffn_hidden_size"});
    reading.tellFlag("model.gated_mlp", model.gated_mlp, {"swiglu", "glu_activation"});
}

// The tokenizer's size where the run tells it; a padded one alone needs no padding.
void readVocabulary(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Model& model = reading.run.scenario.model;
    constexpr std::int64_t usual_padding = 128;
    auto told = arguments.size({"tokenizer_vocab_size", "vocab_size"});
    if (told && arguments.text("tokenizer_type") == "NullTokenizer"
        && !arguments.lists("tokenizer_vocab_size"))
        ++*told; // which adds its end of text
    const auto padded = arguments.size({"padded_vocab_size"});
    const std::int64_t tensor =
        arguments.size({"tensor_model_parallel_size", "model_parallel_size"}).value_or(1);
    model.vocab_padding = arguments.size({"make_vocab_size_divisible_by"}).value_or(usual_padding);
    model.vocab_size = told.value_or(padded.value_or(model.vocab_size));
    if (padded) {
        const std::int64_t unit = model.vocab_padding * tensor;
        if (!told || (*told + unit - 1) / unit * unit != *padded) {
            model.vocab_size = *padded;
            model.vocab_padding = 1;
        }
    }
    reading.tell("model.vocab_size", model.vocab_size,
                 {"tokenizer_vocab_size", "vocab_size", "padded_vocab_size"});
    reading.noteIf(!told && !padded, "The vocabulary is not told; " + std::to_string(model.vocab_size)
                                         + " words, GPT-2's, are assumed.");
}

PositionEmbedding positionsOf(const RunArguments& arguments)
{
    const auto type = arguments.text("position_embedding_type");
    if (arguments.isOn("use_rotary_position_embeddings") || hasWord(type, "rope") || hasWord(type, "yarn")
        || hasWord(type, "rotary"))
        return PositionEmbedding::rope;
    if (arguments.isOn("use_alibi_position_embeddings") || hasWord(type, "alibi"))
        return PositionEmbedding::alibi;
    if (hasWord(type, "relative"))
        return PositionEmbedding::relative;
    if (type == "none" || arguments.isOff("add_position_embedding"))
        return PositionEmbedding::none;
    return PositionEmbedding::learned;
}

// "1023,0" or "(1023, 0)": so many tokens before its own, and behind it; -1 for all.
void readWindows(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    const auto window = arguments.text("window_size");
    if (!window || window == "None")
        return;
    const std::size_t begin = std::min(window->find_first_of("-0123456789"), window->size());
    const std::size_t end = std::min(window->find_first_not_of("0123456789", begin), window->size());
    const auto before = wholeNumber(window->substr(begin, end - begin));
    const bool has_all = window->substr(begin).starts_with("-1");
    reading.noteIf(!before && !has_all, "window_size " + std::string{*window}
                                            + " is not understood; attention to all tokens is taken.");
    if (!before)
        return;
    Model& model = reading.run.scenario.model;
    model.sliding_window = *before + 1;
    reading.tell("model.sliding_window", model.sliding_window, {"window_size"});
    const auto skips = arguments.text("window_attn_skip_freq");
    if (!skips || skips == "None")
        return;
    model.full_attention_every = arguments.size({"window_attn_skip_freq"}).value_or(0);
    reading.tell("model.full_attention_every", model.full_attention_every, {"window_attn_skip_freq"});
    reading.noteIf(model.full_attention_every == 0,
                   "window_attn_skip_freq " + std::string{*skips}
                       + " is not understood; windows are taken in all layers.");
}

void readLayerForm(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Model& model = reading.run.scenario.model;
    model.position_embedding = positionsOf(arguments);
    model.norm = hasWord(arguments.text("normalization"), "rms") ? Norm::rmsnorm : Norm::layernorm;
    model.linear_bias = !arguments.isOff("add_bias_linear");
    model.qkv_bias = arguments.isOn("add_qkv_bias");
    model.qk_norm = arguments.isOn("qk_layernorm") && model.mla.kv_lora_rank == 0;
    model.tied_embeddings = !arguments.isOn("untie_embeddings_and_output_weights");
    model.embedding_norm = arguments.isOn("embed_layernorm");
    reading.tell("model.position_embedding", std::string{word(model.position_embedding)},
                 {"position_embedding_type", "use_rotary_position_embeddings",
                  "use_alibi_position_embeddings", "add_position_embedding"});
    reading.tell("model.norm", std::string{word(model.norm)}, {"normalization"});
    reading.tellFlag("model.linear_bias", model.linear_bias, {"add_bias_linear"});
    reading.tellFlag("model.qkv_bias", model.qkv_bias, {"add_qkv_bias"});
    if (model.mla.kv_lora_rank == 0) // whose norms are of the latents
        reading.tellFlag("model.qk_norm", model.qk_norm, {"qk_layernorm"});
    reading.tellFlag("model.tied_embeddings", model.tied_embeddings, {"untie_embeddings_and_output_weights"});
    reading.tellFlag("model.embedding_norm", model.embedding_norm, {"embed_layernorm"});
}

} // namespace

void readModel(ArgumentReading& reading)
{
    readLayers(reading);
    readWidths(reading);
    readVocabulary(reading);
    readMla(reading);
    readWindows(reading);
    readLayerForm(reading);
}

} // namespace shardscope
