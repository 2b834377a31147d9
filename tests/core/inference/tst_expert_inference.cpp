#include <QTest>

#include "core/inference/expert_inference.h"

#include <algorithm>

using namespace shardscope;

namespace
{

std::vector<RankShapes> ranksWith(const ExpertShapes& experts)
{
    RankShapes one;
    one.shapes.experts = experts;
    return {one};
}

// 64 experts, 8 on each rank.
ExpertShapes experts(double rows_per_token, bool even)
{
    return {64, 8, 1408, true, 10, rows_per_token, even};
}

Scenario scenarioOf(std::int64_t layers, std::int64_t ffn_hidden_size)
{
    Scenario scenario;
    scenario.model.layers = layers;
    scenario.model.ffn_hidden_size = ffn_hidden_size;
    return scenario;
}

} // namespace

class TestExpertInference : public QObject
{
    Q_OBJECT
private slots:
    void layersArePlacedAsModelsOfTheFieldDo_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("with_experts");
        QTest::addColumn<int>("with_mlp");
        QTest::addColumn<int>("every");
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("shared");
        QTest::newRow("all of them, Mixtral") << 32 << 32 << 0 << 1 << 0 << 0;
        QTest::newRow("every second, GShard") << 12 << 6 << 6 << 2 << 1 << 0;
        QTest::newRow("every fourth") << 12 << 3 << 9 << 4 << 3 << 0;
        QTest::newRow("all but three with shared ones, DeepSeek-V3") << 61 << 58 << 61 << 1 << 3 << 2;
        QTest::newRow("all, and shared ones, Qwen2") << 24 << 24 << 24 << 1 << 0 << 2;
    }
    void layersArePlacedAsModelsOfTheFieldDo()
    {
        QFETCH(int, layers);
        QFETCH(int, with_experts);
        QFETCH(int, with_mlp);
        Scenario scenario = scenarioOf(layers, 2 * 1408);
        const auto findings =
            inferExperts(ranksWith(experts(6.1, false)), {with_experts, with_mlp, 0.9}, scenario);
        QTEST(static_cast<int>(scenario.model.experts.every), "every");
        QTEST(static_cast<int>(scenario.model.experts.first), "first");
        QTEST(static_cast<int>(scenario.model.experts.shared), "shared");
        QCOMPARE(scenario.model.experts.count, 64);
        QCOMPARE(scenario.model.experts.ffn_hidden_size, 1408);
        QCOMPARE(scenario.parallel.expert, 8);
        QVERIFY(std::ranges::all_of(findings, [](const Finding& one) { return !one.evidence.empty(); }));
    }

    void rowsTellHowManyExpertsATokenGoesTo_data()
    {
        QTest::addColumn<double>("rows");
        QTest::addColumn<bool>("even");
        QTest::addColumn<int>("per_token");
        QTest::addColumn<double>("capacity_factor");
        QTest::newRow("nearly eight, by the router's choice") << 7.8 << false << 8 << 0.0;
        QTest::newRow("hardly any came here") << 0.2 << false << 1 << 0.0;
        QTest::newRow("slots for two and a quarter more") << 2.5 << true << 2 << 1.25;
        QTest::newRow("slots for one") << 1.0 << true << 1 << 1.0;
    }
    void rowsTellHowManyExpertsATokenGoesTo()
    {
        QFETCH(double, rows);
        QFETCH(bool, even);
        Scenario scenario = scenarioOf(32, 4096);
        inferExperts(ranksWith(experts(rows, even)), {32, 0, 0.9}, scenario);
        QTEST(static_cast<int>(scenario.model.experts.per_token), "per_token");
        QTEST(scenario.model.experts.capacity_factor, "capacity_factor");
    }

    // Four tensor ranks with a shard of the tokens each. Those that split experts gather four times what
    // their routers see; eight expert ranks are more than two replicas have, so that these are whole.
    void tensorRanksSplitExpertsWhereReplicasSuffice_data()
    {
        QTest::addColumn<int>("replicas");
        QTest::addColumn<bool>("are_split");
        QTest::addColumn<int>("per_token");
        QTest::addColumn<int>("width");
        QTest::newRow("eight replicas") << 8 << true << 2 << 4 * 1408;
        QTest::newRow("two replicas") << 2 << false << 8 << 1408;
    }
    void tensorRanksSplitExpertsWhereReplicasSuffice()
    {
        QFETCH(int, replicas);
        Scenario scenario = scenarioOf(32, 4096);
        scenario.parallel.tensor = 4;
        scenario.parallel.sequence_parallel = true;
        scenario.parallel.data = replicas;
        inferExperts(ranksWith(experts(8.0, false)), {32, 0, 0.9}, scenario);
        QTEST(scenario.parallel.expert_tensor_parallel, "are_split");
        QTEST(static_cast<int>(scenario.model.experts.per_token), "per_token");
        QTEST(static_cast<int>(scenario.model.experts.ffn_hidden_size), "width");
    }

    // 45 slots of an expert for 128 tokens and 2 of 4 experts each: a factor of 1.40625.
    void aCapacityIsNotRoundedToAnotherSlot()
    {
        Scenario scenario = scenarioOf(32, 4096);
        inferExperts(ranksWith(experts(45.0 * 4.0 / 128.0, true)), {32, 0, 0.9}, scenario);
        const double wanted = scenario.model.experts.capacity_factor * 128.0 / 4.0;
        QVERIFY(wanted <= 45.0 && wanted > 44.99);
    }

    void aRunWithoutExpertsStaysDense()
    {
        Scenario scenario = scenarioOf(12, 4096);
        QVERIFY(inferExperts({RankShapes{}}, {0, 12, 0.9}, scenario).empty());
        QCOMPARE(scenario, scenarioOf(12, 4096));
    }
};

QTEST_APPLESS_MAIN(TestExpertInference)
#include "tst_expert_inference.moc"
