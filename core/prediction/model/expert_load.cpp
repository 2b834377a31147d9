#include "core/prediction/model/expert_load.h"

#include "core/prediction/model/expert_routing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace shardscope
{

namespace
{

// Rounds to whole tokens, the largest remainders up, so that none is lost.
std::vector<std::int64_t> wholeTokens(const std::vector<double>& shares, std::int64_t tokens)
{
    std::vector<std::int64_t> whole(shares.size());
    std::vector<std::size_t> order(shares.size());
    std::vector<double> remainder(shares.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::int64_t left = tokens;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double exact = shares[i] * static_cast<double>(tokens);
        whole[i] = static_cast<std::int64_t>(std::floor(exact));
        remainder[i] = exact - std::floor(exact);
        left -= whole[i];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
    for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left)
        ++whole[order[i]];
    return whole;
}

std::vector<double> loadsOf(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    const Experts& experts = scenario.model.experts;
    const auto places = static_cast<std::size_t>(scenario.parallel.expert);
    if (places < 2 || experts.skew <= 0.0 || experts.capacity_factor > 0.0)
        return {};
    const std::vector<double> shares = expertShares(experts);
    const std::size_t held = shares.size() / places;
    std::vector<double> loads(places, 0.0);
    for (std::size_t j = 0; j < shares.size(); ++j)
        loads[j / held] += shares[j];
    const std::int64_t slots = ExpertRouting{figures}.slots;
    const std::vector<std::int64_t> received = wholeTokens(loads, slots * scenario.parallel.expert);
    for (std::size_t place = 0; place < places; ++place)
        loads[place] = static_cast<double>(received[place]) / static_cast<double>(slots);
    return loads;
}

} // namespace

std::vector<double> expertShares(const Experts& experts)
{
    std::vector<double> shares(static_cast<std::size_t>(experts.count));
    for (std::size_t j = 0; j < shares.size(); ++j)
        shares[j] = std::pow(static_cast<double>(j + 1), -experts.skew);
    // What exceeds the limit goes to the others; the first ones are the fullest.
    const double limit = 1.0 / choicesPerToken(experts);
    double left = 1.0;
    double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) {
        const double part = std::min(limit, left * share / sum);
        sum -= share;
        left -= part;
        share = part;
    }
    return shares;
}

std::vector<double> expertLoads(const Scenario& scenario)
{
    return loadsOf(IterationFigures{scenario});
}

double busiestLoad(const IterationFigures& figures)
{
    const std::vector<double> loads = loadsOf(figures);
    return loads.empty() ? 1.0 : std::ranges::max(loads);
}

bool followsLoad(const Scenario& scenario, const Message& message)
{
    if (message.kind == Kind::tp)
        return message.part == ModelPart::experts && scenario.parallel.sequence_parallel
               && !scenario.parallel.holdsExpertsWhole();
    if (message.kind != Kind::ep)
        return false;
    return message.part == (message.phase == Phase::backward ? ModelPart::dispatch : ModelPart::combine);
}

} // namespace shardscope
