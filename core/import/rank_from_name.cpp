#include "core/import/rank_from_name.h"

#include "core/base/lower_case.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <string>

namespace shardscope
{

namespace
{

bool isDigit(char letter)
{
    return letter >= '0' && letter <= '9';
}

// A folder's name up to the digits at its end; those of an archive stand before its endings.
std::string_view upToDigits(std::string_view name)
{
    for (const std::string_view ending : {".zst", ".gz", ".tgz", ".tar"}) {
        if (name.ends_with(ending))
            name.remove_suffix(ending.size());
    }
    if (name.ends_with(']'))
        name.remove_suffix(1);
    return name;
}

std::optional<std::int64_t> numberBehind(std::string_view name, std::string_view word)
{
    std::optional<std::int64_t> last;
    for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        std::size_t begin = at + word.size();
        if (begin < name.size() && (name[begin] == '-' || name[begin] == '_' || name[begin] == '['))
            ++begin;
        std::size_t end = begin;
        while (end < name.size() && isDigit(name[end]))
            ++end;
        if (const auto number = wholeNumber(name.substr(begin, end - begin)))
            last = number;
    }
    return last;
}

// The name in words joined by dashes, one before the first; "tp_rank_1" is "tp-1": a place on an axis.
std::string wordsOf(std::string_view name)
{
    std::string words = "-" + inLowerCase(name);
    std::ranges::replace_if(
        words, [](char letter) { return letter == '_' || letter == '.'; }, '-');
    for (const std::string_view axis : {"-tp", "-cp", "-dp", "-pp"}) {
        const std::string of_axis = std::string(axis) + "-rank";
        for (std::size_t at = words.find(of_axis); at != std::string::npos; at = words.find(of_axis))
            words.replace(at, of_axis.size(), axis);
    }
    return words;
}

} // namespace

std::optional<std::int64_t> rankFromName(std::string_view file_name)
{
    const std::string lower = placeFromName(file_name) ? wordsOf(file_name) : inLowerCase(file_name);
    const auto rank = numberBehind(lower, "rank");
    return rank ? rank : numberBehind(lower, "worker");
}

std::optional<LayoutPlace> placeFromName(std::string_view file_name)
{
    constexpr std::int64_t longest_axis = std::int64_t{1} << 15; // beyond are other numbers
    const std::string words = wordsOf(file_name);
    LayoutPlace place;
    int told = 0;
    const auto take = [&](std::string_view axis, std::int64_t& position) {
        const auto number = numberBehind(words, axis);
        if (!number || *number >= longest_axis)
            return;
        position = *number;
        place.names_first = place.names_first || position == 0;
        ++told;
    };
    take("-tp", place.tensor);
    take("-cp", place.context);
    take("-dp", place.data);
    take("-pp", place.pipeline);
    return told >= 2 ? std::optional(place) : std::nullopt;
}

std::optional<std::int64_t> rankFromFolders(const std::filesystem::path& file)
{
    for (auto folder = file.parent_path(); folder.has_filename(); folder = folder.parent_path()) {
        const std::string lower = inLowerCase(folder.filename().string());
        const std::string_view name = upToDigits(lower);
        std::size_t word = name.find_last_not_of("0123456789");
        if (word == std::string_view::npos || word + 1 == name.size())
            continue;
        const auto number = wholeNumber(name.substr(word + 1));
        if (name[word] == '-' || name[word] == '_' || name[word] == '[')
            --word; // npos where there is nothing before
        const std::string_view before = name.substr(0, word + 1);
        if (number && (before.ends_with("rank") || before.ends_with("worker")))
            return number;
    }
    return std::nullopt;
}

std::optional<std::int64_t> rankAtEnd(std::string_view file_name)
{
    std::size_t begin = file_name.size();
    while (begin > 0 && isDigit(file_name[begin - 1]))
        --begin;
    return wholeNumber(file_name.substr(begin));
}

std::optional<std::int64_t> rankBeforeEndings(std::string_view file_name)
{
    if (placeFromName(file_name))
        return std::nullopt;
    for (std::size_t dot = file_name.rfind('.'); dot != std::string_view::npos; dot = file_name.rfind('.')) {
        const std::string_view ending = file_name.substr(dot + 1);
        if (!ending.empty() && std::ranges::all_of(ending, isDigit))
            break;
        file_name = file_name.substr(0, dot);
    }
    const std::size_t last = file_name.find_last_not_of("0123456789");
    const bool has_separator = last != std::string_view::npos
                               && std::string_view("._-").find(file_name[last]) != std::string_view::npos;
    return has_separator ? wholeNumber(file_name.substr(last + 1)) : std::nullopt;
}

} // namespace shardscope
