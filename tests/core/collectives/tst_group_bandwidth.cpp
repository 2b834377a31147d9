#include <QTest>

#include "core/collectives/group_bandwidth.h"

using namespace shardscope;

class TestGroupBandwidth : public QObject
{
    Q_OBJECT
private slots:
    // Nodes of eight GPUs with 100 GB/s each, half of it reached, and 80 GB/s of network, a quarter reached.
    void aRingGetsItsNarrowestLink_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("ranks_per_node");
        QTest::addColumn<double>("node_GBps");
        QTest::addColumn<double>("expected_GBps");
        QTest::newRow("inside a node: the GPU's link") << 8 << 8 << 80.0 << 50.0;
        QTest::newRow("it has siblings there: each GPU has a link of its own") << 2 << 2 << 80.0 << 50.0;
        QTest::newRow("one rank a node: eight groups share the network") << 4 << 1 << 80.0 << 2.5;
        QTest::newRow("four ranks a node: two groups share it") << 8 << 4 << 80.0 << 10.0;
        QTest::newRow("whole nodes have it for themselves") << 16 << 8 << 80.0 << 20.0;
        QTest::newRow("a wide network: the link inside binds") << 16 << 8 << 800.0 << 50.0;
        QTest::newRow("which nothing passes with one rank a node") << 4 << 1 << 8000.0 << 250.0;
    }
    void aRingGetsItsNarrowestLink()
    {
        QFETCH(int, ranks);
        QFETCH(int, ranks_per_node);
        QFETCH(double, node_GBps);
        QFETCH(double, expected_GBps);
        const NodeLinks links{
            .gpu_GBps = 100.0, .node_GBps = node_GBps, .gpu_share = 0.5, .node_share = 0.25};
        QCOMPARE(groupBandwidth_GBps({ranks, ranks_per_node, 8}, links), expected_GBps);
    }
};

QTEST_APPLESS_MAIN(TestGroupBandwidth)
#include "tst_group_bandwidth.moc"
