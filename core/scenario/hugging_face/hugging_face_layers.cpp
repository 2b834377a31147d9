// What the layers of hybrid models are made of, as configurations list them.
#include "core/scenario/hugging_face/hugging_face_layers.h"

#include "core/scenario/json_text.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <optional>

namespace shardscope
{

namespace
{

using nlohmann::json;

// As transformers has named them over time.
struct LayerWord {
    std::string_view word;
    LayerForm form;
};
constexpr std::array layer_words{
    LayerWord{"attention", LayerForm::attention},
    LayerWord{"full_attention", LayerForm::attention},
    LayerWord{"mamba", LayerForm::recurrence},
    LayerWord{"linear_attention", LayerForm::recurrence},
    LayerWord{"mlp", LayerForm::mlp},
    LayerWord{"moe", LayerForm::experts},
};

std::optional<LayerForm> formOf(const json& word, bool one_block)
{
    if (!word.is_string())
        return std::nullopt;
    const auto found = std::ranges::find(layer_words, word.get_ref<const std::string&>(), &LayerWord::word);
    if (found == layer_words.end()
        || (!one_block && !hasAttention(found->form) && !hasRecurrence(found->form)))
        return std::nullopt;
    return found->form;
}

std::vector<LayerForm> layersOfWords(const ConfigContext& context, std::string_view key, bool one_block)
{
    const json& list = *context.fields.object().find(key);
    if (!list.is_array()) {
        context.fields.fail(std::string{key} + " is " + excerpt(list) + "; it must be a list");
        return {};
    }
    std::vector<LayerForm> layers;
    for (const json& word : list) {
        const auto form = formOf(word, one_block);
        if (!form) {
            context.fields.fail(std::string{key} + " has " + excerpt(word)
                                + "; known are attention (full_attention) and mamba (linear_attention)"
                                + (one_block ? ", mlp and moe" : ""));
            return {};
        }
        layers.push_back(*form);
    }
    return layers;
}

std::vector<LayerForm> layersOfLetters(const ConfigContext& context, std::string_view key)
{
    std::vector<LayerForm> layers;
    for (const char letter : context.fields.textOr(key, "")) {
        const auto form = fromWord<LayerForm>(std::string_view{&letter, 1});
        if (!form) {
            context.fields.fail(std::string{key} + " has " + excerpt(json(std::string{letter}))
                                + "; its letters are M, *, - and E");
            return {};
        }
        layers.push_back(*form);
    }
    return layers;
}

} // namespace

std::vector<LayerForm> listedLayers(const ConfigContext& context, const LayerKeys& keys)
{
    for (const std::string_view key : keys.lists)
        if (context.fields.has(key))
            return layersOfWords(context, key, keys.one_block);
    return keys.letters.empty() ? std::vector<LayerForm>{} : layersOfLetters(context, keys.letters);
}

std::vector<std::int64_t> listedNumbers(const ConfigContext& context, std::string_view key)
{
    ModelConfigFields& fields = context.fields;
    std::vector<std::int64_t> numbers;
    if (!fields.has(key))
        return numbers;
    const json& list = *fields.object().find(key);
    if (!list.is_array())
        fields.fail(std::string{key} + " is " + excerpt(list) + "; it must be a list");
    for (const json& number : list.is_array() ? list : json::array()) {
        const std::int64_t layer = number.is_number_integer() ? number.get<std::int64_t>() : -1;
        if (layer < 0 || layer >= context.model.layers)
            fields.fail(std::string{key} + " has " + excerpt(number) + ", and there are "
                        + std::to_string(context.model.layers) + " layers, counted from 0 on");
        numbers.push_back(layer);
    }
    return numbers;
}

bool canBeListed(std::int64_t layers)
{
    constexpr std::int64_t most = 10'000; // of a valid model
    return layers > 0 && layers <= most;
}

LayerForm layerOf(LayerForm first, LayerForm second)
{
    if (hasAttention(first))
        return hasExperts(second) ? LayerForm::attention_experts : LayerForm::attention_mlp;
    return hasExperts(second) ? LayerForm::recurrence_experts : LayerForm::recurrence_mlp;
}

void takeLayers(const ConfigContext& context, const std::vector<LayerForm>& layers)
{
    Model& model = context.model;
    model.layer_pattern = shortestPattern(layers);
    if (std::ranges::none_of(layers, hasRecurrence))
        model.recurrence = {};
    const LayerForm usual = model.experts.count > 0 ? LayerForm::attention_experts : LayerForm::attention_mlp;
    if (model.layer_pattern == std::vector{usual})
        model.layer_pattern.clear();
}

} // namespace shardscope
