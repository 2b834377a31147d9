#include <QTest>

#include "core/prediction/time/link_bandwidth.h"
#include "core/prediction/time/machine.h"

#include <algorithm>

using namespace shardscope;

namespace
{

// Nodes of four GPUs: 100 GB/s each inside, 40 GB/s of network together.
Cluster smallNodes(const char* network = "infiniband")
{
    Cluster cluster;
    cluster.gpus_per_node = 4;
    cluster.intra_node = {"nvlink3", 100.0, 6.0, BandwidthOf::gpu};
    cluster.inter_node = {network, 40.0, 30.0, BandwidthOf::node};
    return cluster;
}

Parallel layoutOf(std::int64_t pipeline, std::int64_t tensor, std::int64_t data)
{
    Parallel parallel;
    parallel.pipeline = pipeline;
    parallel.tensor = tensor;
    parallel.data = data;
    return parallel;
}

double GBps(const Cluster& cluster, const Parallel& parallel, Kind kind)
{
    return derivedBandwidth(cluster, RankLayout{parallel}, kind).value() / 1e9;
}

} // namespace

class TestLinkBandwidth : public QObject
{
    Q_OBJECT
private slots:
    void groupsGetTheLinkThatTheyLieOn_data()
    {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("expected_GBps");
        const auto row = [](const char* name, int p, int t, int d, Kind kind, double expected) {
            QTest::newRow(name) << p << t << d << static_cast<int>(kind) << expected;
        };
        row("a tensor group fills its node", 1, 4, 2, Kind::tp, 0.80 * 100);
        row("a tensor group of two nodes has both networks for itself", 1, 8, 1, Kind::tp, 0.95 * 40);
        row("four groups of replicas share a node's network", 1, 4, 2, Kind::dp, 0.95 * 10);
        row("replicas in pairs on a node: two groups share it", 1, 2, 4, Kind::dp, 0.95 * 20);
        // Stages 0 and 1 are on one node, 1 and 2 are not: each GPU has its own quarter of the network.
        row("two stages on a node: neighbours count as apart", 4, 2, 1, Kind::pp, 0.95 * 10);
        row("all stages on one node", 4, 1, 1, Kind::pp, 0.80 * 100);
    }
    void groupsGetTheLinkThatTheyLieOn()
    {
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, data);
        QFETCH(int, kind);
        QFETCH(double, expected_GBps);
        const Parallel parallel = layoutOf(pipeline, tensor, data);
        QCOMPARE(GBps(smallNodes(), parallel, static_cast<Kind>(kind)), expected_GBps);
        LayoutBandwidths known{parallel, smallNodes()};
        Cluster larger = smallNodes();
        larger.gpus_per_node = 8;
        QVERIFY(known.isOf(parallel, smallNodes()) && !known.isOf(parallel, larger));
        for (int again = 0; again < 2; ++again)
            QCOMPARE(known.of(static_cast<Kind>(kind), smallNodes()).value() / 1e9, expected_GBps);
    }

    // 16 ranks on 4 nodes: 12 of the 15 others are on other nodes, by the GPU's own quarter of the network.
    void tokensLeaveByEachGpusOwnPartOfTheNetwork()
    {
        Parallel parallel = layoutOf(1, 1, 16);
        parallel.expert = 16;
        const RankLayout layout{parallel};
        const double GBps = derivedBandwidth(smallNodes(), layout, Kind::ep, 12.0 / 15.0).value() / 1e9;
        QCOMPARE(GBps, 0.95 * 10 / (12.0 / 15.0));
    }

    // Racks of two nodes: the fast links join eight GPUs.
    void aRackIsOneDomain()
    {
        Cluster cluster = smallNodes();
        cluster.scale_up_gpus = 8;
        QCOMPARE(GBps(cluster, layoutOf(1, 8, 1), Kind::tp), 0.80 * 100);
        QCOMPARE(GBps(cluster, layoutOf(1, 8, 2), Kind::dp), 0.95 * 10);
    }

    void tcpReachesHalfOfTheNetwork()
    {
        QCOMPARE(GBps(smallNodes("tcp"), layoutOf(1, 4, 2), Kind::dp), 0.50 * 10);
        QCOMPARE(GBps(smallNodes("tcp"), layoutOf(1, 4, 2), Kind::tp), 0.80 * 100);
    }

    void otherNetworksReachAsLittle()
    {
        for (const char* const kind : {"loopback", "omnipath"})
            QCOMPARE(GBps(smallNodes(kind), layoutOf(1, 4, 2), Kind::dp), 0.50 * 10);
        QCOMPARE(GBps(smallNodes("roce"), layoutOf(1, 4, 2), Kind::dp), 0.95 * 10);
    }

    // The same links, said of a GPU or of the node.
    void bandwidthsOfANodeAreSharedByItsGpus()
    {
        Cluster cluster = smallNodes();
        cluster.intra_node.bandwidth_of = BandwidthOf::node;
        cluster.inter_node.bandwidth_of = BandwidthOf::gpu;
        QCOMPARE(GBps(cluster, layoutOf(1, 4, 2), Kind::tp), 0.80 * 25);
        QCOMPARE(GBps(cluster, layoutOf(1, 4, 2), Kind::dp), 0.95 * 40);
    }

    // Four GPUs have 40 GB/s each of four NICs, half of it of two, twice as much of eight.
    void theRateOfANicIsTakenAsOftenAsANodeHasThem_data()
    {
        QTest::addColumn<int>("nics");
        QTest::addColumn<double>("expected_GBps");
        QTest::newRow("one for four") << 1 << 0.95 * 10;
        QTest::newRow("two for four") << 2 << 0.95 * 20;
        QTest::newRow("each its own") << 4 << 0.95 * 40;
        QTest::newRow("two for each") << 8 << 0.95 * 80;
    }
    void theRateOfANicIsTakenAsOftenAsANodeHasThem()
    {
        QFETCH(int, nics);
        QFETCH(double, expected_GBps);
        Cluster cluster = smallNodes();
        cluster.inter_node.bandwidth_of = BandwidthOf::nic;
        cluster.nics_per_node = nics;
        QCOMPARE(GBps(cluster, layoutOf(1, 4, 2), Kind::dp), expected_GBps);
        const Machine machine{cluster};
        QCOMPARE(machine.interconnect.network.value(), 40e9 * nics);
        // While the others are silent a GPU sends by a whole NIC, or by all that are its own.
        QCOMPARE(machine.interconnect.adapter.value(), std::max(40e9, 10e9 * nics));
    }

    void ofGpusAndNodesTheNumberOfNicsChangesNoRate()
    {
        for (const BandwidthOf owner : {BandwidthOf::gpu, BandwidthOf::node}) {
            Cluster cluster = smallNodes();
            cluster.inter_node.bandwidth_of = owner;
            const double without = GBps(cluster, layoutOf(1, 4, 2), Kind::dp);
            cluster.nics_per_node = 2;
            QCOMPARE(GBps(cluster, layoutOf(1, 4, 2), Kind::dp), without);
        }
    }

    void aLinkWithoutAFigureTakesNoTime()
    {
        QCOMPARE(transferTime(Bytes{1e9}, BytesPerSecond{2e9}).value(), 0.5);
        QCOMPARE(transferTime(Bytes{1e9}, BytesPerSecond{}).value(), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestLinkBandwidth)
#include "tst_link_bandwidth.moc"
