#include "core/scenario/validation/validation.h"

#include "core/base/format.h"
#include "core/scenario/validation/findings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace shardscope
{

namespace
{

// "inter_node.latency_us" of "cluster.inter_node.latency_us": the section goes without saying.
std::string_view withoutSection(std::string_view field)
{
    const auto dot = field.find('.');
    return dot == std::string_view::npos ? field : field.substr(dot + 1);
}

std::vector<std::int64_t> divisorsOf(std::int64_t number)
{
    std::vector<std::int64_t> divisors;
    for (std::int64_t small = 1; small * small <= number; ++small) {
        if (number % small != 0)
            continue;
        divisors.push_back(small);
        if (small * small != number)
            divisors.push_back(number / small);
    }
    return divisors;
}

} // namespace

std::string named(std::string_view field, std::int64_t value)
{
    return std::string{withoutSection(field)} + " (" + std::to_string(value) + ")";
}

std::string divisorsNear(std::int64_t number, std::int64_t wish,
                         const std::function<bool(std::int64_t)>& allows, std::size_t most)
{
    std::vector<std::int64_t> divisors = divisorsOf(number);
    if (allows)
        std::erase_if(divisors, [&](std::int64_t divisor) { return !allows(divisor); });
    const auto unlikeness = [&](std::int64_t divisor) {
        return std::fabs(std::log(static_cast<double>(divisor) / static_cast<double>(wish)));
    };
    std::ranges::sort(divisors, {}, unlikeness);
    divisors.resize(std::min(divisors.size(), most));
    std::ranges::sort(divisors);
    std::string text;
    for (const std::int64_t divisor : divisors) {
        if (!text.empty())
            text += divisor == divisors.back() ? " or " : ", ";
        text += std::to_string(divisor);
    }
    return text;
}

void Findings::addOutside(std::string_view field, const std::string& value, std::string allowed)
{
    add(field, std::string{withoutSection(field)} + " is " + value + "; choose " + allowed);
    m_problems.back().allowed = std::move(allowed);
}

void Findings::addRange(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most)
{
    addOutside(field, std::to_string(value), formatGrouped(least) + " to " + formatGrouped(most));
}

void Findings::addRange(std::string_view field, double value, double least, double most)
{
    addOutside(field, formatPlain(value, 6), formatPlain(least, 6) + " to " + formatPlain(most, 6));
}

void Findings::addDivisors(std::string_view field, std::int64_t divisor, std::string_view dividend_name,
                           std::int64_t dividend, const std::function<bool(std::int64_t)>& allows)
{
    constexpr std::size_t most = 9;
    add(field, named(field, divisor) + " does not divide " + std::string{dividend_name} + " ("
                   + std::to_string(dividend) + "); choose " + divisorsNear(dividend, divisor, allows, most));
}

std::vector<Problem> validate(const Scenario& scenario)
{
    Findings findings;
    checkRanges(scenario, findings);
    checkLaws(scenario, findings);
    if (findings.empty())
        checkProducts(scenario, findings);
    if (findings.empty())
        checkRelations(scenario, findings);
    return findings.take();
}

} // namespace shardscope
