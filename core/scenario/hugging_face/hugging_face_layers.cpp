// What the layers of hybrid models are made of, as configurations list them.
#include "core/scenario/hugging_face/hugging_face_layers.h"

#include "core/scenario/json_text.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <cstddef>
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

// The shortest begin of the layers that all of them repeat, twice at least; else all of them. A begin that is
// also their end tells how far they repeat (Knuth, Morris, Pratt): lists of a hostile file may be long.
std::size_t shortestPeriod(const std::vector<LayerForm>& layers)
{
    std::vector<std::size_t> borders(layers.size());
    for (std::size_t at = 1; at < layers.size(); ++at) {
        std::size_t border = borders[at - 1];
        while (border > 0 && layers[border] != layers[at])
            border = borders[border - 1];
        borders[at] = border + (layers[border] == layers[at] ? 1 : 0);
    }
    const std::size_t period = layers.empty() ? 0 : layers.size() - borders.back();
    return 2 * period <= layers.size() ? period : layers.size();
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
    model.layer_pattern.assign(layers.begin(),
                               layers.begin() + static_cast<std::ptrdiff_t>(shortestPeriod(layers)));
    if (std::ranges::none_of(layers, hasRecurrence))
        model.recurrence = {};
    const LayerForm usual = model.experts.count > 0 ? LayerForm::attention_experts : LayerForm::attention_mlp;
    if (model.layer_pattern == std::vector{usual})
        model.layer_pattern.clear();
}

} // namespace shardscope
