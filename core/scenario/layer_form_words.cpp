#include "core/scenario/layer_form_words.h"

#include "core/scenario/words.h"

namespace shardscope
{

namespace
{

std::vector<std::string> wordsIn(std::string_view text)
{
    std::vector<std::string> words(1);
    bool is_separated = false;
    for (char letter : text) {
        if (letter == ' ' || letter == ',') {
            is_separated = true;
            if (!words.back().empty())
                words.emplace_back();
            continue;
        }
        words.back() += letter == 'G' ? 'M' : letter;
    }
    if (words.back().empty())
        words.pop_back();
    if (is_separated || words.empty() || words.front().size() < 3)
        return words;
    std::vector<std::string> letters;
    for (const char letter : words.front())
        letters.emplace_back(1, letter);
    return letters;
}

} // namespace

std::string_view layerFormWords(LayerForm form)
{
    switch (form) {
    case LayerForm::attention_mlp:
        break;
    case LayerForm::attention_experts:
        return "attention and experts";
    case LayerForm::recurrence_mlp:
        return "recurrence and MLP";
    case LayerForm::recurrence_experts:
        return "recurrence and experts";
    case LayerForm::attention:
        return "attention alone";
    case LayerForm::recurrence:
        return "recurrence alone";
    case LayerForm::mlp:
        return "MLP alone";
    case LayerForm::experts:
        return "experts alone";
    }
    return "attention and MLP";
}

std::string layerPatternText(const std::vector<LayerForm>& pattern)
{
    std::string text;
    for (const LayerForm form : pattern)
        text += (text.empty() ? "" : " ") + std::string{word(form)};
    return text;
}

std::optional<std::vector<LayerForm>> layerPattern(std::string_view text)
{
    std::vector<LayerForm> pattern;
    for (const std::string& each : wordsIn(text)) {
        const auto form = fromWord<LayerForm>(each);
        if (!form)
            return std::nullopt;
        pattern.push_back(*form);
    }
    return pattern;
}

} // namespace shardscope
