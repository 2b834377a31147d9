// Families with recurrences in the place of attention in some layers, or in all of them.
#include "core/scenario/hugging_face/hugging_face_layers.h"
#include "core/scenario/hugging_face/hugging_face_readers.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace shardscope
{

namespace
{

// How a family names what Mamba-2 is made of, and what transformers has where it is left out.
struct MambaKeys {
    std::string_view heads;
    std::string_view head_dim;
    std::string_view groups;
    std::string_view state_dim;
    std::string_view conv_kernel;
    std::string_view conv_bias;
    std::string_view product_bias;
    Recurrence usual;
};
constexpr MambaKeys keys_of_nemotron{
    "mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size",
    "conv_kernel",     "use_conv_bias",  "use_bias", {RecurrenceKind::mamba2, 128, 64, 8, 128, 4}};
constexpr MambaKeys keys_of_bamba{
    "mamba_n_heads", "mamba_d_head",    "mamba_n_groups",  "mamba_d_state",
    "mamba_d_conv",  "mamba_conv_bias", "mamba_proj_bias", {RecurrenceKind::mamba2, 128, 0, 1, 256, 4}};
constexpr MambaKeys keys_of_mamba2{
    "num_heads",   "head_dim",      "n_groups", "state_size",
    "conv_kernel", "use_conv_bias", "use_bias", {RecurrenceKind::mamba2, 128, 64, 8, 128, 4}};

std::int64_t product(std::int64_t one, std::int64_t other)
{
    std::int64_t result = 0;
    return __builtin_mul_overflow(one, other, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

// Whether a head's width follows from the other sizes.
bool isAutomatic(const ModelConfigFields& fields, const MambaKeys& keys)
{
    if (!fields.has(keys.head_dim))
        return keys.usual.value_dim == 0;
    return *fields.object().find(keys.head_dim) == "auto";
}

void readMamba(const ConfigContext& context, const MambaKeys& keys)
{
    ModelConfigFields& fields = context.fields;
    Recurrence& recurrence = context.model.recurrence;
    recurrence.kind = RecurrenceKind::mamba2;
    recurrence.heads = fields.sizeOr(keys.heads, keys.usual.heads);
    if (!isAutomatic(fields, keys))
        recurrence.value_dim = fields.sizeOr(keys.head_dim, keys.usual.value_dim);
    recurrence.key_groups = fields.sizeOr(keys.groups, keys.usual.key_groups);
    recurrence.key_dim = fields.sizeOr(keys.state_dim, keys.usual.key_dim);
    recurrence.conv_kernel = fields.sizeOr(keys.conv_kernel, keys.usual.conv_kernel);
    if (!fields.flagOr(keys.conv_bias, true))
        context.warnings.push_back(std::string{keys.conv_bias}
                                   + ": the biases of convolutions are counted, which the model has not");
    if (fields.flagOr(keys.product_bias, false))
        context.warnings.push_back(std::string{keys.product_bias}
                                   + ": the biases of the recurrences' products are not counted");
}

// Of families whose heads have to be as wide together as the hidden size times a factor.
void checkExpansion(const ConfigContext& context, const MambaKeys& keys, std::string_view key)
{
    Recurrence& recurrence = context.model.recurrence;
    const std::int64_t width = product(context.fields.sizeOr(key, 2), context.model.hidden_size);
    if (isAutomatic(context.fields, keys))
        recurrence.value_dim = width / std::max<std::int64_t>(1, recurrence.heads);
    const std::int64_t of_heads = product(recurrence.heads, recurrence.value_dim);
    if (of_heads != width)
        context.fields.fail(std::string{keys.heads} + " times " + std::string{keys.head_dim} + " is "
                            + std::to_string(of_heads) + ", and " + std::string{key}
                            + " times hidden_size is " + std::to_string(width) + "; they must be the same");
}

void readHybrid(const ConfigContext& context)
{
    Model& model = context.model;
    readRotarySequence(context);
    readAttentionBias(context);
    model.norm = Norm::rmsnorm;
    model.tied_embeddings = context.fields.flagOr("tie_word_embeddings", false);
}

// The key that lists layers, for a sentence.
std::string_view nameOfList(const ModelConfigFields& fields)
{
    for (const std::string_view key : {"layers_block_type", "layer_types"})
        if (fields.has(key))
            return key;
    return "hybrid_override_pattern";
}

void checkCount(const ConfigContext& context, const std::vector<LayerForm>& listed)
{
    if (static_cast<std::int64_t>(listed.size()) != context.model.layers)
        context.fields.fail(std::string{nameOfList(context.fields)} + " has " + std::to_string(listed.size())
                            + " layers, and num_hidden_layers is " + std::to_string(context.model.layers)
                            + "; they must be the same");
}

// Layers with a second block each, the same in all of them. Not listed: recurrences in all.
void takeLayersWith(const ConfigContext& context, LayerForm second)
{
    std::vector<LayerForm> layers = listedLayers(context, {});
    if (layers.empty())
        layers.push_back(LayerForm::recurrence);
    else
        checkCount(context, layers);
    std::ranges::transform(layers, layers.begin(), [&](LayerForm form) { return layerOf(form, second); });
    takeLayers(context, layers);
}

// What the modules of multi-token prediction are made of is said apart.
void checkModules(const ConfigContext& context)
{
    const LayerKeys keys{{"mtp_layers_block_type"}, "mtp_hybrid_override_pattern", true};
    const std::vector<LayerForm> module = listedLayers(context, keys);
    const bool is_usual = module.empty() || module == std::vector{LayerForm::attention, LayerForm::experts};
    if (context.fields.sizeOr("num_nextn_predict_layers", 0) > 0 && !is_usual)
        context.warnings.emplace_back("mtp_hybrid_override_pattern: a module of multi-token prediction is "
                                      "counted as a layer of attention and experts");
}

void readNemotronExperts(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Experts& experts = context.model.experts;
    experts.count = fields.sizeOr("n_routed_experts", 8);
    experts.per_token = fields.sizeOr("num_experts_per_tok", 2);
    experts.ffn_hidden_size = fields.sizeOr("moe_intermediate_size", 7688);
    if (fields.sizeOr("n_shared_experts", 1) > 0)
        readSharedWidth(context, "moe_shared_expert_intermediate_size", 7688, "moe_intermediate_size");
    experts.groups = fields.sizeOr("n_group", 1);
    experts.groups_per_token = fields.sizeOr("topk_group", 1);
    experts.routing_bias = true;
    if (const std::int64_t latent = fields.sizeOr("moe_latent_size", 0); latent > 0)
        fields.fail("moe_latent_size is " + std::to_string(latent)
                    + ": experts in a latent space are not known to this program");
    checkModules(context);
}

// Experts of Qwen3-Next stand in the last layer of each step, but for those that are listed.
std::vector<LayerForm> layersOfQwen(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    const Model& model = context.model;
    std::vector<LayerForm> layers = listedLayers(context, {});
    const std::int64_t interval = fields.sizeOr("full_attention_interval", 4);
    const std::int64_t step = std::max<std::int64_t>(1, fields.sizeOr("decoder_sparse_step", 1));
    const std::vector<std::int64_t> dense = listedNumbers(context, "mlp_only_layers");
    if (interval < 1)
        fields.fail("full_attention_interval is " + std::to_string(interval) + "; it must be at least 1");
    if (!layers.empty())
        checkCount(context, layers);
    if (!fields.failure().empty() || !canBeListed(model.layers))
        return {};
    const bool is_listed = !layers.empty();
    const auto count = static_cast<std::size_t>(model.layers);
    std::vector<bool> is_dense(count, model.experts.count == 0);
    for (const std::int64_t at : dense)
        is_dense[static_cast<std::size_t>(at)] = true;
    layers.resize(count, LayerForm::recurrence);
    for (std::size_t at = 0; at < count; ++at) {
        const auto number = static_cast<std::int64_t>(at) + 1;
        if (!is_listed && number % interval == 0)
            layers[at] = LayerForm::attention;
        const bool has_experts = !is_dense[at] && number % step == 0;
        layers[at] = layerOf(layers[at], has_experts ? LayerForm::experts : LayerForm::mlp);
    }
    return layers;
}

} // namespace

// Layers of one block each, and no positions: recurrences tell the order.
void readNemotronH(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    readWidths(context);
    readHybrid(context);
    model.layers = fields.sizeOr("num_hidden_layers", 0);
    model.kv_heads = fields.sizeOr("num_key_value_heads", 8);
    model.head_dim = fields.sizeOr("head_dim", fields.sizeOr("attention_head_dim", 128));
    model.ffn_hidden_size = fields.sizeOr("intermediate_size", 21504);
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.position_embedding = PositionEmbedding::none;
    readMamba(context, keys_of_nemotron);
    if (fields.flagOr("mlp_bias", false))
        context.warnings.emplace_back("mlp_bias: the biases of MLPs and experts are not counted");
    const std::vector<LayerForm> layers =
        listedLayers(context, {{"layers_block_type", "layer_types"}, "hybrid_override_pattern", true});
    if (layers.empty())
        fields.fail("the configuration does not say what its layers are; add hybrid_override_pattern");
    if (model.layers == 0) // newer configurations leave it to the list
        model.layers = static_cast<std::int64_t>(layers.size());
    checkCount(context, layers);
    if (std::ranges::any_of(layers, hasExperts))
        readNemotronExperts(context);
    takeLayers(context, layers);
}

void readGraniteHybrid(const ConfigContext& context)
{
    readSizes(context);
    readHybrid(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    const bool has_rope = fields.textOr("position_embedding_type", "") == "rope";
    model.position_embedding = has_rope ? PositionEmbedding::rope : PositionEmbedding::none;
    model.gated_mlp = true;
    readMamba(context, keys_of_bamba);
    checkExpansion(context, keys_of_bamba, "mamba_expand");
    // The MLP of each layer, beside which its experts stand.
    model.ffn_hidden_size = fields.sizeOr("shared_intermediate_size", 1024);
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.experts.count = fields.sizeOr("num_local_experts", 8);
    if (model.experts.count > 0) {
        model.experts.per_token = fields.sizeOr("num_experts_per_tok", 2);
        model.experts.ffn_hidden_size = fields.sizeOr("intermediate_size", 11008);
        readSharedWidth(context, "shared_intermediate_size", 1024, "intermediate_size");
    }
    takeLayersWith(context, model.experts.count > 0 ? LayerForm::experts : LayerForm::mlp);
}

void readBamba(const ConfigContext& context)
{
    readSizes(context);
    readHybrid(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.kv_heads = fields.sizeOr("num_key_value_heads", 8);
    model.ffn_hidden_size = fields.sizeOr("intermediate_size", 14336);
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.position_embedding = PositionEmbedding::rope;
    model.gated_mlp = true;
    readMamba(context, keys_of_bamba);
    checkExpansion(context, keys_of_bamba, "mamba_expand");
    const std::vector<std::int64_t> attention = listedNumbers(context, "attn_layer_indices");
    if (attention.empty() || !context.fields.failure().empty() || !canBeListed(model.layers))
        return takeLayersWith(context, LayerForm::mlp);
    std::vector<LayerForm> layers(static_cast<std::size_t>(model.layers), LayerForm::recurrence_mlp);
    for (const std::int64_t at : attention)
        layers[static_cast<std::size_t>(at)] = LayerForm::attention_mlp;
    takeLayers(context, layers);
}

// Recurrences alone. Sizes of attention that no layer has are those of the recurrences, so that a tensor
// group cuts the one as the other.
void readMamba2(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.layers = fields.size({"num_hidden_layers"});
    model.hidden_size = fields.size({"hidden_size"});
    model.vocab_size = fields.size({"vocab_size"});
    readHybrid(context);
    model.position_embedding = PositionEmbedding::none;
    readMamba(context, keys_of_mamba2);
    checkExpansion(context, keys_of_mamba2, "expand");
    model.attention_heads = model.recurrence.heads;
    model.kv_heads = model.recurrence.heads;
    model.head_dim = model.recurrence.value_dim;
    takeLayers(context, {LayerForm::recurrence});
}

void readQwen3Next(const ConfigContext& context)
{
    readSizes(context);
    readHybrid(context);
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    model.kv_heads = fields.sizeOr("num_key_value_heads", 2);
    model.head_dim = fields.sizeOr("head_dim", 256);
    model.ffn_hidden_size = fields.sizeOr("intermediate_size", 5632);
    model.position_embedding = PositionEmbedding::rope;
    model.gated_mlp = true;
    model.qk_norm = true;
    model.attention_gate = true;
    model.recurrence = {RecurrenceKind::gated_delta_net,
                        fields.sizeOr("linear_num_value_heads", 32),
                        fields.sizeOr("linear_value_head_dim", 128),
                        fields.sizeOr("linear_num_key_heads", 16),
                        fields.sizeOr("linear_key_head_dim", 128),
                        fields.sizeOr("linear_conv_kernel_dim", 4)};
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.experts.count = fields.sizeOr("num_experts", 512);
    if (model.experts.count > 0) {
        model.experts.per_token = fields.sizeOr("num_experts_per_tok", 10);
        model.experts.ffn_hidden_size = fields.sizeOr("moe_intermediate_size", 512);
        readSharedWidth(context, "shared_expert_intermediate_size", 512, "moe_intermediate_size");
        model.experts.shared_gate = model.experts.shared > 0;
    }
    takeLayers(context, layersOfQwen(context));
}

} // namespace shardscope
