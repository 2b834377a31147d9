#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/traffic/busiest_links.h"
#include "core/prediction/traffic/traffic_families.h"
#include "core/prediction/traffic/traffic_tiles.h"
#include "tests/core/prediction/random_scenario.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace shardscope;

namespace
{

constexpr std::uint64_t seed = 20251117;
constexpr int scenarios = 600;

using Cells = std::map<std::pair<std::int64_t, std::int64_t>, double>;

bool areEqual(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

Cells cellsOf(const TrafficMatrix& matrix, std::optional<Kind> kind)
{
    Cells cells;
    for (const Kind one : matrix.kinds())
        if (!kind || *kind == one)
            for (const TrafficCell& cell : matrix.cells(one))
                cells[{cell.sender, cell.receiver}] += cell.bytes;
    return cells;
}

// Asks every rank. Fails where two families share a cell.
Cells cellsOf(const TrafficFamilies& families, std::optional<Kind> kind)
{
    Cells cells;
    for (const TrafficFamily& family : families.of(kind))
        for (std::int64_t sender = 0; sender < families.worldSize(); ++sender)
            if (family.senders.count(sender, sender + 1) == 1
                && !cells.insert({{sender, sender + family.delta}, family.bytes}).second)
                return {};
    return cells;
}

bool areEqual(const Cells& a, const Cells& b)
{
    return a.size() == b.size()
           && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
                  return x.first == y.first && areEqual(x.second, y.second);
              });
}

// Sum and largest cell of each tile.
using Tiles = std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, double>>;

void add(Tiles& tiles, std::int64_t row, std::int64_t column, double count, double bytes)
{
    auto& [sum, largest] = tiles[{row, column}];
    sum += count * bytes;
    largest = std::max(largest, bytes);
}

Tiles tilesOf(const Cells& cells, const TileGrid& grid)
{
    Tiles tiles;
    for (const auto& [place, bytes] : cells) {
        const std::int64_t row = place.first - grid.first_row;
        const std::int64_t column = place.second - grid.first_column;
        if (row >= 0 && row < grid.span && column >= 0 && column < grid.span)
            add(tiles, row * grid.bins / grid.span, column * grid.bins / grid.span, 1.0, bytes);
    }
    return tiles;
}

Tiles tilesOf(const std::vector<TrafficFamily>& families, const TileGrid& grid)
{
    Tiles tiles;
    std::vector<TileShare> shares;
    for (const TrafficFamily& family : families) {
        shares.clear();
        appendTiles(family, grid, shares);
        for (const TileShare& share : shares)
            add(tiles, share.row, share.column, static_cast<double>(share.cells), family.bytes);
    }
    return tiles;
}

bool areEqual(const Tiles& a, const Tiles& b)
{
    return a.size() == b.size()
           && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
                  return x.first == y.first && areEqual(x.second.first, y.second.first)
                         && areEqual(x.second.second, y.second.second);
              });
}

std::vector<LinkLoad> linkLoadsOf(const Cells& cells, std::int64_t world, std::int64_t node)
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

LinkLoad sumOf(const std::vector<LinkLoad>& loads, std::int64_t first, std::int64_t ranks)
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

bool areEqual(const LinkLoad& a, const LinkLoad& b)
{
    return areEqual(a.sent_bytes, b.sent_bytes) && areEqual(a.received_bytes, b.received_bytes)
           && areEqual(a.inside_bytes, b.inside_bytes)
           && areEqual(a.inside_received_bytes, b.inside_received_bytes);
}

Cells byNode(const Cells& cells, std::int64_t node)
{
    Cells of_nodes;
    for (const auto& [place, bytes] : cells)
        of_nodes[{place.first / node, place.second / node}] += bytes;
    return of_nodes;
}

// A mixture of experts on thousands of ranks; no dimension is a power of two times another.
Scenario largeScenario(RankOrder order, std::int64_t expert, double skew)
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

} // namespace

class TestTrafficFamilies : public QObject
{
    Q_OBJECT
private slots:
    void anyLayoutHasTheMatrixsCells()
    {
        test::RandomScenarios random{seed};
        for (int i = 0; i < scenarios; ++i) {
            const Scenario scenario = random.next();
            const TrafficMatrix matrix{scenario, predict(scenario).value()};
            const TrafficFamilies families{matrix};
            for (const Kind kind : matrix.kinds())
                QVERIFY2(
                    areEqual(cellsOf(matrix, kind), cellsOf(families, kind)),
                    qPrintable(QStringLiteral("scenario %1, kind %2").arg(i).arg(static_cast<int>(kind))));
            QVERIFY2(areEqual(cellsOf(matrix, std::nullopt), cellsOf(families, std::nullopt)),
                     qPrintable(QStringLiteral("scenario %1").arg(i)));
        }
    }

