#pragma once

#include "core/scenario/scenario.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace shardscope
{

// How the rows of an expert group travel where those for other nodes cross to the rank in the sender's place
// there, one for all that the node needs of a token, to be handed on inside it; on the way back they are
// summed there first. Shares are of the bytes of a call with even routing; places are those in the group.
class ForwardedRows
{
public:
    // Nothing where rows go straight to their experts: with all_to_all, or on one node.
    static std::optional<ForwardedRows> of(const Scenario& scenario);

    std::size_t perNode() const { return m_per_node; }
    std::size_t nodes() const { return m_nodes; }
    std::size_t nodeOf(std::size_t place) const { return place / m_per_node; }
    // Rows that cross for each node that a token goes to, the sender's own included, over all rows.
    double nodeRows() const { return m_node_rows; }

    // On the way to the experts: what a rank sends to a member of its node, its own and others' rows; and to
    // another node.
    double toMember(std::size_t member) const { return load(member) / static_cast<double>(m_per_node); }
    double toNode(std::size_t node) const;
    // On the way back, of what a rank's own experts received.
    double backToMember(std::size_t own) const { return toMember(own); }
    double backToNode(std::size_t own) const { return toNode(nodeOf(own)); }
    // All that the rank sends, either way; the mean rank as much there as back.
    double sent(std::size_t own) const;
    double sentBack(std::size_t own) const;
    double meanSent() const;

private:
    ForwardedRows() = default;
    double load(std::size_t place) const { return m_loads.empty() ? 1.0 : m_loads[place]; }

    std::size_t m_per_node = 1;
    std::size_t m_nodes = 1;
    double m_node_rows = 1.0;
    std::vector<double> m_loads; // of the places; empty: even
};

} // namespace shardscope
