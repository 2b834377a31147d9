#include "core/scenario/gpu_name.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace shardscope
{

namespace
{

bool isLetter(char character)
{
    return std::isalpha(static_cast<unsigned char>(character)) != 0;
}

bool isDigit(char character)
{
    return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

std::string inCapitals(std::string_view text)
{
    std::string capitals{text};
    std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                   [](unsigned char one) { return static_cast<char>(std::toupper(one)); });
    return capitals;
}

// "NVL72" is a rack, "NVL" a card.
std::string_view formOf(const std::string& capitals)
{
    for (const std::string_view form : {"SXM", "PCIE"})
        if (capitals.find(form) != std::string::npos)
            return form;
    const std::size_t card = capitals.find("NVL");
    const bool is_card =
        card != std::string::npos
        && (card + 3 == capitals.size() || !std::isalnum(static_cast<unsigned char>(capitals[card + 3])));
    return is_card ? "NVL" : "";
}

} // namespace

std::optional<double> memoryInName(std::string_view gpu)
{
    const std::string name = inCapitals(gpu) + ' ';
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (!isDigit(name[at]) || (at > 0 && isDigit(name[at - 1])))
            continue;
        std::size_t end = at;
        int number = 0;
        for (; isDigit(name[end]) && end - at < 4; ++end)
            number = 10 * number + (name[end] - '0');
        if (name[end] == ' ')
            ++end;
        if (end >= name.size() || name[end] != 'G')
            continue;
        end += name[end + 1] == 'B' ? 2 : 1;
        if (number > 0 && !isLetter(name[end]) && !isDigit(name[end]))
            return number;
    }
    return std::nullopt;
}

bool isOtherForm(std::string_view gpu, std::string_view other)
{
    const std::string capitals = inCapitals(gpu);
    const std::string other_capitals = inCapitals(other);
    const std::string_view form = formOf(capitals);
    const std::string_view other_form = formOf(other_capitals);
    return !form.empty() && !other_form.empty() && form != other_form;
}

} // namespace shardscope
