#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/time/node_placement.h"
#include "core/prediction/time/pod_placement.h"
#include "core/prediction/traffic/busiest_links.h"
#include "core/scenario/rank_order.h"
#include "tests/core/prediction/scenarios.h"

#include <algorithm>
#include <cmath>

using namespace shardscope;

namespace
{

// 64 GPUs on nodes of eight, pods of two nodes.
Scenario onPods(std::int64_t pipeline, std::int64_t tensor, std::int64_t data, RankOrder order)
{
    Scenario scenario = test::gpt3b(pipeline, tensor, data);
    scenario.time_model = TimeModel::detailed;
    scenario.parallel.rank_order = order;
    scenario.cluster.gpus_per_node = 8;
    scenario.cluster.nodes_per_pod = 2;
    scenario.cluster.oversubscription = 7.0;
    return scenario;
}

constexpr RankOrder replicas_together = usual_rank_orders[0];
constexpr RankOrder replicas_apart = usual_rank_orders[1];

double iteration_s(const Scenario& scenario)
{
    return predict(scenario).value().time.iteration_s;
}

bool areClose(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(b));
}

// Over blocks of so many ranks, as many as the law looks at.
template<class Count>
double mostOfBlocks(const RankLayout& layout, std::int64_t ranks, const Count& count)
{
    double most = 0.0;
    for (std::int64_t begin = 0; begin < std::min<std::int64_t>(layout.worldSize(), 8 * ranks);
         begin += ranks) {
        double sum = 0.0;
        for (std::int64_t rank = begin; rank < std::min(layout.worldSize(), begin + ranks); ++rank)
            sum += count(rank, begin / ranks);
        most = std::max(most, sum);
    }
    return most;
}

double mostHops(const RankLayout& layout, Kind kind, std::int64_t ranks)
{
    return mostOfBlocks(layout, ranks, [&](std::int64_t rank, std::int64_t block) {
        return layout.next(kind, rank) / ranks != block ? 1.0 : 0.0;
    });
}

// In ranks that would send all: each sends as much to each member of its expert group.
double mostToAll(const RankLayout& layout, std::int64_t ranks)
{
    return mostOfBlocks(layout, ranks, [&](std::int64_t rank, std::int64_t block) {
        const std::vector<std::int64_t> group = layout.group(Kind::ep, rank);
        return static_cast<double>(
                   std::ranges::count_if(group, [&](std::int64_t member) { return member / ranks != block; }))
               / static_cast<double>(group.size());
    });
}

} // namespace

class TestPodPlacement : public QObject
{
    Q_OBJECT
private slots:
    // Counted by hand: hops of the rings that leave a pod, each with its part of a node's network, of a pod's
    // two nodes.
    void ringsShareWhatLeavesAPod_data()
    {
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("t");
        QTest::addColumn<int>("d");
        QTest::addColumn<bool>("apart");
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("share");
        const auto row = [](const char* name, int p, int t, int d, bool apart, Kind kind, double share) {
            QTest::newRow(name) << p << t << d << apart << static_cast<int>(kind) << share;
        };
        row("tensor ranks stay on a node", 1, 8, 8, false, Kind::tp, 0.0);
        row("replicas on neighbouring nodes: each ring leaves a pod once", 1, 8, 8, false, Kind::dp, 0.5);
        row("one ring of all GPUs", 1, 1, 64, false, Kind::dp, 0.5);
        row("replicas of two stages fit into pods", 4, 8, 2, false, Kind::dp, 0.0);
        row("replicas two nodes apart: every hop leaves", 2, 8, 4, true, Kind::dp, 1.0);
    }
    void ringsShareWhatLeavesAPod()
    {
        QFETCH(int, p);
        QFETCH(int, t);
        QFETCH(int, d);
        QFETCH(bool, apart);
        QFETCH(int, kind);
        const Scenario scenario = onPods(p, t, d, apart ? replicas_apart : replicas_together);
        const Communicator group =
            communicatorOf(RankLayout{scenario.parallel}, static_cast<Kind>(kind), Machine{scenario.cluster});
        QTEST(group.pods.share, "share");
    }

