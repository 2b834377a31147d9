#include <QTest>

#include "widgets/plots/heatmap/traffic_grid.h"

using namespace shardscope;

namespace
{

// Every rank sends 10 bytes of tp to its neighbour in its pair; one cell far off the diagonal is hot.
class PairsAndOneHotCell : public TrafficRows
{
public:
    explicit PairsAndOneHotCell(std::int64_t ranks) : m_ranks{ranks} {}
    std::int64_t ranks() const override { return m_ranks; }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override
    {
        ++asked;
        entries.push_back({sender ^ 1, Kind::tp, 4.0});
        entries.push_back({sender ^ 1, Kind::tp, 6.0});
        if (sender == 3)
            entries.push_back({m_ranks - 5, Kind::dp, 1000.0});
    }
    mutable std::int64_t asked = 0;

private:
    std::int64_t m_ranks;
};

} // namespace

class TestTrafficGrid : public QObject
{
    Q_OBJECT
private slots:
    void smallWorldsHaveABinForEachCell()
    {
        const PairsAndOneHotCell rows{8};
        const TrafficGrid grid = poolTraffic(rows, wholeWorld(8), 500, std::nullopt);
        QCOMPARE(grid.bins, 8);
        QCOMPARE(grid.bytes[0 * 8 + 1], 10.0F);
        QCOMPARE(grid.bytes[3 * 8 + 3], 1000.0F);
        QCOMPARE(int{grid.presence[0]}, 0);
    }

    void aSingleHotCellNeverVanishes_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("bins");
        QTest::newRow("4,096 ranks on 600 pixels") << 4096 << 600;
        QTest::newRow("131,072 ranks on 97 pixels") << 131072 << 97;
        QTest::newRow("4,096 ranks on one pixel") << 4096 << 1;
    }
    void aSingleHotCellNeverVanishes()
    {
        QFETCH(int, ranks);
        QFETCH(int, bins);
        const PairsAndOneHotCell rows{ranks};
        const TrafficGrid grid = poolTraffic(rows, wholeWorld(ranks), bins, std::nullopt);
        QCOMPARE(grid.bins, bins);
        QCOMPARE(*std::max_element(grid.bytes.begin(), grid.bytes.end()), 1000.0F);
    }

    void onlyRowsOnScreenAreAskedFor()
    {
        const PairsAndOneHotCell rows{131072};
        const TrafficGrid grid = poolTraffic(rows, {1000.0, 5000.0, 64.0}, 600, std::nullopt);
        QVERIFY(rows.asked <= 65);
        QCOMPARE(grid.first_row, std::int64_t{1000});
        QCOMPARE(grid.first_column, std::int64_t{5000});
    }

    void otherKindsAreKnownButNotCounted()
    {
        const PairsAndOneHotCell rows{16};
        const TrafficGrid grid = poolTraffic(rows, wholeWorld(16), 16, Kind::tp);
        QCOMPARE(grid.bytes[3 * 16 + 11], 0.0F);
        QCOMPARE(grid.presence[3 * 16 + 11], TrafficGrid::other);
        QCOMPARE(grid.presence[3 * 16 + 2], TrafficGrid::shown);
    }

    void nodesSplitTheTotals()
    {
        const PairsAndOneHotCell rows{16};
        const TrafficSummary summary = rows.summary(8);
        QCOMPARE(summary.intraNode(Kind::tp), 160.0);
        QCOMPARE(summary.interNode(Kind::tp), 0.0);
        QCOMPARE(summary.interNode(Kind::dp), 1000.0); // rank 3 to rank 11
        QCOMPARE(summary.intraNode(std::nullopt), 160.0);
        QCOMPARE(summary.most.back(), 1000.0);
        QCOMPARE(summary.least.back(), 10.0);
        QCOMPARE(summary.most[static_cast<std::size_t>(Kind::pp)], 0.0);

        const TrafficSummary alone = rows.summary(1);
        QCOMPARE(alone.intraNode(std::nullopt), 0.0);
    }

    void nodesStandInThePlaceOfTheirRanks()
    {
        const PairsAndOneHotCell rows{18}; // the last node holds two
        const auto nodes = rows.byNode(8, NodeShare::all);
        QCOMPARE(nodes->ranks(), std::int64_t{3});
        const auto tp = static_cast<std::size_t>(Kind::tp);
        const auto dp = static_cast<std::size_t>(Kind::dp);
        QCOMPARE(bytesBetween(*nodes, 0, 0)[tp], 80.0);
        QCOMPARE(bytesBetween(*nodes, 2, 2)[tp], 20.0);
        QCOMPARE(bytesBetween(*nodes, 0, 1)[dp], 1000.0); // rank 3 to rank 13
        QCOMPARE(nodes->summary(1).most[tp], 80.0);
        QCOMPARE(nodes->summary(1).intraNode(std::nullopt), rows.summary(8).intraNode(std::nullopt));
        QCOMPARE(nodes->endsOf(0).sent_bytes, 1000.0); // what stays in the node is not sent to others
        QCOMPARE(nodes->endsOf(0).received_bytes, 0.0);
        QCOMPARE(nodes->endsOf(1).received_bytes, 1000.0);
    }

    void whatStaysInANodeCanBeLeftOut()
    {
        const auto nodes = PairsAndOneHotCell{18}.byNode(8, NodeShare::between);
        QCOMPARE(bytesBetween(*nodes, 0, 0)[static_cast<std::size_t>(Kind::tp)], 0.0);
        QCOMPARE(bytesBetween(*nodes, 0, 1)[static_cast<std::size_t>(Kind::dp)], 1000.0);
        QCOMPARE(nodes->summary(1).least.back(), 1000.0);
    }

    void theHottestCellOfAPixelIsFound()
    {
        const PairsAndOneHotCell rows{64};
        const HotCell hot = hottest(rows, 0, 56, 8, std::nullopt);
        QCOMPARE(hot.sender, std::int64_t{3});
        QCOMPARE(hot.receiver, std::int64_t{59});
        QCOMPARE(bytesBetween(rows, 3, 59)[static_cast<std::size_t>(Kind::dp)], 1000.0);
        QCOMPARE(bytesBetween(rows, 3, 2)[static_cast<std::size_t>(Kind::tp)], 10.0);
    }
};

QTEST_APPLESS_MAIN(TestTrafficGrid)
#include "tst_traffic_grid.moc"
