#include "core/base/format.h"

#include "core/base/format_alike.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace shardscope
{

namespace
{

// std::to_chars knows no locale; snprintf does, and the window sets the user's.
std::string charsOf(double value, std::chars_format format, int precision)
{
    std::array<char, 512> text{}; // DBL_MAX has 309 digits before its point
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
    return {text.data(), written.ptr};
}

// Four significant digits below ten, three from there on: 1.234, 12.3, 123. What is small is not nothing:
// 0.000488.
std::string digits(double value)
{
    const double size = std::fabs(value);
    const int decimals = size < 10 ? 3 : size < 100 ? 1 : 0;
    if (size > 0.0 && size < 0.01)
        return formatPlain(value, 3);
    return formatTrimmed(value, decimals);
}

template<std::size_t N>
std::string scaled(double value, double step, const std::array<const char*, N>& units)
{
    if (!std::isfinite(value))
        return "–";
    std::size_t unit = 0;
    // 999.6 would print as 1000: step up before that.
    while (std::fabs(value) >= step - 0.5 && unit + 1 < N) {
        value /= step;
        ++unit;
    }
    return digits(value) + units[unit];
}

} // namespace

std::string formatBytes(double bytes)
{
    // A mean may have parts of a byte; nobody sends them.
    const double whole = std::fabs(bytes) < 1024.0 ? std::round(bytes) : bytes;
    return scaled(whole, 1024.0, std::array{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"});
}

std::string formatCount(double count)
{
    return scaled(count, 1000.0, std::array{"", " K", " M", " B", " T", " Q"});
}

std::string formatSeconds(double seconds)
{
    return formatSecondsAlike(seconds, seconds)[1];
}

std::array<std::string, 2> formatSecondsAlike(double low, double high)
{
    struct Unit {
        double from;
        double times;
        double over;
        const char* name;
    };
    constexpr double hour = 3600.0;
    constexpr std::array<Unit, 4> units{{{2.0 * hour, 1.0, hour, " h"},
                                         {0.9995, 1.0, 1.0, " s"},
                                         {0.9995e-3, 1e3, 1.0, " ms"},
                                         {0.9995e-6, 1e6, 1.0, " µs"}}};
    const double size = std::fabs(high);
    const auto found = std::ranges::find_if(units, [&](const Unit& unit) { return size >= unit.from; });
    const Unit unit = found == units.end() ? Unit{0.0, 1e9, 1.0, " ns"} : *found;
    const auto text = [&](double seconds) -> std::string {
        if (!std::isfinite(seconds))
            return "–";
        if (std::fabs(seconds) < 1e-12) // what rounding leaves
            return "0 s";
        return digits(seconds * unit.times / unit.over) + unit.name;
    };
    return {text(low), text(high)};
}

std::string formatNanoseconds(std::int64_t nanoseconds)
{
    return formatSeconds(static_cast<double>(nanoseconds) * 1e-9);
}

std::string formatRatio(double ratio)
{
    if (!std::isfinite(ratio))
        return "–";
    return formatFixed(ratio * 100.0, 1) + " %";
}

std::string formatChange(double change)
{
    constexpr double seen = 0.0005;
    const std::string text = formatRatio(std::fabs(change) < seen ? 0.0 : change);
    return change >= seen && std::isfinite(change) ? "+" + text : text;
}

std::string formatPlain(double value, int significant_digits)
{
    return charsOf(value, std::chars_format::general, significant_digits);
}

std::string formatFixed(double value, int decimals)
{
    return charsOf(value, std::chars_format::fixed, decimals);
}

std::string formatTrimmed(double value, int most_decimals)
{
    std::string text = formatFixed(value, most_decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

std::string formatGrouped(std::int64_t value)
{
    std::string text = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t place = text.size(); place > first + 3; place -= 3)
        text.insert(place - 3, " ");
    return text;
}

std::string countedSentence(std::int64_t count, std::string_view one, std::string_view several)
{
    if (count == 1)
        return std::string{one};
    std::string sentence{several};
    if (const std::size_t place = sentence.find('#'); place != std::string::npos)
        sentence.replace(place, 1, formatGrouped(count));
    return sentence;
}

} // namespace shardscope
