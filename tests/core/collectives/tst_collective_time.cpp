#include <QTest>

#include "core/collectives/collective_cost.h"
#include "core/collectives/collective_time.h"
#include "core/collectives/link_law.h"

#include <cmath>

using namespace shardscope;

namespace
{

Interconnect a100Nodes()
{
    Interconnect interconnect;
    interconnect.intra = BytesPerSecond{300e9};
    interconnect.network = BytesPerSecond{200e9};
    interconnect.intra_latency = Seconds{6e-6};
    interconnect.inter_latency = Seconds{30e-6};
    return interconnect;
}

double microseconds(Op op, double bytes, Communicator group, const Interconnect& interconnect)
{
    return 1e6 * collectiveTime(op, Bytes{bytes}, group, interconnect).value();
}

} // namespace

class TestCollectiveTime : public QObject
{
    Q_OBJECT
private slots:
    void aGroupOfOneTakesNoTime()
    {
        for (const Op op :
             {Op::all_reduce, Op::all_gather, Op::reduce_scatter, Op::all_to_all, Op::broadcast})
            QCOMPARE(microseconds(op, 1e9, {1, 1, 1}, a100Nodes()), 0.0);
    }

    // Published nccl-tests runs; the law is within the given share of them.
    void measuredTimesAreMet_data()
    {
        QTest::addColumn<double>("mebibytes");
        QTest::addColumn<double>("measured_us");
        QTest::addColumn<double>("within");
        // stas00/ml-engineering, all_reduce of 8 A100 on NVSwitch
        QTest::newRow("32 KiB") << 1.0 / 32 << 43.8 << 0.10;
        QTest::newRow("8 MiB") << 8.0 << 133.5 << 0.15;
        QTest::newRow("512 MiB") << 512.0 << 4218.4 << 0.05;
        QTest::newRow("8 GiB") << 8192.0 << 64074.0 << 0.02;
    }
    void measuredTimesAreMet()
    {
        QFETCH(double, mebibytes);
        QFETCH(double, measured_us);
        QFETCH(double, within);
        const double time = microseconds(Op::all_reduce, mebibytes * 1048576, {8, 8, 1}, a100Nodes());
        QVERIFY2(std::abs(time / measured_us - 1) < within, qPrintable(QString::number(time)));
    }

    void ringsPayLatencyForEachMember()
    {
        const Interconnect nodes = a100Nodes();
        const double gather = microseconds(Op::all_gather, 8e6, {8, 8, 1}, nodes);
        // 13.4 + 7 * 4.62 us and 7/8 of the message at 0.785 * 300 GB/s
        QCOMPARE(gather, 13.4 + 7 * 4.62 + 7e6 / (0.785 * 300e9) * 1e6);
        QCOMPARE(microseconds(Op::reduce_scatter, 8e6, {8, 8, 1}, nodes), gather);
    }

    // Without a switch a GPU reaches each other one by links of their own: the whole node uses all of them,
    // two GPUs those between them.
    void aPartOfAMeshHasAPartOfItsLinks()
    {
        Interconnect node = a100Nodes();
        node.law.ring_base_us = 0;
        node.law.ring_step_us = 0;
        const auto gather = [&](int members) {
            return microseconds(Op::all_gather, 1e9, {members, members, 1}, node);
        };
        const double two = gather(2);
        const double four = gather(4);
        node.mesh_peers = 3;
        QCOMPARE(gather(4), four);
        QCOMPARE(gather(2), 3 * two);
        const double sent = sendTime(Bytes{1e9}, true, 1, node).value() - node.intra_latency.value();
        QCOMPARE(sent, 3e9 / (0.785 * 300e9));
        // No switch, no sums in it.
        node.law.switch_reduce_efficiency = 1.08;
        const double reduced = microseconds(Op::all_reduce, 1e9, {4, 4, 1}, node);
        QVERIFY(reduced > 1.5e9 / (0.785 * 300e9) * 1e6);
    }

