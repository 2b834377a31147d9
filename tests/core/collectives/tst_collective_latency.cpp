#include <QTest>

#include "core/collectives/collective_time.h"

using namespace shardscope;

namespace
{

Interconnect measuredNodes()
{
    Interconnect interconnect;
    interconnect.intra = BytesPerSecond{300e9};
    interconnect.network = BytesPerSecond{200e9};
    interconnect.intra_latency = Seconds{6e-6};
    interconnect.inter_latency = Seconds{30e-6};
    interconnect.law.blend = 1.0;
    return interconnect;
}

double microseconds(Op op, double bytes, Communicator group, const Interconnect& interconnect)
{
    return 1e6 * collectiveTime(op, Bytes{bytes}, group, interconnect).value();
}

} // namespace

// What links that are slower to answer than the measured ones add.
class TestCollectiveLatency : public QObject
{
    Q_OBJECT
private slots:
    // The constants hold for links that answer within 30 us; 100 us more are paid for each step between
    // nodes: rings of four nodes have three of them, trees go two levels up and two down.
    void slowerLinksAddToEachStepBetweenNodes_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("members");
        QTest::addColumn<int>("per_node");
        QTest::addColumn<double>("added_us");
        QTest::newRow("a ring of four nodes") << static_cast<int>(Op::all_gather) << 4 << 1 << 300.0;
        QTest::newRow("a tree of four nodes") << static_cast<int>(Op::all_reduce) << 4 << 1 << 400.0;
        QTest::newRow("full nodes have the same steps")
            << static_cast<int>(Op::all_gather) << 32 << 8 << 300.0;
        QTest::newRow("a ring inside a node") << static_cast<int>(Op::all_gather) << 8 << 8 << 0.0;
        QTest::newRow("an all_reduce inside a node") << static_cast<int>(Op::all_reduce) << 8 << 8 << 0.0;
    }
    void slowerLinksAddToEachStepBetweenNodes()
    {
        QFETCH(int, op);
        QFETCH(int, members);
        QFETCH(int, per_node);
        QFETCH(double, added_us);
        Interconnect nodes = measuredNodes();
        const Communicator group{members, per_node, 1};
        const double measured = microseconds(static_cast<Op>(op), 1e6, group, nodes);
        nodes.inter_latency = Seconds{130e-6};
        QCOMPARE(microseconds(static_cast<Op>(op), 1e6, group, nodes), measured + added_us);
        nodes.inter_latency = Seconds{5e-6};
        QCOMPARE(microseconds(static_cast<Op>(op), 1e6, group, nodes), measured);
    }

    // Inside a node they hold for links that answer within 6 us.
    void slowerLinksInsideANodeDelayEveryCollective()
    {
        Interconnect node = measuredNodes();
        for (const Op op : {Op::all_reduce, Op::all_gather, Op::reduce_scatter, Op::all_to_all}) {
            const auto at = [&](double latency_us) {
                node.intra_latency = Seconds{latency_us * 1e-6};
                return microseconds(op, 1e6, {8, 8, 1}, node);
            };
            QCOMPARE(at(106.0), at(6.0) + 100.0);
        }
    }

    // Once up and down the switches, of however many nodes.
    void switchesThatAddAnswerAsFastOnManyNodes()
    {
        Interconnect nodes = measuredNodes();
        const double of_two = microseconds(Op::all_reduce, 8, {16, 8, 1}, nodes);
        QVERIFY(microseconds(Op::all_reduce, 8, {1024, 8, 1}, nodes) > 3.0 * of_two);
        nodes.in_network_reduction = true;
        QVERIFY(microseconds(Op::all_reduce, 8, {1024, 8, 1}, nodes) < 1.01 * of_two);
    }
};

QTEST_APPLESS_MAIN(TestCollectiveLatency)
#include "tst_collective_latency.moc"
