#include "core/scenario/hugging_face/hugging_face_readers.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Everything of Llama but what says where there are biases: none.
void readLlamaWithoutBiases(const ConfigContext& context)
{
    readSizes(context);
    readRotarySequence(context);
    Model& model = context.model;
    model.position_embedding = PositionEmbedding::rope;
    model.norm = Norm::rmsnorm;
    model.gated_mlp = true;
    model.linear_bias = false;
    model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", false);
}

// Experts as DeepSeek names them, from the first_k_dense_replace-th layer on.
void readDeepSeekExperts(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Experts& experts = context.model.experts;
    experts.per_token = fields.size({"num_experts_per_tok"});
    experts.ffn_hidden_size = fields.size({"moe_intermediate_size"});
    experts.shared = fields.sizeOr("n_shared_experts", 0);
    experts.first = fields.sizeOr("first_k_dense_replace", 0);
    experts.every = std::max<std::int64_t>(1, fields.sizeOr("moe_layer_freq", 1));
    experts.groups = std::max<std::int64_t>(1, fields.sizeOr("n_group", 1));
    experts.groups_per_token = std::max<std::int64_t>(1, fields.sizeOr("topk_group", 1));
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

} // namespace

void readLlama(const ConfigContext& context)
{
    readLlamaWithoutBiases(context);
    Model& model = context.model;
    const bool of_attention = context.fields.flagOr("attention_bias", false);
    const bool of_mlp = context.fields.flagOr("mlp_bias", false);
    model.linear_bias = of_attention && of_mlp;
    model.qkv_bias = of_attention && !of_mlp;
    if (of_attention && !of_mlp)
        context.warnings.emplace_back(
            "attention_bias and mlp_bias differ: biases of queries, keys and values are counted, that of "
            "attention's output is not");
    if (of_mlp && !of_attention)
        context.warnings.emplace_back(
            "attention_bias and mlp_bias differ: no bias is counted, those of the MLP neither");
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

void readQwen2Moe(const ConfigContext& context)
{
    readQwen2(context);
    readQwenExperts(context);
    readSharedWidth(context, "shared_expert_intermediate_size", 0, "moe_intermediate_size");
    context.model.experts.shared_gate = context.model.experts.shared > 0;
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
    readDeepSeekExperts(context);
    const std::string model_type = fields.textOr("model_type", "");
    experts.routing_bias =
        fields.textOr("topk_method", model_type == "deepseek_v3" ? "noaux_tc" : "") == "noaux_tc";
}

void readStableLm(const ConfigContext& context)
{
    readLlamaWithoutBiases(context);
    Model& model = context.model;
    model.norm = Norm::layernorm;
    model.qkv_bias = context.fields.flagOr("use_qkv_bias", false);
    if (context.fields.flagOr("use_parallel_residual", false))
        readOneNorm(context);
    if (context.fields.flagOr("qk_layernorm", false))
        context.warnings.emplace_back("qk_layernorm: the norms of queries and keys are not counted");
}

// OLMo's norms have no weights.
void readOlmo(const ConfigContext& context)
{
    readLlama(context);
    context.model.norms_per_layer = 0;
    context.model.final_norm = false;
}

// A layer's norms stand behind its products, as many as before them elsewhere. Those of queries and keys run
// over all heads at once, and have a weight for each number of each head.
void readOlmo2(const ConfigContext& context)
{
    readLlama(context);
    context.model.qk_norm = true;
    context.warnings.emplace_back(
        "queries and keys are normalised over all heads at once: of these norms' weights those of one head "
        "are counted, and no sums over tensor ranks that they need");
}

void readCohere(const ConfigContext& context)
{
    readLlama(context);
    readOneNorm(context);
    context.model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", true);
    if (context.fields.flagOr("use_qk_norm", false))
        context.warnings.emplace_back("use_qk_norm: the norms of queries and keys are not counted");
}

void readInternLm2(const ConfigContext& context)
{
    readLlamaWithoutBiases(context);
    context.model.linear_bias = context.fields.flagOr("bias", false);
}

// Llama 4: experts in every interleave_moe_layer_step-th layer, the last of each step, and one shared.
void readLlama4(const ConfigContext& context)
{
    readLlama(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.ffn_hidden_size = fields.sizeOr("intermediate_size_mlp", 16384);
    Experts& experts = model.experts;
    experts.ffn_hidden_size = fields.size({"intermediate_size"});
    experts.count = fields.sizeOr("num_local_experts", 16);
    experts.per_token = fields.sizeOr("num_experts_per_tok", 1);
    experts.shared = 1;
    experts.every = std::max<std::int64_t>(1, fields.sizeOr("interleave_moe_layer_step", 1));
    experts.first = experts.every - 1;
}

void readGptOss(const ConfigContext& context)
{
    readLlamaWithoutBiases(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.head_dim = fields.sizeOr("head_dim", 64);
    model.linear_bias = fields.flagOr("attention_bias", true);
    model.experts.count = fields.sizeOr("num_local_experts", 128);
    model.experts.per_token = fields.sizeOr("num_experts_per_tok", 4);
    context.warnings.emplace_back("the routers' biases and the attention's sinks, one number for each expert "
                                  "and head of a layer, are not counted");
}

// GLM-4.5: DeepSeek-V3's experts and routing with grouped queries, of whose products the output has no bias.
void readGlm4Moe(const ConfigContext& context)
{
    readLlamaWithoutBiases(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.head_dim = fields.sizeOr("head_dim", 128);
    model.qkv_bias = fields.flagOr("attention_bias", false);
    model.qk_norm = fields.flagOr("use_qk_norm", false);
    model.experts.count = fields.size({"n_routed_experts"});
    readDeepSeekExperts(context);
    model.experts.routing_bias = true;
}

// Sizes of attention and of experts are in objects of their own.
void readDbrx(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    ModelConfigFields attention{fields.section("attn_config")};
    ModelConfigFields mlp{fields.section("ffn_config")};
    readSizes(context);
    readRotarySequence(context, "max_seq_len");
    model.position_embedding = PositionEmbedding::rope;
    model.norm = Norm::rmsnorm; // a LayerNorm without bias has as many parameters
    model.gated_mlp = true;
    model.linear_bias = false;
    model.tied_embeddings = fields.flagOr("tie_word_embeddings", false);
    model.kv_heads = attention.sizeOr("kv_n_heads", 1);
    model.ffn_hidden_size = mlp.sizeOr("ffn_hidden_size", 3584);
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.experts.count = mlp.sizeOr("moe_num_experts", 4);
    model.experts.per_token = mlp.sizeOr("moe_top_k", 1);
    if (!attention.failure().empty())
        fields.fail("attn_config." + attention.failure());
    if (!mlp.failure().empty())
        fields.fail("ffn_config." + mlp.failure());
}

// Phi-3.5-MoE: norms with biases, and one in every product of attention, but none in the experts.
void readPhiMoe(const ConfigContext& context)
{
    readLlamaWithoutBiases(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    readAttentionBias(context);
    model.norm = Norm::layernorm;
    model.head_bias = fields.flagOr("lm_head_bias", false);
    model.experts.count = fields.sizeOr("num_local_experts", 16);
    model.experts.per_token = fields.sizeOr("num_experts_per_tok", 2);
}

} // namespace shardscope
