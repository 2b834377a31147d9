#include "app/cli/resizing_argument.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

namespace shardscope
{

namespace
{

constexpr double most_times = 1e6; // from a toy to what nobody trains; further off, no time says anything

std::optional<double> timesOf(std::string_view text)
{
    double times = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), times);
    const bool is_read = error == std::errc{} && end == text.data() + text.size();
    return is_read && times >= 1.0 / most_times && times <= most_times ? std::optional{times} : std::nullopt;
}

double* figureOf(std::string_view part, Resizing& resizing)
{
    return part.starts_with("h=")   ? &resizing.hidden
           : part.starts_with("s=") ? &resizing.sequence
           : part.starts_with("b=") ? &resizing.batch
                                    : nullptr;
}

} // namespace

Result<Resizing> parseResizing(std::string_view text)
{
    Resizing resizing;
    std::set<const double*> named;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        double* const figure = figureOf(part, resizing);
        const std::optional<double> times = figure ? timesOf(part.substr(2)) : std::nullopt;
        if (!times)
            return Error{"\"" + std::string{part}
                         + "\": how many times the measured h, s or b, from 0.000001 to 1000000, as in "
                           "h=2,s=1.5,b=4"};
        if (!named.insert(figure).second)
            return Error{"\"" + std::string{part} + "\": " + part.front() + " is named twice"};
        *figure = *times;
        begin = end + 1;
    }
    return resizing;
}

} // namespace shardscope
