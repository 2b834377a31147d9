#include "core/sweep/given_speedups.h"

#include "core/sweep/scaling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace shardscope
{

namespace
{

constexpr std::string_view between_pairs = ",;\n";
constexpr std::string_view within_pair = " \t\r:=";

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(within_pair);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(within_pair) - first + 1);
}

// The whole of `text` as a number above 0; nothing: it is none.
template<class Number>
std::optional<Number> positive(std::string_view text)
{
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc{} || stop != end || !(number > Number{})
        || !std::isfinite(static_cast<double>(number)))
        return std::nullopt;
    return number;
}

std::optional<GivenSpeedup> pairOf(std::string_view text)
{
    const auto cut = text.find_first_of(within_pair);
    if (cut == std::string_view::npos)
        return std::nullopt;
    const auto gpus = positive<std::int64_t>(text.substr(0, cut));
    const auto amount = positive<double>(trimmed(text.substr(cut)));
    if (!gpus || !amount)
        return std::nullopt;
    return GivenSpeedup{*gpus, *amount};
}

// Those points that a speedup was given for.
std::vector<SweepPoint> givenOf(const std::vector<GivenSpeedup>& given, const std::vector<SweepPoint>& points)
{
    std::vector<SweepPoint> both;
    std::ranges::copy_if(points, std::back_inserter(both), [&](const SweepPoint& point) {
        return std::ranges::find(given, point.world_size, &GivenSpeedup::gpus) != given.end();
    });
    return both;
}

} // namespace

Result<std::vector<GivenSpeedup>> readSpeedups(std::string_view text)
{
    std::vector<GivenSpeedup> given;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(between_pairs), text.size());
        const std::string_view part = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (part.empty())
            continue;
        const auto pair = pairOf(part);
        if (!pair)
            return Error{"\"" + std::string{part}
                         + "\" is no number of GPUs with its speedup; write them like 64 7.1, 128 13.4"};
        if (std::ranges::find(given, pair->gpus, &GivenSpeedup::gpus) != given.end())
            return Error{std::to_string(pair->gpus) + " GPUs are given twice; leave one of them out"};
        given.push_back(*pair);
    }
    std::ranges::sort(given, {}, &GivenSpeedup::gpus);
    return given;
}

SpeedupComparisons compareSpeedups(const std::vector<GivenSpeedup>& given,
                                   const std::vector<SweepPoint>& points)
{
    SpeedupComparisons comparisons;
    std::optional<double> base;
    double predicted = 0.0;
    double estimated = 0.0;
    int estimates = 0;
    for (const ScalingPoint& point : scalingOf(givenOf(given, points))) {
        const auto gpus = static_cast<std::int64_t>(point.gpus);
        const double amount = std::ranges::find(given, gpus, &GivenSpeedup::gpus)->amount;
        const bool is_base = !base;
        if (is_base)
            base = amount;
        const double speedup = amount / *base;
        comparisons.rows.push_back({gpus, speedup, point.speedup, point.estimated_speedup});
        if (is_base)
            continue;
        predicted += std::abs(point.speedup / speedup - 1.0);
        if (point.estimated_speedup) {
            estimated += std::abs(*point.estimated_speedup / speedup - 1.0);
            ++estimates;
        }
    }
    if (comparisons.rows.size() > 1)
        comparisons.error_predicted = predicted / static_cast<double>(comparisons.rows.size() - 1);
    if (estimates > 0)
        comparisons.error_estimated = estimated / estimates;
    return comparisons;
}

} // namespace shardscope
