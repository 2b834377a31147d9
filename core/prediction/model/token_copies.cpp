#include "core/prediction/model/token_copies.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shardscope
{

namespace
{

// That `drawn` of `all`, none twice, meet none of `marked`.
double chanceOfMissing(std::int64_t all, std::int64_t marked, std::int64_t drawn)
{
    double chance = 1.0;
    for (std::int64_t i = 0; i < drawn; ++i)
        chance *=
            static_cast<double>(std::max<std::int64_t>(0, all - marked - i)) / static_cast<double>(all - i);
    return chance;
}

// That of `drawn` of `all`, none twice, exactly `met` are among `marked`.
double chanceOfMeeting(std::int64_t all, std::int64_t marked, std::int64_t drawn, std::int64_t met)
{
    const auto logOfChoices = [](std::int64_t of, std::int64_t chosen) {
        return std::lgamma(static_cast<double>(of + 1)) - std::lgamma(static_cast<double>(chosen + 1))
               - std::lgamma(static_cast<double>(of - chosen + 1));
    };
    if (met > marked || drawn - met > all - marked)
        return 0.0;
    return std::exp(logOfChoices(marked, met) + logOfChoices(all - marked, drawn - met)
                    - logOfChoices(all, drawn));
}

// That a part of so many experts holds one of the `chosen` of a token.
double chanceOfPart(const Experts& experts, std::int64_t part, std::int64_t chosen)
{
    const std::int64_t group = experts.count / experts.groups;
    const std::int64_t open = group * experts.groups_per_token; // experts that a token may choose from
    if (part <= group)
        return static_cast<double>(experts.groups_per_token) / static_cast<double>(experts.groups)
               * (1.0 - chanceOfMissing(open, part, chosen));
    const std::int64_t groups = part / group;
    double chance = 0.0;
    for (std::int64_t met = 1; met <= std::min(groups, experts.groups_per_token); ++met)
        chance += chanceOfMeeting(experts.groups, groups, experts.groups_per_token, met)
                  * (1.0 - chanceOfMissing(open, met * group, chosen));
    return chance;
}

} // namespace

double partsOfToken(const Experts& experts, std::int64_t parts)
{
    assert(parts > 0 && experts.count % parts == 0);
    const std::int64_t part = experts.count / parts;
    const double several = static_cast<double>(parts) * chanceOfPart(experts, part, experts.per_token);
    return several - experts.single_choice * (several - 1.0);
}

} // namespace shardscope
