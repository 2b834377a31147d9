#include "core/scenario/section_reader.h"

#include "core/scenario/defaults.h"
#include "core/scenario/json_text.h"
#include "core/scenario/model_sizes.h"
#include "core/scenario/nearest_key.h"

#include <optional>

namespace shardscope
{

namespace
{

std::int64_t headsWithoutPreset(const Model& model, const ObjectReader& given)
{
    const bool by_head_dim =
        given.has("head_dim") && model.head_dim > 0 && model.hidden_size % model.head_dim == 0;
    return by_head_dim ? model.hidden_size / model.head_dim : defaultAttentionHeads(model.hidden_size);
}

std::optional<std::int64_t> ownSize(const ObjectReader& given, std::string_view key, std::int64_t size)
{
    return given.has(key) ? std::optional{size} : std::nullopt;
}

// The sizes that the file gives; heads that do not make its hidden size need their width.
OwnSizes ownSizes(const Model& model, const Model& base, ObjectReader& given, const nlohmann::json& object)
{
    const auto experts = object.find("experts");
    const bool has_expert_width = experts != object.end() && experts->contains("ffn_hidden_size");
    const OwnSizes own{ownSize(given, "kv_heads", model.kv_heads), ownSize(given, "head_dim", model.head_dim),
                       ownSize(given, "ffn_hidden_size", model.ffn_hidden_size),
                       has_expert_width ? std::optional{model.experts.ffn_hidden_size} : std::nullopt};
    const bool is_other =
        model.hidden_size != base.hidden_size || model.attention_heads != base.attention_heads;
    if (!own.head_dim && headDimFollows(base) && is_other && model.attention_heads > 0
        && model.hidden_size % model.attention_heads != 0)
        given.fail("attention_heads", "(" + std::to_string(model.attention_heads)
                                          + ") does not divide hidden_size ("
                                          + std::to_string(model.hidden_size)
                                          + "); choose a number of heads that does, or give head_dim");
    return own;
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

    if (preset == nullptr && !reader.has("attention_heads"))
        model.attention_heads = headsWithoutPreset(model, reader);
    deriveSizes(model, base, ownSizes(model, base, reader, object));
    return model;
}

} // namespace shardscope