    void tilesAddUpTheirCells()
    {
        test::RandomScenarios random{seed + 1};
        std::mt19937_64 place{seed};
        for (int i = 0; i < scenarios; ++i) {
            const Scenario scenario = random.next();
            const TrafficMatrix matrix{scenario, predict(scenario).value()};
            const TrafficFamilies families{matrix};
            const std::int64_t world = matrix.worldSize();
            const auto below = [&](std::int64_t limit) {
                return static_cast<std::int64_t>(place() % static_cast<std::uint64_t>(limit));
            };
            TileGrid grid{below(world), below(world), 1 + below(world), 1};
            grid.bins = 1 + below(grid.span);
            QVERIFY2(areEqual(tilesOf(cellsOf(matrix, std::nullopt), grid),
                              tilesOf(families.of(std::nullopt), grid)),
                     qPrintable(QStringLiteral("scenario %1").arg(i)));
        }
    }

    void nodesSendWhatTheirRanksAddUpTo()
    {
        test::RandomScenarios random{seed + 3};
        for (int i = 0; i < scenarios; ++i) {
            const Scenario scenario = random.next();
            const TrafficMatrix matrix{scenario, predict(scenario).value()};
            const std::int64_t node =
                std::array<std::int64_t, 6>{1, 2, 3, 4, 8, 72}[static_cast<std::size_t>(i % 6)];
            const TrafficFamilies nodes{TrafficFamilies{matrix}, node};
            QCOMPARE(nodes.worldSize(), (matrix.worldSize() + node - 1) / node);
            QVERIFY2(areEqual(byNode(cellsOf(matrix, std::nullopt), node), cellsOf(nodes, std::nullopt)),
                     qPrintable(QStringLiteral("scenario %1").arg(i)));
            for (const Kind kind : matrix.kinds())
                QVERIFY2(
                    areEqual(byNode(cellsOf(matrix, kind), node), cellsOf(nodes, kind)),
                    qPrintable(QStringLiteral("scenario %1, kind %2").arg(i).arg(static_cast<int>(kind))));
        }
    }

    void withoutTheDiagonalEverythingElseStays()
    {
        test::RandomScenarios random{seed + 3};
        for (int i = 0; i < scenarios; ++i) {
            const Scenario scenario = random.next();
            const TrafficFamilies nodes{TrafficFamilies{TrafficMatrix{scenario, predict(scenario).value()}},
                                        4};
            Cells rest = cellsOf(nodes, std::nullopt);
            std::erase_if(rest, [](const auto& cell) { return cell.first.first == cell.first.second; });
            QVERIFY2(areEqual(rest, cellsOf(nodes.withoutDiagonal(), std::nullopt)),
                     qPrintable(QStringLiteral("scenario %1").arg(i)));
        }
    }

    void linksCarryWhatTheirRanksSend()
    {
        test::RandomScenarios random{seed + 2};
        for (int i = 0; i < scenarios; ++i) {
            const Scenario scenario = random.next();
            const TrafficMatrix matrix{scenario, predict(scenario).value()};
            const std::int64_t node =
                std::array<std::int64_t, 6>{1, 2, 3, 4, 8, 72}[static_cast<std::size_t>(i % 6)];
            const std::vector<LinkLoad> loads =
                linkLoadsOf(cellsOf(matrix, std::nullopt), matrix.worldSize(), node);
            const TrafficFamilies families{matrix};
            LinkLoad sum;
            for (const NodeSplit& split : nodeSplits(families, node)) {
                sum.inside_bytes += split.intra_node_bytes;
                sum.inside_received_bytes += split.intra_node_bytes;
                sum.sent_bytes += split.inter_node_bytes;
                sum.received_bytes += split.inter_node_bytes;
            }
            QVERIFY2(areEqual(sum, sumOf(loads, 0, matrix.worldSize())),
                     qPrintable(QStringLiteral("scenario %1").arg(i)));
            checkBusiest(families, loads, node, 1);
            checkBusiest(families, loads, node, node);
            checkInner(families, cellsOf(matrix, std::nullopt), loads, node);
        }
    }

    void largeWorldsFindTheirBusiestLinks_data()
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
    void largeWorldsFindTheirBusiestLinks()
    {
        QFETCH(RankOrder, order);
        QFETCH(int, expert);
        QFETCH(double, skew);
        QFETCH(int, node);
        const Scenario scenario = largeScenario(order, expert, skew);
        const auto prediction = predict(scenario);
        QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
        const TrafficMatrix matrix{scenario, prediction.value()};
        const TrafficFamilies families{matrix};
        const Cells cells = cellsOf(matrix, std::nullopt);
        const std::vector<LinkLoad> loads = linkLoadsOf(cells, matrix.worldSize(), node);
        checkBusiest(families, loads, node, 1);
        checkBusiest(families, loads, node, node);
        checkInner(families, cells, loads, node);
        QVERIFY(areEqual(byNode(cells, node), cellsOf(TrafficFamilies{families, node}, std::nullopt)));
        const TileGrid all{0, 0, matrix.worldSize(), 97};
        QVERIFY(areEqual(tilesOf(cells, all), tilesOf(families.of(std::nullopt), all)));
    }

