#pragma once

#include "core/prediction/ranks/rank_digits.h"
#include "core/prediction/traffic/family_boxes.h"
#include "core/prediction/traffic/traffic_families.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// Nodes written as numbers with digits, as ranks are: ranks [k * gpus_per_node, (k + 1) * gpus_per_node)
// share node k. Where nodes end with whole values of a digit of the ranks, the digits above are the nodes';
// else their number is one digit.
class NodeDigits
{
public:
    NodeDigits(const RankDigits& of_ranks, std::int64_t world, std::int64_t gpus_per_node);

    std::int64_t nodes() const { return m_nodes; }
    const RankDigits& digits() const { return m_digits; }
    // Whether what is sent from node to node has a closed form, whatever their number.
    bool endWithDigits() const { return m_has_cut; }
    // What the cells of these families add up to from node to node, as boxes without a cell in common. Cells
    // that stay in a node are on the diagonal.
    std::vector<FamilyBox> addedUp(const std::vector<TrafficFamily>& families) const;

private:
    void appendPieces(const TrafficFamily& family, std::vector<FamilyBox>& boxes) const;
    std::vector<FamilyBox> countedOut(const std::vector<TrafficFamily>& families) const;

    std::int64_t m_gpus_per_node = 1;
    std::int64_t m_nodes = 1;
    bool m_has_cut = false;
    std::size_t m_cut = 0;         // the digit in which nodes end
    std::int64_t m_low_values = 1; // of it that lie in a node
    RankDigits m_in_node;
    RankDigits m_digits;
};

} // namespace shardscope