    void boardsWithoutASwitchAreMeshes_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<double>("GBps");
        QTest::addColumn<int>("gpus");
        QTest::addColumn<int>("peers");
        QTest::newRow("four A100") << "nvlink3" << 300.0 << 4 << 3;
        QTest::newRow("four V100") << "nvlink2" << 150.0 << 4 << 3;
        QTest::newRow("eight H100 on NVSwitch") << "nvlink4" << 450.0 << 8 << 0;
        QTest::newRow("a tray of four GB200") << "nvlink5" << 900.0 << 4 << 0;
        QTest::newRow("eight MI300X") << "infinity_fabric" << 448.0 << 8 << 7;
        QTest::newRow("four MI210") << "infinity_fabric" << 150.0 << 4 << 3;
        QTest::newRow("MI250X, one link told") << "infinity_fabric" << 50.0 << 8 << 0;
        QTest::newRow("a bus") << "pcie4" << 31.5 << 4 << 0;
        QTest::newRow("one GPU") << "nvlink3" << 300.0 << 1 << 0;
    }
    void boardsWithoutASwitchAreMeshes()
    {
        QFETCH(QString, kind);
        QFETCH(double, GBps);
        QFETCH(int, gpus);
        QTEST(meshPeers(kind.toStdString(), GBps, gpus), "peers");
    }

    // Nobody measured the steps of a larger one.
    void aDomainBeyondARackTakesItsSteps()
    {
        const Interconnect rack = a100Nodes();
        QCOMPARE(microseconds(Op::all_reduce, 0, {144, 144, 1}, rack),
                 microseconds(Op::all_reduce, 0, {72, 72, 1}, rack));
        QVERIFY(microseconds(Op::all_reduce, 0, {71, 71, 1}, rack)
                < microseconds(Op::all_reduce, 0, {72, 72, 1}, rack));
    }

    void siblingsShareTheNodesNetwork()
    {
        Interconnect nodes = a100Nodes();
        nodes.law.ring_base_us = 0;
        nodes.law.ring_step_us = 0;
        const double alone = microseconds(Op::all_gather, 1e9, {4, 1, 1}, nodes);
        const double eight = microseconds(Op::all_gather, 1e9, {4, 1, 8}, nodes);
        QCOMPARE(alone, 0.75e9 / (0.96 * 200e9) * 1e6);
        QCOMPARE(eight, 8 * alone);
        // A group that fills its nodes has the network for itself.
        QCOMPARE(microseconds(Op::all_gather, 1e9, {32, 8, 1}, nodes),
                 31.0 / 32 * 1e9 / (0.96 * 200e9) * 1e6);
    }

    void largeMessagesApproachTheSlowestLink()
    {
        const Interconnect nodes = a100Nodes();
        const Bytes large{1e12};
        const Seconds inside = collectiveTime(Op::all_reduce, large, {8, 8, 1}, nodes);
        const Seconds across = collectiveTime(Op::all_reduce, large, {64, 8, 1}, nodes);
        QVERIFY(std::abs(busBandwidthGBps(Op::all_reduce, 8, large, inside) / (0.785 * 300) - 1) < 1e-3);
        QVERIFY(std::abs(busBandwidthGBps(Op::all_reduce, 64, large, across) / (0.96 * 200) - 1) < 1e-3);
    }

    void switchesThatAddHalveWhatIsSentBetweenNodes()
    {
        Interconnect nodes = a100Nodes();
        nodes.intra_latency = Seconds{0.0};
        nodes.law.all_reduce_step_us = 0;
        nodes.law.all_reduce_doubling_us = 0;
        nodes.intra = BytesPerSecond{1e13}; // the network is what counts
        const double without = microseconds(Op::all_reduce, 1e9, {16, 8, 1}, nodes);
        nodes.in_network_reduction = true;
        QCOMPARE(without / microseconds(Op::all_reduce, 1e9, {16, 8, 1}, nodes), 2 * 15.0 / 16);
    }

    // Trees between switches were measured (GB200 NVL72 on 2 and 20 racks), rings of single adapters lose
    // nothing.
    void whatManyNodesLoseIsOfTheTreesBetweenSwitches_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("per_node");
        QTest::addColumn<double>("switches");
        QTest::addColumn<double>("loss");
        const auto row = [](const char* name, Op op, int per_node, double switches, double loss) {
            QTest::newRow(name) << static_cast<int>(op) << per_node << switches << loss;
        };
        row("all_reduce of switches", Op::all_reduce, 8, 1.0, 1.5);
        row("one rank on a node has no switch", Op::all_reduce, 1, 1.0, 0.0);
        row("a ring beside switches", Op::all_gather, 8, 1.0, 0.0);
        row("rings without switches", Op::all_gather, 8, 0.0, 1.5);
        row("all_to_all goes straight", Op::all_to_all, 8, 0.0, 0.0);
    }
    void whatManyNodesLoseIsOfTheTreesBetweenSwitches()
    {
        QFETCH(int, op);
        QFETCH(int, per_node);
        QFETCH(double, switches);
        Interconnect nodes = a100Nodes();
        nodes.law.derate_per_doubling = 1.5;
        nodes.law.switch_reduce_efficiency = switches;
        QTEST(lossPerDoubling(static_cast<Op>(op), {4 * per_node, per_node, 1}, nodes), "loss");
    }

    void twoAndThreeNodesSendLessByTrees_data()
    {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("per_node");
        QTest::addColumn<double>("gain");
        QTest::newRow("two nodes") << 2 << 8 << 2 * 15.0 / 16;
        QTest::newRow("three nodes") << 3 << 8 << 2 * 23.0 / 24 / 1.5;
        QTest::newRow("four nodes take a ring") << 4 << 8 << 1.0;
        QTest::newRow("a rank on each of two nodes sends no less") << 2 << 1 << 1.0;
        QTest::newRow("a rank on each of three sends less in a ring") << 3 << 1 << 1.0;
    }
    void twoAndThreeNodesSendLessByTrees()
    {
        QFETCH(int, nodes);
        QFETCH(int, per_node);
        Interconnect links = a100Nodes();
        links.intra_latency = Seconds{0.0};
        links.law.all_reduce_step_us = 0;
        links.law.all_reduce_doubling_us = 0;
        links.intra = BytesPerSecond{1e13}; // the network is what counts
        const Communicator group{nodes * per_node, per_node, 1};
        const double by_rings = microseconds(Op::all_reduce, 1e9, group, links);
        const double gathered = microseconds(Op::all_gather, 1e9, group, links);
        links.few_node_trees = true;
        QTEST(by_rings / microseconds(Op::all_reduce, 1e9, group, links), "gain");
        QCOMPARE(microseconds(Op::all_gather, 1e9, group, links), gathered);
    }

    void switchesBetweenNodesLeaveTheRingInsideThem()
    {
        Interconnect nodes = a100Nodes();
        nodes.in_network_reduction = true;
        QVERIFY(microseconds(Op::all_reduce, 8e9, {16, 8, 1}, nodes)
                >= microseconds(Op::all_reduce, 8e9, {8, 8, 1}, nodes));
    }

    // 64 GPUs on eight nodes, pods of two: what an all_to_all sends out of a pod is 48 of the 56 parts that
    // leave a node. Losses on many nodes do not come on top.
    void podsSlowWhatLeavesThem_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<double>("oversubscription");
        QTest::addColumn<double>("slowdown");
        QTest::newRow("a ring leaves its pod once") << static_cast<int>(Op::all_reduce) << 7.0 << 3.5;
        QTest::newRow("the pod's way holds a ring") << static_cast<int>(Op::all_gather) << 2.0 << 1.0;
        QTest::newRow("most of an all_to_all leaves it")
            << static_cast<int>(Op::all_to_all) << 7.0 << 7.0 * 48.0 / 56.0;
        QTest::newRow("whole bandwidth") << static_cast<int>(Op::all_to_all) << 1.0 << 1.0;
    }
    void podsSlowWhatLeavesThem()
    {
        QFETCH(int, op);
        QFETCH(double, oversubscription);
        QFETCH(double, slowdown);
        Interconnect links = a100Nodes();
        links.intra = BytesPerSecond{1e13}; // the network is what counts
        Communicator group{64, 8, 1};
        const CollectiveCost free_way = collectiveCost(static_cast<Op>(op), Bytes{1e9}, group, links);
        group.pods = {0.5, 48.0 / 56.0};
        links.oversubscription = oversubscription;
        const CollectiveCost cost = collectiveCost(static_cast<Op>(op), Bytes{1e9}, group, links);
        QCOMPARE(podSlowdown(static_cast<Op>(op), group, links), slowdown);
        QCOMPARE(cost.networkTime().value(), free_way.networkTime().value() * slowdown);
        QCOMPARE(microseconds(Op::send, 1e9, group, links) > microseconds(Op::send, 1e9, {64, 8, 1}, links),
                 0.5 * oversubscription > 1.0);
    }

    void aRankThatIsAloneOnItsNodeHasOneAdapter()
    {
        Interconnect nodes = a100Nodes();
        nodes.adapter = nodes.network / 8;
        const double nine = microseconds(Op::all_reduce, 8e9, {9, 8, 1}, nodes);
        const double sixteen = microseconds(Op::all_reduce, 8e9, {16, 8, 1}, nodes);
        QVERIFY2(nine > 5.0 * sixteen, qPrintable(QString::number(nine / sixteen)));
    }

    // Four GPUs of a node reduce through one of its four adapters; what each sends to all others does not.
    void aRingMayLeaveItsNodeByOneAdapter()
    {
        Interconnect links = a100Nodes();
        links.adapter = links.network / 4;
        links.law.all_reduce_doubling_us = 0;
        links.law.ring_step_us = 0;
        const auto slowdown = [&](Op op, int siblings) {
            const Communicator group{16, 4, siblings};
            Interconnect by_one = links;
            by_one.law.ring_adapters = 1.0;
            return microseconds(op, 64e9, group, by_one) / microseconds(op, 64e9, group, links);
        };
        for (const Op op : {Op::all_reduce, Op::all_gather, Op::reduce_scatter})
            QVERIFY(slowdown(op, 1) > 3.9 && slowdown(op, 1) <= 4.0);
        QCOMPARE(slowdown(Op::all_to_all, 1), 1.0);
        QCOMPARE(slowdown(Op::all_gather, 4), 1.0); // each of four groups has one in any case
    }

    void moreNodesAreNoneTheSooner()
    {
        Interconnect large = a100Nodes();
        for (const int per_node : {8, 72, 4096})
            QVERIFY(microseconds(Op::all_reduce, 4, {2 * per_node, per_node, 1}, large)
                    >= microseconds(Op::all_reduce, 4, {per_node, per_node, 1}, large));
    }

    // all_reduce of 8 GiB on 4 to 8 GPUs of an H200 node; stas00/ml-engineering network/README.md
    void aNodesSwitchTakesTheMessageAndGivesEachItsPart_data()
    {
        QTest::addColumn<int>("members");
        QTest::addColumn<double>("measured_GBps");
        QTest::newRow("4") << 4 << 363.3;
        QTest::newRow("5") << 5 << 414.2;
        QTest::newRow("6") << 6 << 435.6;
        QTest::newRow("7") << 7 << 460.0;
        QTest::newRow("8") << 8 << 473.1;
    }
    void aNodesSwitchTakesTheMessageAndGivesEachItsPart()
    {
        QFETCH(int, members);
        Interconnect node;
        node.intra = BytesPerSecond{450e9};
        node.intra_latency = Seconds{6e-6};
        takeIntraLink(node.law, "nvlink4");
        const Bytes message{8.0 * 1024 * 1048576};
        const Seconds time = collectiveTime(Op::all_reduce, message, {members, members, 1}, node);
        const double bus = busBandwidthGBps(Op::all_reduce, members, message, time);
        QFETCH(double, measured_GBps);
        QVERIFY2(std::abs(bus / measured_GBps - 1) < 0.03, qPrintable(QString::number(bus)));
    }

    void aSwitchIsLeftAloneByFewMembers()
    {
        // Two GPUs exchange halves faster than they send all of it to the switch.
        Interconnect node = a100Nodes();
        const double ring_of_two = microseconds(Op::all_reduce, 1e9, {2, 2, 1}, node);
        const double ring_of_eight = microseconds(Op::all_reduce, 1e9, {8, 8, 1}, node);
        node.law.switch_reduce_efficiency = 1.08;
        QCOMPARE(microseconds(Op::all_reduce, 1e9, {2, 2, 1}, node), ring_of_two);
        QVERIFY(microseconds(Op::all_reduce, 1e9, {8, 8, 1}, node) < ring_of_eight);
    }

    void aSharedAdapterIsWholeForOneGpu()
    {
        Interconnect nodes = a100Nodes();
        nodes.law.ring_base_us = 0;
        nodes.law.ring_step_us = 0;
        nodes.adapter = BytesPerSecond{25e9};
        QCOMPARE(microseconds(Op::all_gather, 1e9, {4, 1, 1}, nodes), 0.75e9 / (0.96 * 25e9) * 1e6);
        QCOMPARE(microseconds(Op::all_gather, 1e9, {8, 2, 1}, nodes), 0.875e9 / (0.96 * 50e9) * 1e6);
        QCOMPARE(sendTime(Bytes{1e9}, false, 1, nodes).value(), 30e-6 + 1e9 / (0.96 * 25e9));
    }

    void blendOfOneIsHockneysModel()
    {
        Interconnect nodes = a100Nodes();
        nodes.law.blend = 1.0;
        const double time = microseconds(Op::all_reduce, 1e6, {2, 2, 1}, nodes);
        QCOMPARE(time, 6 + 2 * 2.8 + 1e6 / (0.785 * 300e9) * 1e6);
    }

    void messagesBetweenTwoRanksShareTheAdapters()
    {
        const Interconnect nodes = a100Nodes();
        QCOMPARE(sendTime(Bytes{1e8}, true, 8, nodes).value(), 6e-6 + 1e8 / (0.785 * 300e9));
        QCOMPARE(sendTime(Bytes{1e8}, false, 8, nodes).value(), 30e-6 + 1e8 / (0.96 * 25e9));
    }

    void aNetworkWiderThanTheGpusLinkIsBoundByThat()
    {
        Interconnect nodes = a100Nodes();
        nodes.network = BytesPerSecond{3200e9};
        QCOMPARE(sendTime(Bytes{1e9}, false, 1, nodes).value(), 30e-6 + 1e9 / 300e9);
    }

    void allToAllInsideANodeKeepsTheOwnPart()
    {
        Interconnect nodes = a100Nodes();
        nodes.law.ring_base_us = 0;
        nodes.law.ring_step_us = 0;
        QCOMPARE(microseconds(Op::all_to_all, 8e9, {8, 8, 1}, nodes), 7e9 / (0.785 * 300e9) * 1e6);
    }

    void allToAllAcrossNodesIsBoundByTheNetwork()
    {
        Interconnect nodes = a100Nodes();
        nodes.law.ring_base_us = 0;
        nodes.law.ring_step_us = 0;
        // Half of what eight ranks put in leaves the node, through 0.96 * 200 GB/s.
        QCOMPARE(microseconds(Op::all_to_all, 1e9, {16, 8, 1}, nodes), 0.5 * 8 * 1e9 / (0.96 * 200e9) * 1e6);
    }

    void largerMessagesNeverTakeLess()
    {
        for (const Op op : {Op::all_reduce, Op::all_gather, Op::all_to_all, Op::broadcast, Op::send}) {
            double before = 0;
            for (double bytes = 1; bytes < 1e12; bytes *= 2) {
                const double time = microseconds(op, bytes, {16, 8, 1}, a100Nodes());
                QVERIFY(time >= before);
                before = time;
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestCollectiveTime)
#include "tst_collective_time.moc"