    // 131,072 GPUs: tensor rings are 2 diagonals (next, and back to the first), data rings 2, and so on.
    void theirNumberIsNotThatOfTheRanks()
    {
        Scenario scenario;
        scenario.model.layers = 96;
        scenario.parallel.tensor = 8;
        scenario.parallel.pipeline = 16;
        scenario.parallel.data = 1024;
        scenario.training.micro_batch_size = 1;
        scenario.training.global_batch_size = 16384;
        const TrafficMatrix matrix{scenario, predict(scenario).value()};
        const TrafficFamilies families{matrix};
        QVERIFY(families.of(std::nullopt).size() < 60);
        // Every rank sends to its next one in the tensor group: equal cells, as many as ranks.
        std::int64_t cells = 0;
        for (const TrafficFamily& family : families.of(Kind::tp))
            cells += family.senders.size();
        QCOMPARE(cells, std::int64_t{131072});
        // Nor that of the nodes, as long as these end with a dimension.
        QVERIFY(TrafficFamilies(families, 8).of(std::nullopt).size() < 60);
        QVERIFY(families.nodesCost(8) < 200);
    }

private:
    static void checkBusiest(const TrafficFamilies& families, const std::vector<LinkLoad>& loads,
                             std::int64_t node, std::int64_t card)
    {
        double most_one_way = 0.0;
        double most_inside = 0.0;
        const std::int64_t world = families.worldSize();
        for (std::int64_t first = 0; first < world; first += card) {
            const LinkLoad load = sumOf(loads, first, card);
            most_one_way = std::max({most_one_way, load.sent_bytes, load.received_bytes});
            QVERIFY(areEqual(linkLoad(families, first, card, node), load));
        }
        for (std::int64_t first = 0; first < world; first += node)
            most_inside = std::max(most_inside, sumOf(loads, first, node).inside_bytes);
        const BusiestLinks busiest = busiestLinks(families, {node, card, false});
        QVERIFY(areEqual(std::max(busiest.card.sent_bytes, busiest.card.received_bytes), most_one_way));
        QVERIFY(areEqual(busiest.card, sumOf(loads, busiest.card_first_rank, card)));
        QVERIFY(areEqual(busiest.domain_bytes, most_inside));
        QVERIFY(areEqual(sumOf(loads, busiest.domain * node, node).inside_bytes, most_inside));
    }

    // A GPU's one link to all others of its node, or of a mesh the one that joins two; cells one by one tell
    // the same.
    static void checkInner(const TrafficFamilies& families, const Cells& cells,
                           const std::vector<LinkLoad>& loads, std::int64_t node)
    {
        std::vector<TrafficCell> list;
        double most_of_pair = 0.0;
        for (const auto& [place, bytes] : cells) {
            list.push_back({place.first, place.second, bytes});
            if (place.first / node == place.second / node)
                most_of_pair = std::max(most_of_pair, bytes);
        }
        double most_of_gpu = 0.0;
        for (const LinkLoad& load : loads)
            most_of_gpu = std::max({most_of_gpu, load.inside_bytes, load.inside_received_bytes});
        const InnerLink of_gpu = busiestLinks(families, {node, 1, false}).inner;
        QVERIFY(areEqual(of_gpu.bytes, most_of_gpu));
        const LinkLoad& its = loads[static_cast<std::size_t>(of_gpu.rank)];
        QVERIFY(areEqual(of_gpu.is_received ? its.inside_received_bytes : its.inside_bytes, most_of_gpu));
        const InnerLink of_pair = busiestLinks(families, {node, 1, true}).inner;
        QVERIFY(areEqual(of_pair.bytes, most_of_pair));
        QVERIFY(most_of_pair == 0.0 || areEqual(cells.at({of_pair.rank, of_pair.peer}), most_of_pair));
        for (const NodeShape& shape :
             {NodeShape{node, 1, false}, NodeShape{node, node, true}, NodeShape{node, 1, false, 2 * node}}) {
            const BusiestLinks of_families = busiestLinks(families, shape);
            const BusiestLinks of_cells = busiestLinks(list, families.worldSize(), shape);
            QVERIFY(areEqual(std::max(of_cells.card.sent_bytes, of_cells.card.received_bytes),
                             std::max(of_families.card.sent_bytes, of_families.card.received_bytes)));
            QVERIFY(areEqual(of_cells.domain_bytes, of_families.domain_bytes));
            QVERIFY(areEqual(std::max(of_cells.pod.sent_bytes, of_cells.pod.received_bytes),
                             std::max(of_families.pod.sent_bytes, of_families.pod.received_bytes)));
            QVERIFY(areEqual(of_cells.inner.bytes, of_families.inner.bytes));
            QVERIFY(areEqual(of_cells.mean_card_bytes, of_families.mean_card_bytes));
            QVERIFY(areEqual(of_cells.mean_domain_bytes, of_families.mean_domain_bytes));
        }
    }
};

QTEST_APPLESS_MAIN(TestTrafficFamilies)
#include "tst_traffic_families.moc"
