#include "core/scenario/hugging_face/hugging_face_readers.h"

#include <algorithm>

namespace shardscope
{

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

// Position tables of OPT begin with two rows that no token uses.
void readOpt(const ConfigContext& context)
{
    readSizes(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.ffn_hidden_size = fields.size({"ffn_dim"});
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.sequence_length = fields.sizeOr("max_position_embeddings", 2048);
    model.tied_embeddings = fields.flagOr("tie_word_embeddings", true);
    model.linear_bias = fields.flagOr("enable_bias", true);
    model.final_norm = fields.flagOr("do_layer_norm_before", true);
    context.warnings.emplace_back(
        "two rows of the position table, 2 * hidden_size parameters that no token uses, are not counted");
    if (fields.sizeOr("word_embed_proj_dim", model.hidden_size) != model.hidden_size)
        fields.fail("word_embed_proj_dim differs from hidden_size: embeddings of another width than the "
                    "layers are not known to this program");
}

void readGptBigCode(const ConfigContext& context)
{
    readGpt2(context);
    if (context.fields.flagOr("multi_query", true))
        context.model.kv_heads = 1;
}

void readMpt(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.layers = fields.size({"n_layers"});
    model.hidden_size = fields.size({"d_model"});
    model.attention_heads = fields.size({"n_heads"});
    model.kv_heads = model.attention_heads;
    model.head_dim = model.hidden_size / std::max<std::int64_t>(1, model.attention_heads);
    model.vocab_size = fields.size({"vocab_size"});
    model.ffn_hidden_size = fields.sizeOr("expansion_ratio", 4) * model.hidden_size;
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.sequence_length = fields.sizeOr("max_seq_len", 2048);
    model.position_embedding = PositionEmbedding::alibi;
    if (fields.flagOr("no_bias", true)) {
        model.linear_bias = false;
        model.norm = Norm::rmsnorm; // a LayerNorm without bias has as many parameters
    }
}

void readFalcon(const ConfigContext& context)
{
    readSizes(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    const bool is_newer = fields.flagOr("new_decoder_architecture", false);
    if (is_newer)
        model.kv_heads = fields.has("num_kv_heads") ? fields.size({"num_kv_heads"})
                                                    : fields.sizeOr("n_head_kv", model.attention_heads);
    else if (fields.flagOr("multi_query", true))
        model.kv_heads = 1;
    model.ffn_hidden_size = fields.sizeOr("ffn_hidden_size", 4 * model.hidden_size);
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.linear_bias = fields.flagOr("bias", false);
    model.tied_embeddings = fields.flagOr("tie_word_embeddings", true);
    model.sequence_length = fields.sizeOr("max_position_embeddings", 2048);
    model.position_embedding =
        fields.flagOr("alibi", false) ? PositionEmbedding::alibi : PositionEmbedding::rope;
    if (!fields.flagOr("parallel_attn", true))
        return;
    readOneNorm(context);
    if (is_newer)
        model.norms_per_layer = fields.sizeOr("num_ln_in_parallel_attn", 2);
}

void readPhi(const ConfigContext& context)
{
    readSizes(context);
    readRotarySequence(context);
    readOneNorm(context);
    Model& model = context.model;
    model.position_embedding = PositionEmbedding::rope;
    model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", false);
    model.head_bias = true;
    if (context.fields.flagOr("qk_layernorm", false))
        context.warnings.emplace_back("qk_layernorm: the norms of queries and keys are not counted");
}

void readStarCoder2(const ConfigContext& context)
{
    readSizes(context);
    readRotarySequence(context);
    Model& model = context.model;
    model.position_embedding = PositionEmbedding::rope;
    model.linear_bias = context.fields.flagOr("use_bias", true);
    model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", true);
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

} // namespace shardscope
