#include "core/scenario/gpu_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>
#include <string>

namespace shardscope
{

namespace
{

std::optional<std::string> firstMatch(std::string_view name, const std::regex& wanted)
{
    std::match_results<std::string_view::const_iterator> found;
    if (!std::regex_search(name.begin(), name.end(), found, wanted))
        return std::nullopt;
    return found.str(1);
}

// "NVL72" is a rack, "NVL" a card.
std::string formOf(std::string_view gpu)
{
    static const std::regex form{"(SXM|PCIE|NVL(?![A-Z0-9]))", std::regex::icase};
    std::string found = firstMatch(gpu, form).value_or("");
    std::ranges::transform(found, found.begin(), [](unsigned char letter) { return std::toupper(letter); });
    return found;
}

} // namespace

std::optional<double> memoryInName(std::string_view gpu)
{
    static const std::regex gigabytes{"(?:^|[^A-Z0-9])(\\d{1,4}) ?GB?(?![A-Z0-9])", std::regex::icase};
    const std::string digits = firstMatch(gpu, gigabytes).value_or("");
    int memory_GB = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), memory_GB);
    // "GH200 480GB" is what its driver says: the processor's memory.
    const bool is_of_processor = gpu.find("GH200") != std::string_view::npos
                                 && (memory_GB == 120 || memory_GB == 240 || memory_GB == 480);
    return memory_GB > 0 && !is_of_processor ? std::optional<double>{memory_GB} : std::nullopt;
}

bool isOtherForm(std::string_view gpu, std::string_view other)
{
    const std::string form = formOf(gpu);
    const std::string other_form = formOf(other);
    return !form.empty() && !other_form.empty() && form != other_form;
}

} // namespace shardscope
