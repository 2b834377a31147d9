#include <QTest>

#include "core/report/scenario_line.h"
#include "core/scenario/presets.h"

using namespace shardscope;

namespace
{

Scenario ofFourStages()
{
    Scenario scenario;
    scenario.model.preset = "gpt-3b";
    scenario.parallel.pipeline = 4;
    scenario.parallel.data = 8;
    scenario.cluster.gpu = "A100";
    return scenario;
}

QString lineOf(const Scenario& scenario)
{
    return QString::fromStdString(scenarioLine(scenario));
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
        QTest::newRow("network") << ", 12.5 GB/s between nodes · " << 5;
    }
    void whatDistinguishesTwoRunsIsNamed()
    {
        QFETCH(QString, word);
        QFETCH(int, change);
        Scenario scenario = ofFourStages();
        scenario.time_model = TimeModel::detailed;
        QVERIFY2(!lineOf(scenario).contains(word), qPrintable(lineOf(scenario)));
        switch (change) {
        case 0:
            scenario.parallel.schedule = Schedule::zb_h1;
            break;
        case 1:
            scenario.parallel.schedule = Schedule::interleaved;
            scenario.parallel.virtual_stages = 2;
            break;
        case 2:
            scenario.time_model = TimeModel::li;
            break;
        case 3:
            scenario.training.recompute = Recompute::full;
            break;
        case 4:
            scenario.parallel.zero_stage = 3;
            break;
        default:
            scenario.cluster.inter_node.bandwidth_GBps = 12.5;
            scenario.cluster.inter_node.bandwidth_of = BandwidthOf::node;
        }
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
        const Result<Presets> presets = Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets");
        QVERIFY(presets);
        Scenario scenario = ofFourStages();
        scenario.name = "Table 3";
        const auto line = [&](bool is_edited) {
            return QString::fromStdString(scenarioLine(scenario, is_edited, {}, &presets.value()));
        };
        QVERIFY2(line(false).startsWith("Table 3 · 32 GPUs, p 4 · "), qPrintable(line(false)));
        QVERIFY2(line(true).startsWith("GPT 3B (Li et al. 2024) · 32 GPUs"), qPrintable(line(true)));
    }
};

QTEST_APPLESS_MAIN(TestScenarioLine)
#include "tst_scenario_line.moc"
