#include "core/scenario/hugging_face/hugging_face_families.h"

#include "core/base/format.h"
#include "core/scenario/hugging_face/hugging_face_readers.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

// To add a family, add a line.
struct Family {
    std::string_view model_type;
    ConfigReader read;
};
constexpr std::array families{
    Family{"gpt2", readGpt2},
    Family{"gpt_neox", readGptNeoX},
    Family{"bloom", readBloom},
    Family{"llama", readLlama},
    Family{"mistral", readLlama},
    Family{"mixtral", readMixtral},
    Family{"qwen2", readQwen2},
    Family{"qwen2_moe", readQwen2Moe},
    Family{"qwen3", readQwen3},
    Family{"qwen3_moe", readQwen3Moe},
    Family{"gemma", readGemma},
    Family{"gemma2", readGemma2},
    Family{"gemma3_text", readGemma3},
    Family{"deepseek_v2", readDeepSeek},
    Family{"deepseek_v3", readDeepSeek},
    Family{"kimi_k2", readDeepSeek},
    Family{"opt", readOpt},
    Family{"gpt_bigcode", readGptBigCode},
    Family{"mpt", readMpt},
    Family{"falcon", readFalcon},
    Family{"phi", readPhi},
    Family{"phi3", readLlama},
    Family{"starcoder2", readStarCoder2},
    Family{"stablelm", readStableLm},
    Family{"olmo", readOlmo},
    Family{"olmo2", readOlmo2},
    Family{"cohere", readCohere},
    Family{"internlm2", readInternLm2},
    Family{"granite", readLlama},
    Family{"smollm3", readLlama},
    Family{"llama4_text", readLlama4},
    Family{"gpt_oss", readGptOss},
    Family{"glm4_moe", readGlm4Moe},
    Family{"dbrx", readDbrx},
    Family{"phimoe", readPhiMoe},
    Family{"bert", readBert},
    Family{"t5", readT5},
    Family{"mt5", readT5},
    Family{"nemotron_h", readNemotronH},
    Family{"qwen3_next", readQwen3Next},
    Family{"granitemoehybrid", readGraniteHybrid},
    Family{"bamba", readBamba},
    Family{"mamba2", readMamba2},
};

// Architectures with layers of another make than attention or the recurrences that are known.
struct OtherLayers {
    std::string_view model_type;
    std::string_view layers;
};
constexpr std::string_view first_mamba = "state space models of the first kind (Mamba-1)";
constexpr std::string_view lightning_attention = "lightning attention";
constexpr std::string_view shared_blocks = "blocks that several layers share";
constexpr std::array other_layers{
    OtherLayers{"minimax", lightning_attention},
    OtherLayers{"minimax_text_01", lightning_attention},
    OtherLayers{"kimi_linear", "Kimi delta attention"},
    OtherLayers{"jamba", first_mamba},
    OtherLayers{"mamba", first_mamba},
    OtherLayers{"falcon_mamba", first_mamba},
    OtherLayers{"zamba", shared_blocks},
    OtherLayers{"zamba2", shared_blocks},
    OtherLayers{"falcon_h1", "attention and a recurrence side by side"},
    OtherLayers{"recurrent_gemma", "gated linear recurrences (RG-LRU)"},
    OtherLayers{"rwkv", "the recurrences of RWKV"},
    OtherLayers{"lfm2", "short convolutions"},
};

} // namespace

void readSizes(const ConfigContext& context)
{
    context.model.layers = context.fields.size({"num_hidden_layers", "n_layer", "num_layers", "n_layers"});
    readWidths(context);
}

void readWidths(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.hidden_size = fields.size({"hidden_size", "n_embd", "d_model", "n_embed"});
    model.attention_heads = fields.size({"num_attention_heads", "n_head", "num_heads", "n_heads"});
    model.kv_heads = fields.sizeOr("num_key_value_heads", model.attention_heads);
    model.vocab_size = fields.size({"vocab_size"});
    const std::int64_t heads = std::max<std::int64_t>(1, model.attention_heads);
    model.head_dim = fields.sizeOr("head_dim", model.hidden_size / heads);
    model.ffn_hidden_size = fields.sizeOr("intermediate_size", 4 * model.hidden_size);
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
}

void readRotarySequence(const ConfigContext& context, std::string_view key)
{
    constexpr std::int64_t usual = 4096;
    const std::int64_t most = context.fields.sizeOr(key, usual);
    context.model.sequence_length = std::min(most, usual);
    if (most > usual)
        context.warnings.push_back("sequence_length is set to 4,096; the configuration allows up to "
                                   + formatGrouped(most)
                                   + ", and does not say how long training samples are");
}

void readOneNorm(const ConfigContext& context)
{
    context.model.norms_per_layer = 1;
    context.warnings.emplace_back(
        "attention and MLP of a layer run side by side; their sums over tensor ranks are counted apart");
}

void readAttentionBias(const ConfigContext& context)
{
    context.model.linear_bias = false;
    context.model.qkv_bias = context.fields.flagOr("attention_bias", false);
    if (context.model.qkv_bias)
        context.warnings.emplace_back("attention_bias: the bias of the attention's output, hidden_size "
                                      "numbers a layer, is not counted");
}

void readSharedWidth(const ConfigContext& context, std::string_view key, std::int64_t otherwise,
                     std::string_view width_key)
{
    Experts& experts = context.model.experts;
    const std::int64_t shared = context.fields.sizeOr(key, otherwise);
    const std::int64_t width = std::max<std::int64_t>(1, experts.ffn_hidden_size);
    const bool is_multiple = shared % width == 0;
    experts.shared = shared / width + (shared > 0 && !is_multiple ? 1 : 0);
    if (!is_multiple)
        context.warnings.push_back(std::string{key} + " is no multiple of " + std::string{width_key}
                                   + " and is rounded up to one");
}

ConfigReader configReader(std::string_view model_type)
{
    const auto found = std::ranges::find(families, model_type, &Family::model_type);
    return found == families.end() ? nullptr : found->read;
}

std::string_view otherLayers(std::string_view model_type)
{
    const auto found = std::ranges::find(other_layers, model_type, &OtherLayers::model_type);
    return found == other_layers.end() ? std::string_view{} : found->layers;
}

std::string knownModelTypes()
{
    std::string known;
    for (const Family& family : families)
        known += (known.empty() ? "" : ", ") + std::string{family.model_type};
    return known;
}

} // namespace shardscope