    // Hops and bytes that leave the worst of the first pods, rank by rank.
    void podsAreCountedAsIfRankByRank_data()
    {
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("t");
        QTest::addColumn<int>("d");
        QTest::addColumn<int>("e");
        QTest::addColumn<bool>("apart");
        QTest::addColumn<int>("pod");
        QTest::newRow("pods of three stages of sixteen") << 16 << 8 << 4 << 1 << false << 12;
        QTest::newRow("pods across stages") << 8 << 8 << 2 << 1 << true << 4;
        QTest::newRow("pods that cut replicas") << 4 << 4 << 8 << 1 << false << 2;
        QTest::newRow("pods that cut expert groups in halves") << 2 << 1 << 64 << 32 << false << 2;
        QTest::newRow("pods that cut expert groups anywhere") << 1 << 1 << 256 << 32 << false << 3;
        QTest::newRow("expert groups larger than pods") << 1 << 1 << 256 << 128 << false << 5;
        QTest::newRow("pods that no digit fills") << 4 << 4 << 16 << 4 << true << 3;
    }
    void podsAreCountedAsIfRankByRank()
    {
        QFETCH(int, p);
        QFETCH(int, t);
        QFETCH(int, d);
        QFETCH(int, e);
        QFETCH(bool, apart);
        QFETCH(int, pod);
        Scenario scenario = onPods(p, t, d, apart ? replicas_apart : replicas_together);
        scenario.parallel.expert = e;
        scenario.cluster.nodes_per_pod = pod;
        const RankLayout layout{scenario.parallel};
        const Machine machine{scenario.cluster};
        for (const Kind kind : {Kind::tp, Kind::dp, Kind::emb, Kind::ep, Kind::edp, Kind::mp}) {
            const Communicator group = communicatorOf(layout, kind, machine);
            const double hops = group.nodes() == 1 ? 0.0 : mostHops(layout, kind, 8 * pod);
            QVERIFY2(areClose(group.pods.share, hops / (group.siblings * pod)), word(kind).data());
        }
        const Communicator experts = communicatorOf(layout, Kind::ep, machine);
        const double of_pod = mostToAll(layout, 8 * pod) / pod;
        const double expected = experts.nodes() == 1 ? 0.0 : of_pod / mostToAll(layout, 8);
        // Between members the part inside is taken to grow evenly.
        const std::int64_t apart_by = e > 1 ? layout.group(Kind::ep, 0)[1] : 1;
        const double within = 8 * pod % apart_by == 0 ? 1e-9 : 0.06 * expected;
        QVERIFY(std::fabs(experts.pods.share_to_all - expected) <= within);
    }

    // What leaves pods takes no less time than their way out needs for it.
    void noWayOutIsBusyForLongerThanTheIteration_data()
    {
        QTest::addColumn<int>("e");
        QTest::addColumn<int>("pod");
        QTest::newRow("groups in halves") << 32 << 2;
        QTest::newRow("groups cut anywhere") << 32 << 3;
        QTest::newRow("groups larger than pods") << 64 << 3;
    }
    void noWayOutIsBusyForLongerThanTheIteration()
    {
        QFETCH(int, e);
        QFETCH(int, pod);
        Scenario scenario = onPods(1, 1, 64, replicas_together);
        scenario.model.experts.count = 64;
        scenario.model.experts.per_token = 2;
        scenario.training.global_batch_size = 64 * scenario.training.micro_batch_size;
        scenario.parallel.expert = e;
        scenario.cluster.nodes_per_pod = pod;
        scenario.cluster.oversubscription = 1000.0;
        const auto predicted = predict(scenario);
        QVERIFY2(predicted, predicted ? "" : predicted.error().sentence.c_str());
        const TrafficFamilies families{TrafficMatrix{scenario, predicted.value()}};
        const std::vector<LinkUse> uses =
            linkUses(busiestLinks(families, nodeShape(scenario)), scenario.cluster);
        QVERIFY(uses.back().is_between_pods);
        QVERIFY2(uses.back().busy_s() <= predicted.value().time.iteration_s,
                 qPrintable(QString::number(uses.back().busy_s() / predicted.value().time.iteration_s)));
    }

    void ranksInOrderLeaveAPodOnce()
    {
        const Machine machine{onPods(1, 8, 8, replicas_together).cluster};
        QCOMPARE(podPlaceInOrder({16, 8, 1}, machine), PodPlace{});
        QCOMPARE(podPlaceInOrder({64, 8, 1}, machine), (PodPlace{0.5, 48.0 / 56.0}));
    }

    // Stages of one node: the second of a pod sends to the next pod, the first to the second.
    void onlyStagesAtAPodsEndSendOutOfIt()
    {
        const Scenario scenario = onPods(8, 8, 1, replicas_together);
        const RankLayout layout{scenario.parallel};
        const Machine machine{scenario.cluster};
        QCOMPARE(nextStageWay(layout, 0, machine).pod_share, 0.0);
        QCOMPARE(nextStageWay(layout, 1, machine).pod_share, 0.5);
    }

    void oversubscriptionSlowsWhatLeavesPodsAlone_data()
    {
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("d");
        QTest::addColumn<bool>("apart");
        QTest::addColumn<bool>("slows");
        QTest::newRow("sixteen GPUs fill one pod") << 1 << 2 << false << false;
        QTest::newRow("replicas within pods, stages between them") << 4 << 2 << false << true;
        QTest::newRow("replicas apart") << 2 << 4 << true << true;
    }
    void oversubscriptionSlowsWhatLeavesPodsAlone()
    {
        QFETCH(int, p);
        QFETCH(int, d);
        QFETCH(bool, apart);
        Scenario scenario = onPods(p, 8, d, apart ? replicas_apart : replicas_together);
        const double with_s = iteration_s(scenario);
        scenario.cluster.oversubscription = 1.0;
        const double without_s = iteration_s(scenario);
        scenario.cluster.nodes_per_pod = 0;
        scenario.cluster.oversubscription = 7.0; // of no pods
        QCOMPARE(iteration_s(scenario), without_s);
        QTEST(with_s > without_s, "slows");
        QVERIFY(with_s >= without_s);
    }

    void layoutsThatKeepReplicasTogetherLoseLess()
    {
        const auto loss = [](RankOrder order) {
            Scenario scenario = onPods(2, 8, 4, order);
            const double with_s = iteration_s(scenario);
            scenario.cluster.oversubscription = 1.0;
            return with_s / iteration_s(scenario);
        };
        QVERIFY(loss(replicas_apart) > loss(replicas_together));
    }
};

QTEST_APPLESS_MAIN(TestPodPlacement)
#include "tst_pod_placement.moc"
