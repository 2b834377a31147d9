#include "core/prediction/messages/forwarded_rows.h"

#include "core/prediction/model/expert_load.h"
#include "core/prediction/model/token_copies.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/scenario/scale_up_domain.h"

#include <numeric>

namespace shardscope
{

std::optional<ForwardedRows> ForwardedRows::of(const Scenario& scenario)
{
    const std::int64_t members = scenario.parallel.expert;
    if (scenario.conventions.token_dispatcher != TokenDispatcher::deepep || members < 2)
        return std::nullopt;
    const RankLayout layout{scenario.parallel};
    const std::int64_t domain = scaleUpDomain(scenario.cluster, layout.worldSize());
    const std::int64_t per_node = layout.membersBelow(Kind::ep, domain);
    // Groups that lie on nodes in unlike ways are taken to send straight.
    if (!layout.fillsBlocksAlike(domain) || per_node < 1 || per_node >= members || members % per_node != 0)
        return std::nullopt;
    const Experts& experts = scenario.model.experts;
    ForwardedRows rows;
    rows.m_per_node = static_cast<std::size_t>(per_node);
    rows.m_nodes = static_cast<std::size_t>(members / per_node);
    rows.m_node_rows = partsOfToken(experts, members / per_node) / partsOfToken(experts, members);
    rows.m_loads = expertLoads(scenario);
    return rows;
}

double ForwardedRows::toNode(std::size_t node) const
{
    double mean = 1.0;
    if (!m_loads.empty()) {
        const auto first = m_loads.begin() + static_cast<std::ptrdiff_t>(node * m_per_node);
        mean = std::accumulate(first, first + static_cast<std::ptrdiff_t>(m_per_node), 0.0)
               / static_cast<double>(m_per_node);
    }
    return m_node_rows * mean / static_cast<double>(m_nodes);
}

double ForwardedRows::sent(std::size_t own) const
{
    double share = 0.0;
    for (std::size_t node = 0; node < m_nodes; ++node)
        share += node == nodeOf(own) ? 0.0 : toNode(node);
    const std::size_t first = nodeOf(own) * m_per_node;
    for (std::size_t member = first; member < first + m_per_node; ++member)
        share += member == own ? 0.0 : toMember(member);
    return share;
}

double ForwardedRows::meanSent() const
{
    const auto others = [](std::size_t of) { return 1.0 - 1.0 / static_cast<double>(of); };
    return m_node_rows * others(m_nodes) + others(m_per_node);
}

double ForwardedRows::sentBack(std::size_t own) const
{
    return static_cast<double>(m_nodes - 1) * backToNode(own)
           + static_cast<double>(m_per_node - 1) * backToMember(own);
}

} // namespace shardscope
