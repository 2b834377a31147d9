#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/traffic/busiest_links.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/prediction/random_scenario.h"

#include <cmath>

using namespace shardscope;

namespace
{

bool areClose(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

Scenario laidOut(std::int64_t pipeline, std::int64_t tensor, std::int64_t data, RankOrder order)
{
    Scenario scenario;
    scenario.parallel.pipeline = pipeline;
    scenario.parallel.tensor = tensor;
    scenario.parallel.data = data;
    scenario.parallel.rank_order = order;
    scenario.training.global_batch_size = scenario.training.micro_batch_size * data;
    return scenario;
}

TrafficFamilies familiesOf(const Scenario& scenario)
{
    return TrafficFamilies{TrafficMatrix{scenario, predict(scenario).value()}};
}

// What a member of the kind's groups sends to the next one.
double ofRing(const TrafficFamilies& families, Kind kind)
{
    return families.of(kind).front().bytes;
}

// Times that add up: nothing runs beside anything else, and no switch or tree sends less than a ring.
Scenario oneAfterTheOther(Scenario scenario)
{
    Conventions& conventions = scenario.conventions;
    conventions.dp_overlap = conventions.param_overlap = conventions.tp_overlap = false;
    conventions.pp_overlap = conventions.ep_overlap = false;
    scenario.parallel.context_method = ContextMethod::ulysses; // a ring hides behind attention
    scenario.time_model = TimeModel::detailed;
    scenario.cluster.collectives.switch_reduce_efficiency = 0.0;
    return scenario;
}

constexpr RankOrder replicas_apart{Dimension::tp, Dimension::pp, Dimension::cp, Dimension::ep, Dimension::dp};

} // namespace

// How what groups send is shared out over the links of their members on a node.
class TestNodeLoads : public QObject
{
    Q_OBJECT
private slots:
    void aGroupLeavesItsNodeByTheNicsOfAllMembersThere_data()
    {
        QTest::addColumn<int>("t");
        QTest::addColumn<int>("d");
        QTest::addColumn<int>("members"); // of eight ranks
        QTest::newRow("eight replicas on a node") << 1 << 16 << 8;
        QTest::newRow("two of eight") << 4 << 8 << 2;
        QTest::newRow("one") << 8 << 4 << 1;
    }
    void aGroupLeavesItsNodeByTheNicsOfAllMembersThere()
    {
        QFETCH(int, t);
        QFETCH(int, d);
        QFETCH(int, members);
        const TrafficFamilies families = familiesOf(laidOut(1, t, d, megatron_rank_order));
        const NodeLoads links = nodeLoads(families, 0, 8, false, {});
        const double all = ofRing(families, Kind::dp);
        for (const LinkLoad& load : links.loads()) {
            QVERIFY(load.sent_bytes > 0.99 * all / members && load.sent_bytes < 1.01 * all / members);
            QVERIFY(areClose(load.sent_bytes, load.received_bytes));
        }
    }

    // Of the node together nothing changes.
    void aNodeSendsAsMuchAsItsRanks()
    {
        const TrafficFamilies families = familiesOf(laidOut(2, 2, 8, megatron_rank_order));
        const NodeLoads links = nodeLoads(families, 8, 8, false, {});
        LinkLoad sum;
        for (const LinkLoad& load : links.loads())
            sum += load;
        const LinkLoad expected = linkLoad(families, 8, 8, 8);
        QVERIFY(areClose(sum.sent_bytes, expected.sent_bytes) && sum.sent_bytes > 0.0);
        QVERIFY(areClose(sum.received_bytes, expected.received_bytes));
        QVERIFY(areClose(sum.inside_bytes, expected.inside_bytes) && sum.inside_bytes > 0.0);
    }

    void stagesSendByTheirOwnNics()
    {
        const TrafficFamilies families = familiesOf(laidOut(2, 8, 1, megatron_rank_order));
        const NodeLoads links = nodeLoads(families, 0, 8, false, {});
        for (const LinkLoad& load : links.loads())
            QVERIFY(load.sent_bytes >= ofRing(families, Kind::pp));
    }

    // As the times have it where ZeRO 3 gathers tensor by tensor.
    void ringsOfOneNicLeaveByOne()
    {
        Scenario scenario = laidOut(1, 1, 16, megatron_rank_order);
        scenario.parallel.zero_stage = 3;
        scenario.conventions.zero3_by_tensor = true;
        QCOMPARE(nodeShape(scenario).ring_adapters[static_cast<std::size_t>(Kind::dp)], 1.0);
        const TrafficFamilies families = familiesOf(scenario);
        const NodeLoads links = nodeLoads(families, 0, 8, false, nodeShape(scenario).ring_adapters);
        QVERIFY(links.loads()[0].sent_bytes >= ofRing(families, Kind::dp));
        QVERIFY(links.loads()[1].sent_bytes < 1e-3 * links.loads()[0].sent_bytes);
        scenario.conventions.zero3_by_tensor = false;
        QCOMPARE(nodeShape(scenario).ring_adapters[static_cast<std::size_t>(Kind::dp)], 0.0);
    }

