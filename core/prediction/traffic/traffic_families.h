#pragma once

#include "core/prediction/ranks/rank_digits.h"
#include "core/prediction/traffic/traffic_matrix.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// Equal cells of the matrix along one diagonal: each of these senders sends `bytes` to the rank that is
// `delta` further.
struct TrafficFamily {
    std::int64_t delta = 0;
    double bytes = 0.0;
    RankBox box;
    RankSet senders;
};

// Every cell of a matrix, as a few families: their number grows with stages and expert groups, not with
// ranks. Together they give any sum or tile of the matrix in a closed form.
class TrafficFamilies
{
public:
    explicit TrafficFamilies(const TrafficMatrix& matrix);
    // The same traffic from node to node: node k stands in the place of rank k. What stays in a node is on
    // the diagonal.
    TrafficFamilies(const TrafficFamilies& of_ranks, std::int64_t gpus_per_node);
    // The same without the diagonal: of nodes, what goes between them.
    TrafficFamilies withoutDiagonal() const;
    // About how many additions that takes: with nodes across the digits of the ranks it grows with them.
    std::int64_t nodesCost(std::int64_t gpus_per_node) const;

    std::int64_t worldSize() const { return m_world; }
    const RankDigits& digits() const { return m_digits; }
    // Of the ranks, also where nodes stand in their places.
    const RankLayout& layout() const { return m_layout; }
    const std::vector<Kind>& kinds() const { return m_kinds; }
    // Of one kind, or of all kinds added up. A cell belongs to one of them.
    const std::vector<TrafficFamily>& of(std::optional<Kind> kind) const;

private:
    RankLayout m_layout;
    std::int64_t m_world = 1;
    RankDigits m_digits;
    std::vector<Kind> m_kinds;
    std::array<std::vector<TrafficFamily>, kind_count + 1> m_families; // all kinds last
};

// About how many cells are worked out one by one for the traffic of a scenario, some 0.2 us each: pairs of
// ranks of an expert group, where these send unlike numbers of bytes or lie in no regular way.
std::int64_t trafficCost(const Scenario& scenario);

} // namespace shardscope
