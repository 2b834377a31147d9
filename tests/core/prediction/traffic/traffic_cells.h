#pragma once

#include "core/prediction/traffic/link_totals.h"
#include "core/prediction/traffic/traffic_families.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace shardscope::test
{

using Cells = std::map<std::pair<std::int64_t, std::int64_t>, double>;

inline bool areEqual(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

inline Cells cellsOf(const TrafficMatrix& matrix, std::optional<Kind> kind)
{
    Cells cells;
    for (const Kind one : matrix.kinds())
        if (!kind || *kind == one)
            for (const TrafficCell& cell : matrix.cells(one))
                cells[{cell.sender, cell.receiver}] += cell.bytes;
    return cells;
}

// Asks every rank. Fails where two families share a cell.
inline Cells cellsOf(const TrafficFamilies& families, std::optional<Kind> kind)
{
    Cells cells;
    for (const TrafficFamily& family : families.of(kind))
        for (std::int64_t sender = 0; sender < families.worldSize(); ++sender)
            if (family.senders.count(sender, sender + 1) == 1
                && !cells.insert({{sender, sender + family.delta}, family.bytes}).second)
                return {};
    return cells;
}

inline bool areEqual(const Cells& a, const Cells& b)
{
    return a.size() == b.size()
           && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
                  return x.first == y.first && areEqual(x.second, y.second);
              });
}

inline std::vector<LinkLoad> linkLoadsOf(const Cells& cells, std::int64_t world, std::int64_t node)
{
    std::vector<LinkLoad> loads(static_cast<std::size_t>(world));
    for (const auto& [place, bytes] : cells) {
        const auto [sender, receiver] = place;
        if (sender / node == receiver / node) {
            loads[static_cast<std::size_t>(sender)].inside_bytes += bytes;
            loads[static_cast<std::size_t>(receiver)].inside_received_bytes += bytes;
        } else {
            loads[static_cast<std::size_t>(sender)].sent_bytes += bytes;
            loads[static_cast<std::size_t>(receiver)].received_bytes += bytes;
        }
    }
    return loads;
}

inline LinkLoad sumOf(const std::vector<LinkLoad>& loads, std::int64_t first, std::int64_t ranks)
{
    LinkLoad sum;
    const auto last = std::min<std::int64_t>(first + ranks, static_cast<std::int64_t>(loads.size()));
    for (auto rank = static_cast<std::size_t>(first); rank < static_cast<std::size_t>(last); ++rank) {
        sum.sent_bytes += loads[rank].sent_bytes;
        sum.received_bytes += loads[rank].received_bytes;
        sum.inside_bytes += loads[rank].inside_bytes;
        sum.inside_received_bytes += loads[rank].inside_received_bytes;
    }
    return sum;
}

inline bool areEqual(const LinkLoad& a, const LinkLoad& b)
{
    return areEqual(a.sent_bytes, b.sent_bytes) && areEqual(a.received_bytes, b.received_bytes)
           && areEqual(a.inside_bytes, b.inside_bytes)
           && areEqual(a.inside_received_bytes, b.inside_received_bytes);
}

inline Cells byNode(const Cells& cells, std::int64_t node)
{
    Cells of_nodes;
    for (const auto& [place, bytes] : cells)
        of_nodes[{place.first / node, place.second / node}] += bytes;
    return of_nodes;
}

// A mixture of experts on thousands of ranks; no dimension is a power of two times another.
inline Scenario largeScenario(RankOrder order, std::int64_t expert, double skew)
{
    Scenario scenario;
    scenario.model.layers = 14;
    scenario.model.experts.count = 24;
    scenario.model.experts.skew = skew;
    scenario.parallel.pipeline = 3;
    scenario.parallel.tensor = 4;
    scenario.parallel.context = 2;
    scenario.parallel.data = 240;
    scenario.parallel.expert = expert;
    scenario.parallel.rank_order = order;
    scenario.training.micro_batch_size = 1;
    scenario.training.global_batch_size = 480;
    return scenario;
}

// Of worlds on nodes of so many GPUs: columns order, expert, skew, node.
inline void addLargeWorlds()
{
    QTest::addColumn<RankOrder>("order");
    QTest::addColumn<int>("expert");
    QTest::addColumn<double>("skew");
    QTest::addColumn<int>("node");
    using enum Dimension;
    QTest::newRow("Megatron's order") << RankOrder{tp, cp, ep, dp, pp} << 8 << 0.0 << 8;
    QTest::newRow("skewed routing") << RankOrder{tp, cp, ep, dp, pp} << 12 << 0.7 << 8;
    QTest::newRow("pipeline inside") << RankOrder{tp, pp, cp, ep, dp} << 4 << 0.0 << 8;
    QTest::newRow("data innermost") << RankOrder{dp, tp, cp, ep, pp} << 8 << 0.4 << 4;
    QTest::newRow("nodes across the digits") << RankOrder{pp, tp, cp, ep, dp} << 1 << 0.0 << 8;
    QTest::newRow("racks of 72") << RankOrder{tp, pp, cp, ep, dp} << 6 << 0.0 << 72;
    QTest::newRow("groups that are no product") << RankOrder{tp, dp, cp, ep, pp} << 24 << 0.0 << 8;
}

} // namespace shardscope::test
