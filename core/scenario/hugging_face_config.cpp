#include "core/scenario/hugging_face_config.h"

#include "core/base/format.h"
#include "core/scenario/json_text.h"
#include "core/scenario/model_config_fields.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

using nlohmann::json;

// What one family's configuration is read into.
struct ConfigContext {
    ModelConfigFields& fields;
    Model& model;
    std::vector<std::string>& warnings;
};

// Sizes that nearly all families name alike.
void readSizes(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.layers = fields.size({"num_hidden_layers", "n_layer", "num_layers"});
    model.hidden_size = fields.size({"hidden_size", "n_embd", "d_model"});
    model.attention_heads = fields.size({"num_attention_heads", "n_head", "num_heads"});
    model.kv_heads = fields.sizeOr("num_key_value_heads", model.attention_heads);
    model.vocab_size = fields.size({"vocab_size"});
    const std::int64_t heads = std::max<std::int64_t>(1, model.attention_heads);
    model.head_dim = fields.sizeOr("head_dim", model.hidden_size / heads);
    model.ffn_hidden_size = fields.sizeOr("intermediate_size", 4 * model.hidden_size);
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
}

// The longest sequence that the model can take is often far longer than what it is trained on.
void readRotarySequence(const ConfigContext& context)
{
    constexpr std::int64_t usual = 4096;
    const std::int64_t most = context.fields.sizeOr("max_position_embeddings", usual);
    context.model.sequence_length = std::min(most, usual);
    if (most > usual)
        context.warnings.push_back("sequence_length is set to 4,096; the configuration allows up to "
                                   + formatGrouped(most)
                                   + ", and does not say how long training samples are");
}

void readGpt2(const ConfigContext& context)
{
    readSizes(context);
    Model& model = context.model;
    model.ffn_hidden_size = context.fields.sizeOr("n_inner", 4 * model.hidden_size);
    model.sequence_length = context.fields.sizeOr("n_positions", 1024);
    model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", true);
}

void readGptNeoX(const ConfigContext& context)
{
    readSizes(context);
    readRotarySequence(context);
    context.model.position_embedding = PositionEmbedding::rope;
    context.model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", false);
    context.model.linear_bias = context.fields.flagOr("attention_bias", true);
}

void readBloom(const ConfigContext& context)
{
    readSizes(context);
    Model& model = context.model;
    model.ffn_hidden_size = 4 * model.hidden_size;
    model.position_embedding = PositionEmbedding::alibi;
    model.embedding_norm = true;
    model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", true);
    model.sequence_length = context.fields.sizeOr("seq_length", 2048);
}

void readLlama(const ConfigContext& context)
{
    readSizes(context);
    readRotarySequence(context);
    Model& model = context.model;
    model.position_embedding = PositionEmbedding::rope;
    model.norm = Norm::rmsnorm;
    model.gated_mlp = true;
    model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", false);
    const bool of_attention = context.fields.flagOr("attention_bias", false);
    const bool of_mlp = context.fields.flagOr("mlp_bias", false);
    model.linear_bias = of_attention && of_mlp;
    model.qkv_bias = of_attention && !of_mlp;
    if (of_attention != of_mlp)
        context.warnings.emplace_back(
            "attention_bias and mlp_bias differ: biases of queries, keys and values are counted, the others "
            "are not");
}

void readQwen2(const ConfigContext& context)
{
    readLlama(context);
    context.model.qkv_bias = true;
}

void readQwen3(const ConfigContext& context)
{
    readLlama(context);
    context.model.head_dim = context.fields.sizeOr("head_dim", 128);
    context.model.qk_norm = true;
}

void readGemma(const ConfigContext& context)
{
    readLlama(context);
    context.model.head_dim = context.fields.sizeOr("head_dim", 256);
    context.model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", true);
}

void readGemma2(const ConfigContext& context)
{
    readGemma(context);
    context.model.norms_per_layer = 4;
}

void readGemma3(const ConfigContext& context)
{
    readGemma2(context);
    context.model.qk_norm = true;
}

void readMixtral(const ConfigContext& context)
{
    readLlama(context);
    context.model.experts.count = context.fields.sizeOr("num_local_experts", 8);
    context.model.experts.per_token = context.fields.sizeOr("num_experts_per_tok", 2);
}

// Experts of the Qwen family stand in every decoder_sparse_step-th layer, the last of each step.
void readQwenExperts(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Experts& experts = context.model.experts;
    experts.count = fields.size({"num_experts"});
    experts.per_token = fields.size({"num_experts_per_tok"});
    experts.ffn_hidden_size = fields.size({"moe_intermediate_size"});
    experts.every = std::max<std::int64_t>(1, fields.sizeOr("decoder_sparse_step", 1));
    experts.first = experts.every - 1;
    if (fields.has("mlp_only_layers") && !fields.object().find("mlp_only_layers")->empty())
        context.warnings.emplace_back(
            "mlp_only_layers is passed over: those layers are taken to have experts");
}

