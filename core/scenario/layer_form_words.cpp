#include "core/scenario/layer_form_words.h"

#include "core/scenario/words.h"

#include <algorithm>
#include <cstddef>

namespace shardscope
{

namespace
{

constexpr std::string_view separators = " ,\t\r\n";

std::vector<std::string> wordsIn(std::string_view text)
{
    std::vector<std::string> words;
    for (std::size_t begin = 0;
         (begin = text.find_first_not_of(separators, begin)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        std::ranges::replace(words.back(), 'G', 'M');
        begin = end;
    }
    const bool are_letters = words.size() == 1 && words.front().size() > 2;
    if (!are_letters)
        return words;
    std::vector<std::string> letters;
    for (const char letter : words.front())
        letters.emplace_back(1, letter);
    return letters;
}

std::string excerptOf(const std::string& word)
{
    constexpr std::size_t most = 12;
    return word.size() > most ? word.substr(0, most) + "..." : word;
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

Result<std::vector<LayerForm>> layerPattern(std::string_view text)
{
    std::vector<LayerForm> pattern;
    for (const std::string& each : wordsIn(text)) {
        const auto form = fromWord<LayerForm>(each);
        if (!form)
            return Error{'"' + excerptOf(each) + "\", word " + std::to_string(pattern.size() + 1)
                         + ", is no layer; " + std::string{layer_pattern_advice}};
        pattern.push_back(*form);
    }
    return pattern;
}

// Knuth, Morris & Pratt's table: of each beginning, how much of its end begins the pattern as well. In linear
// time, since lists of a hostile file may be long.
std::vector<LayerForm> shortestPattern(std::vector<LayerForm> layers)
{
    std::vector<std::size_t> begun(layers.size(), 0);
    for (std::size_t at = 1; at < layers.size(); ++at) {
        std::size_t length = begun[at - 1];
        while (length > 0 && layers[at] != layers[length])
            length = begun[length - 1];
        begun[at] = length + (layers[at] == layers[length] ? 1 : 0);
    }
    const std::size_t period = layers.empty() ? 0 : layers.size() - begun.back();
    if (2 * period <= layers.size())
        layers.resize(period);
    return layers;
}

} // namespace shardscope
