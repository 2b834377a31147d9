#include "core/scenario/megatron/hybrid_pattern.h"

#include "core/scenario/megatron/argument_reading.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

bool isLayer(char letter)
{
    constexpr std::string_view usual = "MG*-E";
    return usual.find(letter) != std::string_view::npos
           || letters_of_other_attention.find(letter) != std::string_view::npos;
}

Error noLayer(char letter)
{
    const bool is_shown = letter > ' ' && letter <= '~';
    return {std::string{"'"} + (is_shown ? letter : '?')
            + "' is no layer there; write M, G, *, - or E for each"};
}

// The decoder's, up to the first slash.
Result<HybridPattern> decoderPattern(std::string_view text)
{
    HybridPattern pattern;
    pattern.segments.push_back(0);
    bool is_open = false;
    for (const char letter : text) {
        const bool opens = letter == '[';
        if ((opens && is_open) || (letter == ']' && !is_open) || (letter == '|' && is_open))
            return Error{"brackets do not close"};
        if (opens || letter == ']') {
            is_open = opens;
            pattern.has_groups = true;
        } else if (letter == '|') {
            pattern.segments.push_back(0);
        } else if (isLayer(letter)) {
            pattern.letters += letter;
            ++pattern.segments.back();
        } else {
            return noLayer(letter);
        }
    }
    if (is_open)
        return Error{"brackets do not close"};
    if (pattern.letters.empty())
        return Error{"no layers are told"};
    return pattern;
}

// Evenly over the letters that are Mamba's so far, of which so many stay between two others.
void spread(std::string& letters, char letter, double between)
{
    double left = between;
    for (char& each : letters) {
        if (each != 'M')
            continue;
        if (left < 0.5) {
            each = letter;
            left += between;
        } else {
            left -= 1.0;
        }
    }
}

} // namespace

Result<HybridPattern> hybridPattern(std::string_view text)
{
    if (std::ssize(text) > most_listed_layers)
        return Error{"more layers are told than models have"};
    const std::size_t slash = text.find('/');
    Result<HybridPattern> pattern = decoderPattern(text.substr(0, slash));
    if (!pattern || slash == std::string_view::npos)
        return pattern;
    std::vector<std::string>& modules = pattern.value().modules;
    modules.emplace_back();
    for (const char letter : text.substr(slash + 1)) {
        if (letter == '/')
            modules.emplace_back();
        else if (isLayer(letter))
            modules.back() += letter;
        else
            return noLayer(letter);
    }
    if (std::ranges::all_of(modules, [](const std::string& one) { return one.empty(); }))
        modules.clear();
    return pattern;
}

std::string_view hybridPatternName(const RunArguments& arguments)
{
    static constexpr std::array<std::string_view, 2> names{"hybrid_layer_pattern", "hybrid_override_pattern"};
    const auto told =
        std::ranges::find_if(names, [&](std::string_view name) { return arguments.text(name).has_value(); });
    return told == names.end() ? std::string_view{} : *told;
}

std::optional<HybridPattern> hybridPattern(const RunArguments& arguments)
{
    const std::string_view name = hybridPatternName(arguments);
    if (name.empty())
        return std::nullopt;
    Result<HybridPattern> pattern = hybridPattern(*arguments.text(name));
    return pattern ? std::optional{std::move(pattern).value()} : std::nullopt;
}

bool isHybrid(const RunArguments& arguments)
{
    const std::string_view spec = arguments.text("spec").value_or("");
    const auto names = [&](std::string_view part) { return spec.find(part) != std::string_view::npos; };
    return !hybridPatternName(arguments).empty() || arguments.isOn("is_hybrid_model")
           || arguments.decimal("hybrid_attention_ratio").value_or(0.0) > 0.0
           || arguments.decimal("hybrid_mlp_ratio").value_or(0.0) > 0.0 || names("mamba_stack_spec")
           || names("hybrid_stack_spec");
}

std::string hybridLetters(std::int64_t layers, double attention, double mlp)
{
    // Halves are rounded to even numbers, as Python does.
    const auto count = [&](double share) { return std::nearbyint(static_cast<double>(layers) * share); };
    std::string letters(static_cast<std::size_t>(layers), 'M');
    const double attentions = count(attention);
    const double others = static_cast<double>(layers) - attentions;
    const double mlps = count(mlp);
    spread(letters, '*', others / (attentions + 1.0));
    if (mlps > 0.0)
        spread(letters, '-', (others - mlps) / mlps);
    return letters;
}

} // namespace shardscope