void readQwen2Moe(const ConfigContext& context)
{
    readQwen2(context);
    readQwenExperts(context);
    Experts& experts = context.model.experts;
    const std::int64_t shared = context.fields.sizeOr("shared_expert_intermediate_size", 0);
    const std::int64_t width = std::max<std::int64_t>(1, experts.ffn_hidden_size);
    experts.shared = (shared + width - 1) / width;
    if (shared > 0)
        context.warnings.push_back(
            "the gate of the shared expert, hidden_size parameters a layer, is not counted");
    if (shared % width != 0)
        context.warnings.push_back("shared_expert_intermediate_size is no multiple of moe_intermediate_size "
                                   "and is rounded up to one");
}

void readQwen3Moe(const ConfigContext& context)
{
    readQwen3(context);
    readQwenExperts(context);
}

void readDeepSeek(const ConfigContext& context)
{
    readLlama(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.mla.q_lora_rank = fields.sizeOr("q_lora_rank", 0);
    model.mla.kv_lora_rank = fields.size({"kv_lora_rank"});
    model.mla.qk_nope_head_dim = fields.size({"qk_nope_head_dim"});
    model.mla.qk_rope_head_dim = fields.size({"qk_rope_head_dim"});
    model.mla.v_head_dim = fields.size({"v_head_dim"});
    model.kv_heads = model.attention_heads;
    model.head_dim = model.mla.v_head_dim;
    Experts& experts = model.experts;
    experts.count = fields.sizeOr("n_routed_experts", 0);
    if (experts.count == 0)
        return;
    experts.per_token = fields.size({"num_experts_per_tok"});
    experts.ffn_hidden_size = fields.size({"moe_intermediate_size"});
    experts.shared = fields.sizeOr("n_shared_experts", 0);
    experts.first = fields.sizeOr("first_k_dense_replace", 0);
    experts.every = std::max<std::int64_t>(1, fields.sizeOr("moe_layer_freq", 1));
    const std::string model_type = fields.textOr("model_type", "");
    experts.routing_bias =
        fields.textOr("topk_method", model_type == "deepseek_v3" ? "noaux_tc" : "") == "noaux_tc";
}

void readBert(const ConfigContext& context)
{
    readSizes(context);
    Model& model = context.model;
    model.sequence_length = context.fields.sizeOr("max_position_embeddings", 512);
    model.token_types = context.fields.sizeOr("type_vocab_size", 2);
    model.embedding_norm = true;
    model.final_norm = false;
    model.output_head = OutputHead::bert;
}

void readT5(const ConfigContext& context)
{
    readSizes(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.encoder_layers = model.layers;
    model.layers = fields.sizeOr("num_decoder_layers", model.layers);
    model.head_dim = fields.size({"d_kv"});
    model.ffn_hidden_size = fields.size({"d_ff"});
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.gated_mlp = fields.textOr("feed_forward_proj", "relu").starts_with("gated");
    model.sequence_length = fields.sizeOr("n_positions", 512);
    model.position_embedding = PositionEmbedding::relative;
    model.linear_bias = false;
    model.norm = Norm::rmsnorm;
    model.tied_embeddings = fields.flagOr("tie_word_embeddings", true);
    if (fields.sizeOr("relative_attention_num_buckets", 32) != 32)
        context.warnings.emplace_back("relative_attention_num_buckets is taken to be 32");
}

// To add a family, add a line.
struct Family {
    std::string_view model_type;
    void (*read)(const ConfigContext&);
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
    Family{"bert", readBert},
    Family{"t5", readT5},
    Family{"mt5", readT5},
};

const Family* familyOf(const std::string& model_type)
{
    const auto found = std::ranges::find(families, model_type, &Family::model_type);
    return found == families.end() ? nullptr : &*found;
}

Error unknownFamily(const std::string& model_type)
{
    std::string known;
    for (const Family& family : families)
        known += (known.empty() ? "" : ", ") + std::string{family.model_type};
    return Error{"model_type \"" + model_type
                 + "\" is not an architecture that this program knows; known are " + known};
}

Precision precisionOf(const std::string& dtype)
{
    if (dtype.ends_with("float32"))
        return Precision::fp32;
    return dtype.ends_with("bfloat16") || !dtype.ends_with("float16") ? Precision::bf16 : Precision::fp16;
}

} // namespace

bool isHuggingFaceConfig(const json& root)
{
    if (!root.is_object() || !root.contains("model_type"))
        return false;
    return std::ranges::none_of(std::array{"shardscope", "model", "parallel", "training", "cluster"},
                                [&](const char* key) { return root.contains(key); });
}

Result<ModelConfigReading> readHuggingFaceConfig(const json& root)
{
    ModelConfigFields fields{root};
    const std::string model_type = fields.textOr("model_type", "");
    const Family* family = familyOf(model_type);
    const auto text = root.find("text_config");
    if (family == nullptr && text != root.end() && isHuggingFaceConfig(*text)) {
        auto reading = readHuggingFaceConfig(*text);
        if (reading)
            reading.value().warnings.push_back("of \"" + model_type + "\" the text model alone is read");
        return reading;
    }
    if (family == nullptr)
        return unknownFamily(model_type);
    ModelConfigReading reading;
    reading.name = fields.textOr("_name_or_path", "");
    if (reading.name.empty())
        reading.name = model_type;
    reading.precision = precisionOf(fields.textOr("torch_dtype", fields.textOr("dtype", "bfloat16")));
    family->read({fields, reading.model, reading.warnings});
    if (!fields.failure().empty())
        return Error{fields.failure()};
    return reading;
}

} // namespace shardscope