    // Four ranks joined each to each send a third of a ring's bytes over each link.
    void ofAMeshAllLinksAmongTheMembersCarry()
    {
        const TrafficFamilies families = familiesOf(laidOut(1, 4, 2, megatron_rank_order));
        const NodeLoads links = nodeLoads(families, 0, 8, true, {});
        const double of_pair = ofRing(families, Kind::tp) / 3.0;
        QVERIFY(links.between(0, 3) > 0.99 * of_pair && links.between(0, 3) < 1.01 * of_pair);
        QVERIFY(areClose(links.between(0, 3), links.between(2, 1)));
        QCOMPARE(links.between(0, 0), 0.0);
    }

    // GPUs 0 and 1 of three that a run recorded: the scenario's groups tell that a third one shares the way.
    void groupsOfTheLayoutHoldRanksThatWereNotRecorded()
    {
        const Scenario scenario = laidOut(1, 1, 8, megatron_rank_order);
        const RankLayout layout{scenario.parallel};
        const std::vector<CellsOfKind> kinds{{Kind::dp, {{3, 4, 80.0}}}};
        const NodeShape nodes_of_four{4, 1, false};
        QCOMPARE(busiestLinks(kinds, 8, nodes_of_four, nullptr).card.sent_bytes, 80.0);
        QCOMPARE(busiestLinks(kinds, 8, nodes_of_four, &layout).card.sent_bytes, 20.0);
    }

    void noLinkIsLongerBusyThanTheIteration_data()
    {
        QTest::addColumn<BandwidthOf>("owner");
        QTest::addColumn<double>("GBps");
        QTest::addColumn<int>("nics");
        QTest::newRow("a NIC for each GPU") << BandwidthOf::gpu << 50.0 << 0;
        QTest::newRow("one that all share") << BandwidthOf::node << 12.5 << 1;
        QTest::newRow("two NICs") << BandwidthOf::nic << 25.0 << 2;
        QTest::newRow("GPUs with less than a NIC has") << BandwidthOf::gpu << 3.0 << 0;
        QTest::newRow("as many slow ones as GPUs") << BandwidthOf::gpu << 1.25 << 8;
    }
    void noLinkIsLongerBusyThanTheIteration()
    {
        QFETCH(BandwidthOf, owner);
        QFETCH(double, GBps);
        QFETCH(int, nics);
        test::RandomScenarios random{20261127};
        constexpr int scenarios = 200;
        int links_seen = 0;
        for (int i = 0; i < scenarios; ++i) {
            Scenario scenario = oneAfterTheOther(random.next());
            // Stages send both ways at the same time.
            if (scenario.parallel.pipeline > 1 || !validate(scenario).empty())
                continue;
            scenario.parallel.rank_order = i % 2 == 0 ? megatron_rank_order : replicas_apart;
            scenario.cluster.gpus_per_node = i % 3 == 0 ? 4 : 8;
            scenario.cluster.node_wiring = i % 5 == 0 ? NodeWiring::mesh : NodeWiring::switched;
            scenario.cluster.nics_per_node = nics;
            scenario.cluster.inter_node.bandwidth_of = owner;
            scenario.cluster.inter_node.bandwidth_GBps = GBps;
            const auto predicted = predict(scenario);
            QVERIFY2(predicted, predicted ? "" : predicted.error().sentence.c_str());
            const TrafficFamilies families{TrafficMatrix{scenario, predicted.value()}};
            for (const LinkUse& use :
                 linkUses(busiestLinks(families, nodeShape(scenario)), scenario.cluster)) {
                ++links_seen;
                const double share = use.busy_s() / predicted.value().time.iteration_s;
                QVERIFY2(share <= 1.0, qPrintable(QStringLiteral("scenario %1: %2").arg(i).arg(share)));
            }
        }
        QVERIFY(links_seen > scenarios / 4);
    }

    void allRanksTogetherHaveWhatEachHasByItself()
    {
        test::RandomScenarios random{20261127};
        for (int i = 0; i < 40; ++i) {
            const Scenario scenario = random.next();
            const TrafficFamilies families = familiesOf(scenario);
            const std::span<const TrafficFamily> all = families.of(std::nullopt);
            const std::vector<LinkLoad> loads = linkLoads(all, families.worldSize(), 4);
            for (std::int64_t rank = 0; rank < families.worldSize(); ++rank) {
                const LinkLoad& one = loads[static_cast<std::size_t>(rank)];
                const LinkLoad other = linkLoad(all, rank, 1, 4);
                QVERIFY(areClose(one.sent_bytes, other.sent_bytes));
                QVERIFY(areClose(one.received_bytes, other.received_bytes));
                QVERIFY(areClose(one.inside_bytes, other.inside_bytes));
                QVERIFY(areClose(one.inside_received_bytes, other.inside_received_bytes));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestNodeLoads)
#include "tst_node_loads.moc"
