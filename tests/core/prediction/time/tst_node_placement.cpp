#include <QTest>

#include "core/prediction/time/node_placement.h"
#include "tests/core/prediction/scenarios.h"

#include <map>
#include <set>

using namespace shardscope;

namespace
{

struct Sizes {
    std::int64_t pipeline = 1;
    std::int64_t tensor = 1;
    std::int64_t data = 1;
    std::int64_t node = 8;
    std::int64_t expert = 1;
};

Parallel parallelOf(const Sizes& sizes)
{
    Parallel parallel = test::gpt3b(1, 1, 1).parallel;
    parallel.pipeline = sizes.pipeline;
    parallel.tensor = sizes.tensor;
    parallel.data = sizes.data;
    parallel.expert = sizes.expert;
    return parallel;
}

Machine machineOf(const Sizes& sizes)
{
    Scenario scenario = test::gpt3b(1, 1, 1);
    scenario.cluster.gpus_per_node = sizes.node;
    scenario.cluster.scale_up_gpus = 0;
    scenario.cluster.inter_node.bandwidth_of = BandwidthOf::gpu;
    scenario.cluster.inter_node.bandwidth_GBps = 25.0;
    return Machine{scenario.cluster};
}

// The least that any ring has of a node's network, in GB/s, with all groups of the kind at once: each node
// looked at by itself.
double leastShare(const RankLayout& layout, Kind kind, const Machine& machine)
{
    const std::int64_t domain = machine.domainOf(layout.worldSize());
    std::map<std::int64_t, std::set<std::vector<std::int64_t>>> leaving; // groups by node
    for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank) {
        const std::vector<std::int64_t> group = layout.group(kind, rank);
        for (const std::int64_t member : group)
            if (member / domain != rank / domain)
                leaving[rank / domain].insert(group);
    }
    double least = 0.0;
    for (const auto& [node, groups] : leaving)
        for (const std::vector<std::int64_t>& group : groups) {
            const auto there =
                std::ranges::count_if(group, [&](std::int64_t member) { return member / domain == node; });
            const double share =
                std::min(machine.interconnect.network.value() / static_cast<double>(groups.size()),
                         machine.interconnect.adapter.value() * static_cast<double>(there));
            least = least == 0.0 ? share : std::min(least, share);
        }
    return least / 1e9;
}

double shareOf(const Communicator& group, const Machine& machine)
{
    const int adapters = group.adapters > 0 ? group.adapters : group.fewestOnNode();
    return group.nodes() == 1 ? 0.0
                              : std::min(machine.interconnect.network.value() / group.siblings,
                                         machine.interconnect.adapter.value() * adapters)
                                    / 1e9;
}

} // namespace

class TestNodePlacement : public QObject
{
    Q_OBJECT
private slots:
    void theSlowestGroupIsTheOneThatCounts_data()
    {
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("t");
        QTest::addColumn<int>("d");
        QTest::addColumn<int>("node");
        QTest::addColumn<int>("e");
        QTest::newRow("whole nodes") << 4 << 4 << 8 << 8 << 1;
        QTest::newRow("three tensor ranks on nodes of eight") << 1 << 3 << 8 << 8 << 1;
        QTest::newRow("four tensor ranks on nodes of six") << 1 << 4 << 6 << 6 << 1;
        QTest::newRow("six replicas on nodes of eight") << 4 << 1 << 6 << 8 << 1;
        QTest::newRow("a node and a half") << 1 << 1 << 12 << 8 << 1;
        QTest::newRow("three replicas of four") << 2 << 4 << 3 << 8 << 1;
        QTest::newRow("a pipeline of single GPUs") << 16 << 1 << 1 << 8 << 1;
        QTest::newRow("experts over racks of 72, filled with 64") << 1 << 1 << 128 << 72 << 64;
    }
    void theSlowestGroupIsTheOneThatCounts()
    {
        QFETCH(int, p);
        QFETCH(int, t);
        QFETCH(int, d);
        QFETCH(int, node);
        QFETCH(int, e);
        const Sizes sizes{p, t, d, node, e};
        const RankLayout layout{parallelOf(sizes)};
        const Machine machine = machineOf(sizes);
        for (const Kind kind : {Kind::tp, Kind::dp, Kind::ep, Kind::edp, Kind::emb, Kind::mp}) {
            const double expected = leastShare(layout, kind, machine);
            const double told = shareOf(communicatorOf(layout, kind, machine), machine);
            QVERIFY2(std::abs(expected - told) < 1e-9, qPrintable(QStringLiteral("%1: %2 instead of %3")
                                                                      .arg(QLatin1String{word(kind).data()})
                                                                      .arg(told)
                                                                      .arg(expected)));
        }
    }

    void onlyRanksThatSendShareTheWayToTheNextStage()
    {
        const auto way = [](const Sizes& sizes, int stage) {
            return nextStageWay(RankLayout{parallelOf(sizes)}, stage, machineOf(sizes));
        };
        QVERIFY(way({16, 1, 1}, 0).same_node);
        QVERIFY(!way({16, 1, 1}, 7).same_node);
        QCOMPARE(way({16, 1, 1}, 7).sharing, 1);
        QCOMPARE(way({8, 2, 1}, 3).sharing, 2);
        QCOMPARE(way({4, 8, 1}, 0).sharing, 8);
        // Stage 0 of six replicas: ranks 0 and 1 find stage 1 on their node, 2 to 5 do not.
        QVERIFY(!way({4, 1, 6}, 0).same_node);
        QCOMPARE(way({4, 1, 6}, 0).sharing, 4);
    }

    void racksAreFilledEvenlyWithWholeNodes()
    {
        Scenario scenario = test::gpt3b(1, 1, 1);
        scenario.cluster.gpus_per_node = 4;
        scenario.cluster.scale_up_gpus = 72;
        const Machine machine{scenario.cluster};
        QCOMPARE(machine.domainOf(64), 72);
        QCOMPARE(machine.domainOf(128), 64);
        QCOMPARE(machine.domainOf(144), 72);
        QCOMPARE(machine.domainOf(146), 52);
        scenario.cluster.gpus_per_node = 72; // a rack that counts as one node is handed out by trays of four
        const Machine rack{scenario.cluster};
        QCOMPARE(rack.domainOf(72), 72);
        QCOMPARE(rack.domainOf(256), 64);
        scenario.cluster.gpus_per_node = 8;
        scenario.cluster.scale_up_gpus = 0;
        QCOMPARE(Machine{scenario.cluster}.domainOf(12), 8); // a node is never shared
    }
};

QTEST_APPLESS_MAIN(TestNodePlacement)
#include "tst_node_placement.moc"
