#include <QTest>

#include "core/report/scenario_line.h"
#include "core/scenario/presets.h"
#include "core/scenario/rank_order.h"

#include <array>
#include <span>

using namespace shardscope;

namespace
{

const Presets& shipped()
{
    static const Presets presets = Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets").value();
    return presets;
}

Scenario ofFourStages()
{
    Scenario scenario;
    scenario.model.preset = "gpt-3b";
    scenario.parallel.pipeline = 4;
    scenario.parallel.data = 8;
    scenario.cluster = shipped().cluster("dgx-a100")->cluster;
    scenario.cluster.preset.clear();
    return scenario;
}

QString lineOf(const Scenario& scenario)
{
    return QString::fromStdString(scenarioLine(scenario, false, {}, &shipped()));
}

using Change = void (*)(Scenario&);

std::span<const Change> changes()
{
    static constexpr std::array<Change, 23> all{
        [](Scenario& s) { s.parallel.schedule = Schedule::zb_h1; },
        [](Scenario& s) {
            s.parallel.schedule = Schedule::interleaved;
            s.parallel.virtual_stages = 2;
        },
        [](Scenario& s) { s.time_model = TimeModel::li; },
        [](Scenario& s) { s.training.recompute = Recompute::full; },
        [](Scenario& s) { s.parallel.zero_stage = 3; },
        [](Scenario& s) {
            s.cluster.inter_node = {"infiniband", 12.5, 30.0, BandwidthOf::node};
        },
        [](Scenario& s) { s.parallel.rank_order = rankOrderFromWord("tp-pp-dp").value(); },
        [](Scenario& s) { s.cluster.in_network_reduction = true; },
        [](Scenario& s) { s.cluster.inter_node.kind = "tcp"; },
        [](Scenario& s) { s.cluster.intra_node.bandwidth_GBps = 100.0; },
        [](Scenario& s) { s.cluster.inter_node.latency_us = 5.0; },
        [](Scenario& s) { s.conventions.zero_unit = ZeroUnit::model; },
        [](Scenario& s) { s.conventions.gradient_norm = false; },
        [](Scenario& s) { s.conventions.framework = Framework::deepspeed; },
        [](Scenario& s) { s.training.optimizer = Optimizer::sgd; },
        [](Scenario& s) {
            s.parallel.context = 2;
            s.parallel.rank_order = rankOrderFromWord("tp-dp-cp-ep-pp").value();
        },
        [](Scenario& s) {
            s.parallel.stage_layers = {5, 5, 5, 9};
        },
        [](Scenario& s) { s.cluster.compute.gemm_efficiency = 0.5; },
        [](Scenario& s) { s.cluster.few_node_trees = true; },
        [](Scenario& s) { s.cluster.launch_blocking = true; },
        [](Scenario& s) {
            s.cluster.inter_node.bandwidth_of = BandwidthOf::nic;
            s.cluster.nics_per_node = 4;
        },
        [](Scenario& s) { s.training.exp_avg_bytes = 2; },
        [](Scenario& s) { s.training.master_bytes = 0; }};
    return all;
}

} // namespace

// Pictures of different runs differ in what stands above them.
class TestScenarioLine : public QObject
{
    Q_OBJECT
private slots:
    void whatDistinguishesTwoRunsIsNamed_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<int>("change");
        QTest::newRow("schedule") << " · ZB-H1 · " << 0;
        QTest::newRow("virtual stages") << " · Interleaved, v 2 · " << 1;
        QTest::newRow("time model") << " · Li et al.'s time model" << 2;
        QTest::newRow("recomputation") << " · full recomputation · " << 3;
        QTest::newRow("ZeRO") << " · ZeRO 3 · " << 4;
        QTest::newRow("network") << ", 12.5 GB/s a node between nodes" << 5;
        QTest::newRow("mapping") << " · mapping tp-pp-dp · " << 6;
        QTest::newRow("reduction in the network") << ", in-network reduction · " << 7;
        QTest::newRow("network's kind") << " GB/s a GPU between nodes (tcp) · " << 8;
        QTest::newRow("link in a node") << ", 100 GB/s a GPU in a node (nvlink3) · " << 9;
        QTest::newRow("latency") << ", inter node latency 5 µs · " << 10;
        QTest::newRow("convention") << " · zero unit model · " << 11;
        QTest::newRow("convention that is off") << " · no gradient norm · " << 12;
        QTest::newRow("framework") << " · deepspeed · " << 13;
        QTest::newRow("optimizer") << " · sgd · " << 14;
        QTest::newRow("place of context") << " · c 2 · mapping tp-dp-cp-ep-pp · " << 15;
        QTest::newRow("shares of the stages") << " · 1F1B, stages of 5-5-5-9 layers · " << 16;
        QTest::newRow("constant of a law") << ", gemm efficiency 0.5 · " << 17;
        QTest::newRow("trees") << ", trees on 2 and 3 nodes · " << 18;
        QTest::newRow("launches") << ", kernels started one by one · " << 19;
        QTest::newRow("NICs") << " GB/s a NIC (4 a node) between nodes" << 20;
        QTest::newRow("moments") << " · moments of 2 and 4 B · " << 21;
        QTest::newRow("copy") << " · no copy of the weights · " << 22;
    }
    void whatDistinguishesTwoRunsIsNamed()
    {
        QFETCH(QString, word);
        QFETCH(int, change);
        Scenario scenario = ofFourStages();
        scenario.time_model = TimeModel::detailed;
        QVERIFY2(!lineOf(scenario).contains(word), qPrintable(lineOf(scenario)));
        changes()[static_cast<std::size_t>(change)](scenario);
        QVERIFY2(lineOf(scenario).contains(word), qPrintable(lineOf(scenario)));
    }

    // One stage has no schedule, one node no network between nodes.
    void whatARunDoesNotHaveIsNotNamed()
    {
        Scenario scenario = ofFourStages();
        QVERIFY2(lineOf(scenario).contains("1F1B") && lineOf(scenario).contains("between nodes"),
                 qPrintable(lineOf(scenario)));
        scenario.parallel.pipeline = 1;
        QVERIFY2(!lineOf(scenario).contains("1F1B"), qPrintable(lineOf(scenario)));
        QVERIFY2(!lineOf(scenario).contains("between"), qPrintable(lineOf(scenario)));
    }

    void anEditedScenarioBearsItsModelsTitle()
    {
        Scenario scenario = ofFourStages();
        scenario.name = "Table 3";
        const auto line = [&](bool is_edited) {
            return QString::fromStdString(scenarioLine(scenario, is_edited, {}, &shipped()));
        };
        QVERIFY2(line(false).startsWith("Table 3 · GPT 3B (Li et al. 2024) · 32 GPUs, p 4 · "),
                 qPrintable(line(false)));
        QVERIFY2(line(true).startsWith("GPT 3B (Li et al. 2024) · 32 GPUs"), qPrintable(line(true)));
    }

    // All that is as usual goes without saying.
    void aShippedScenarioIsToldInShort()
    {
        QCOMPARE(
            lineOf(ofFourStages()),
            QString{"GPT 3B (Li et al. 2024) · 32 GPUs, p 4 · t 1 · d 8 · 1F1B · ZeRO 0 · s 2 048 · b 4 · gb "
                    "512 · "
                    "bf16 · A100-SXM4-80GB, 8 a node, 25 GB/s a GPU between nodes · detailed time model"});
    }
};

QTEST_APPLESS_MAIN(TestScenarioLine)
#include "tst_scenario_line.moc"
