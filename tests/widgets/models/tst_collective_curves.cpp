#include "widgets/models/collective_curves.h"

#include <QTest>

#include <cmath>

using namespace shardscope;

static const CollectiveGroup a_node{"1 node", Kind::unknown, 8, 8, 1};
static const CollectiveGroup four_nodes{"4 nodes", Kind::unknown, 32, 8, 1};

class TestCollectiveCurves : public QObject
{
    Q_OBJECT
private slots:
    void groupsOfTheScenarioComeFirst()
    {
        Scenario scenario;
        scenario.parallel.tensor = 4;
        scenario.parallel.data = 8;
        const std::vector<CollectiveGroup> groups = collectiveGroups(scenario);
        QCOMPARE(groups[0], (CollectiveGroup{"tp: 4 ranks, 4 on a node", Kind::tp, 4, 4, 2, PodPlace{}}));
        // Every fourth rank: two of eight on each node, and four such groups there.
        QCOMPARE(groups[1], (CollectiveGroup{"dp: 8 ranks, 2 on a node", Kind::dp, 8, 2, 4, PodPlace{}}));
        QCOMPARE(groups[2].name, QString{"1 node: 8 ranks"});
        QCOMPARE(groups.back().ranks, 512 * 8);
    }

    // 13.4 us and 7 steps of 4.62 us, and 7/8 of the message at 0.785 * 300 GB/s (see CollectiveLaw).
    void curvesFollowTheLaw()
    {
        const auto curve = collectiveCurve(Cluster{}, Op::all_gather, a_node);
        QCOMPARE(curve.front().message_bytes, smallest_collective);
        QCOMPARE(curve.back().message_bytes, largest_collective);
        for (const CollectivePoint& point : curve) {
            const double bytes = static_cast<double>(point.message_bytes);
            const double time_s = (13.4 + 7 * 4.62) * 1e-6 + bytes * 7 / 8 / (0.785 * 300e9);
            QVERIFY(std::abs(point.time_s / time_s - 1) < 1e-9);
            QVERIFY(std::abs(point.busbw_GBps / (bytes * 7 / 8 / time_s / 1e9) - 1) < 1e-9);
        }
    }

    void aHandleMovesTheConstantBehindIt_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<bool>("across");
        QTest::newRow("all_reduce in a node") << static_cast<int>(Op::all_reduce) << false;
        QTest::newRow("all_reduce across nodes") << static_cast<int>(Op::all_reduce) << true;
        QTest::newRow("all_gather in a node") << static_cast<int>(Op::all_gather) << false;
        QTest::newRow("all_gather across nodes") << static_cast<int>(Op::all_gather) << true;
    }
    void aHandleMovesTheConstantBehindIt()
    {
        QFETCH(int, op);
        QFETCH(bool, across);
        const auto of = static_cast<Op>(op);
        const CollectiveGroup& group = across ? four_nodes : a_node;
        const Cluster fast = withBusBandwidth(Cluster{}, of, group, 123.0);
        QVERIFY(std::abs(collectivePoint(fast, of, group, largest_collective).busbw_GBps / 123 - 1) < 0.01);
        const Cluster slow = withLatency(Cluster{}, of, group, smallest_collective, 500e-6);
        QVERIFY(std::abs(collectivePoint(slow, of, group, smallest_collective).time_s / 500e-6 - 1) < 0.01);
        // The other end all but stays: 0.5 of 128 ms blend in.
        QVERIFY(std::abs(collectivePoint(slow, of, group, largest_collective).time_s
                             / collectivePoint(Cluster{}, of, group, largest_collective).time_s
                         - 1)
                < 0.05);
    }

    void theSwitchMovesWithTheBandwidth()
    {
        Cluster hopper;
        hopper.intra_node = {"nvlink4", 450.0, 6.0};
        hopper.collectives.switch_reduce_efficiency = 1.08;
        const Cluster moved = withBusBandwidth(hopper, Op::all_reduce, a_node, 240.0);
        QVERIFY(
            std::abs(collectivePoint(moved, Op::all_reduce, a_node, largest_collective).busbw_GBps / 240 - 1)
            < 0.01);
    }

    void wishesBeyondReachAreMetAsFarAsPossible()
    {
        const Cluster most = withBusBandwidth(Cluster{}, Op::all_gather, a_node, 1e9);
        QCOMPARE(most.collectives.intra_efficiency, 5.0);
        QCOMPARE(withBusBandwidth(Cluster{}, Op::all_gather, a_node, 0.0), Cluster{});
        const Cluster none = withLatency(Cluster{}, Op::all_reduce, a_node, smallest_collective, 0.0);
        QVERIFY(none.collectives.all_reduce_step_us < 0.01);
    }

    // A table of nccl-tests belongs to the group with its ranks.
    void measuredPointsAreThoseOfTheGroup()
    {
        Measurement measurement;
        // stas00/ml-engineering network/README.md: 8 A100, 1 GiB
        measurement.points.push_back({"all_reduce", "float", 1 << 30, 8203.9e-6, 130.88, 229.04});
        const Scenario scenario;
        QCOMPARE(measuredCollectives(measurement, scenario, Op::all_reduce, a_node).size(), std::size_t{1});
        QVERIFY(measuredCollectives(measurement, scenario, Op::all_gather, a_node).empty());
        QVERIFY(measuredCollectives(measurement, scenario, Op::all_reduce, four_nodes).empty());
    }

    // Tables: 0 of two lines over 8 ranks, 1 of three over 24, which no group of the scenario is like.
    void mostMeasuredIsTheTableWithMostLines()
    {
        Measurement measurement;
        QVERIFY(!mostMeasured(measurement, Scenario{}, {a_node, four_nodes}));
        for (int line = 0; line < 5; ++line) {
            BandwidthPoint point{"all_reduce", "float", std::int64_t{1} << (20 + line), 1e-3, 1.0, 1.0};
            point.table = line < 2 ? 0 : 1;
            point.name = line < 2 ? "all_reduce" : "all_gather";
            point.ranks = line < 2 ? 8 : 24;
            point.per_node = 8;
            measurement.points.push_back(point);
        }
        std::vector<CollectiveGroup> groups{four_nodes, a_node};
        const auto of_known = mostMeasured(measurement, Scenario{}, groups);
        QVERIFY(of_known);
        QCOMPARE(of_known->op, Op::all_reduce);
        QCOMPARE(of_known->group, std::size_t{1});
        const std::vector<CollectiveGroup> others = measuredGroups(measurement, Scenario{}, groups);
        QCOMPARE(others.size(), std::size_t{1});
        QCOMPARE(others.front(), (CollectiveGroup{"24 ranks: 8 on a node", Kind::unknown, 24, 8, 1}));
        groups.push_back(others.front());
        const auto of_all = mostMeasured(measurement, Scenario{}, groups);
        QCOMPARE(of_all->op, Op::all_gather);
        QCOMPARE(of_all->group, std::size_t{2});
    }
};

QTEST_APPLESS_MAIN(TestCollectiveCurves)
#include "tst_collective_curves.moc"
