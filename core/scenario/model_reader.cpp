#include "core/scenario/section_reader.h"

#include "core/scenario/defaults.h"
#include "core/scenario/json_text.h"
#include "core/scenario/nearest_key.h"

namespace shardscope
{

namespace
{

// Sizes up to here can be multiplied by one another; what is larger is refused by validate() and derives
// nothing.
constexpr std::int64_t derivable = 1'000'000'000;

bool isDerivable(std::int64_t size)
{
    return size > 0 && size <= derivable;
}

void deriveHeads(Model& model, const Model& base, bool has_preset, const ObjectReader& given)
{
    if (!given.has("attention_heads") && !has_preset) {
        const bool by_head_dim =
            given.has("head_dim") && model.head_dim > 0 && model.hidden_size % model.head_dim == 0;
        model.attention_heads =
            by_head_dim ? model.hidden_size / model.head_dim : defaultAttentionHeads(model.hidden_size);
    }
    if (!given.has("kv_heads")) {
        const bool grouped = has_preset && base.kv_heads != base.attention_heads && base.kv_heads > 0;
        const bool keeps = grouped && model.attention_heads % base.kv_heads == 0;
        model.kv_heads = keeps ? base.kv_heads : model.attention_heads;
    }
}

void deriveHeadDim(Model& model, const Model& base, bool has_preset, const ObjectReader& given,
                   std::string& failure, const std::string& path)
{
    const bool own_width = has_preset && base.head_dim * base.attention_heads != base.hidden_size;
    const bool unchanged =
        model.hidden_size == base.hidden_size && model.attention_heads == base.attention_heads;
    if (given.has("head_dim") || own_width || (has_preset && unchanged) || model.attention_heads < 1)
        return;
    if (model.hidden_size % model.attention_heads != 0 && failure.empty())
        failure = path + ".attention_heads (" + std::to_string(model.attention_heads)
                  + ") does not divide hidden_size (" + std::to_string(model.hidden_size)
                  + "); choose a number of heads that does, or give head_dim";
    model.head_dim = model.hidden_size / model.attention_heads;
}

void deriveWidths(Model& model, const Model& base, bool has_preset, const ObjectReader& given,
                  bool has_expert_width)
{
    if (!given.has("ffn_hidden_size") && isDerivable(model.hidden_size)) {
        const bool scales = has_preset && isDerivable(base.hidden_size) && isDerivable(base.ffn_hidden_size);
        model.ffn_hidden_size =
            scales ? (base.ffn_hidden_size * model.hidden_size + base.hidden_size / 2) / base.hidden_size
                   : 4 * model.hidden_size;
    }
    const bool follows_mlp =
        !has_preset || base.experts.count == 0 || base.experts.ffn_hidden_size == base.ffn_hidden_size;
    if (!has_expert_width && follows_mlp)
        model.experts.ffn_hidden_size = model.ffn_hidden_size;
}

const ModelPreset* namedPreset(ObjectReader& reader, const Presets& presets)
{
    std::string name;
    reader("preset", name);
    if (name.empty())
        return nullptr;
    if (const ModelPreset* preset = presets.model(name))
        return preset;
    std::vector<std::string> names;
    for (const ModelPreset& preset : presets.models())
        names.push_back(preset.name);
    const std::string nearest = nearestWord(name, names);
    reader.fail("preset",
                "is " + excerpt(name)
                    + (nearest.empty() ? ", but there are no presets; leave it out"
                                       : ", which is not a known model; the nearest one is " + nearest));
    return nullptr;
}

} // namespace

Model readModel(const nlohmann::json& object, const std::string& path, const Presets& presets,
                std::string& failure)
{
    ObjectReader reader{object, path, failure};
    const ModelPreset* preset = namedPreset(reader, presets);
    const Model base = preset == nullptr ? Model{} : preset->model;
    Model model = base;
    model.preset.clear();
    Fields<Model>::visit(reader, model);
    reader.refuseUnknownKeys();
    if (!failure.empty())
        return model;

    const auto experts = object.find("experts");
    const bool has_expert_width = experts != object.end() && experts->contains("ffn_hidden_size");
    deriveHeads(model, base, preset != nullptr, reader);
    deriveHeadDim(model, base, preset != nullptr, reader, failure, path);
    deriveWidths(model, base, preset != nullptr, reader, has_expert_width);
    return model;
}

} // namespace shardscope
