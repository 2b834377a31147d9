#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/traffic/traffic_families.h"
#include "core/prediction/traffic/traffic_tiles.h"
#include "tests/core/prediction/random_scenario.h"
#include "traffic_cells.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace shardscope;
using namespace shardscope::test;

namespace
{

constexpr std::uint64_t seed = 20251117;
constexpr int scenarios = 600;

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

bool areEqualTiles(const Tiles& a, const Tiles& b)
{
    return a.size() == b.size()
           && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
                  return x.first == y.first && areEqual(x.second.first, y.second.first)
                         && areEqual(x.second.second, y.second.second);
              });
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
            QVERIFY2(areEqualTiles(tilesOf(cellsOf(matrix, std::nullopt), grid),
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

    void largeWorldsHaveTheirCells_data() { addLargeWorlds(); }
    void largeWorldsHaveTheirCells()
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
        QVERIFY(areEqual(byNode(cellsOf(matrix, std::nullopt), node),
                         cellsOf(TrafficFamilies{families, node}, std::nullopt)));
        const TileGrid all{0, 0, matrix.worldSize(), 97};
        QVERIFY(areEqualTiles(tilesOf(cellsOf(matrix, std::nullopt), all),
                              tilesOf(families.of(std::nullopt), all)));
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
};

QTEST_APPLESS_MAIN(TestTrafficFamilies)
#include "tst_traffic_families.moc"
