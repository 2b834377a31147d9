#include <QTest>

#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_difference.h"
#include "tests/core/shipped_presets.h"

using namespace shardscope;

namespace
{

Scenario started()
{
    return withCluster(withModel({}, *shipped().model("gpt3-175b")), *shipped().cluster("dgx-a100"));
}

using Change = Scenario (*)(Scenario);

} // namespace

Q_DECLARE_METATYPE(Change)

class TestScenarioDifference : public QObject
{
    Q_OBJECT
private slots:
    void whatIsDifferentIsTold_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QStringList>("told");
        const auto row = [](const char* name, Change change, const QStringList& told) {
            QTest::newRow(name) << change << told;
        };
        row("nothing", [](Scenario scenario) { return scenario; }, {});
        row("the name is none",
            [](Scenario scenario) {
                scenario.name = "another";
                return scenario;
            },
            {});
        row("words, numbers and switches, in the file's order",
            [](Scenario scenario) {
                scenario.training.recompute = Recompute::full;
                scenario.parallel.pipeline = 8;
                scenario.parallel.sequence_parallel = true;
                scenario.time_model = TimeModel::li;
                return scenario;
            },
            {"recompute: none → full", "pipeline: 1 → 8", "sequence_parallel: false → true",
             "time_model: detailed → li"});
        row("the same order of ranks, written with cp once there are such ranks",
            [](Scenario scenario) {
                scenario.parallel.context = 2;
                return scenario;
            },
            {"context: 1 → 2"});
        row("what lies deeper bears where",
            [](Scenario scenario) {
                scenario.cluster.preset.clear();
                scenario.cluster.inter_node.latency_us = 44.0;
                return scenario;
            },
            {"inter_node.latency_us: 30 → 44"});
        row("a preset stands for all that comes with it, but for the sequence length",
            [](Scenario scenario) {
                scenario = withModel(scenario, *shipped().model("llama3-8b"));
                scenario.model.sequence_length = 4096;
                return scenario;
            },
            {"model: gpt3-175b → llama3-8b", "sequence_length: 2048 → 4096", "flash_attention: false → true",
             "..."});
        row("a list that one of them has not",
            [](Scenario scenario) {
                scenario.parallel.pipeline = 2;
                scenario.parallel.stage_layers = {40, 56};
                return scenario;
            },
            {"pipeline: 1 → 2", "stage_layers:  → [40,56]"});
        row("a key that was changed beside the name of a preset",
            [](Scenario scenario) {
                scenario.model.preset = "mine";
                scenario.model.experts.count = 8;
                return scenario;
            },
            {"model: gpt3-175b → mine", "experts.count: 0 → 8"});
        row("a preset that was changed tells what",
            [](Scenario scenario) {
                scenario.model.preset.clear();
                scenario.model.layers = 48;
                return scenario;
            },
            {"layers: 96 → 48"});
    }

    void whatIsDifferentIsTold()
    {
        QFETCH(Change, change);
        QFETCH(QStringList, told);
        QStringList lines;
        for (const ScenarioDifference& one : differences(started(), change(started())))
            lines << QString::fromStdString(one.key + ": " + one.before + " → " + one.after);
        if (told.endsWith("..."))
            lines = lines.mid(0, told.size() - 1) << "...";
        QCOMPARE(lines, told);
    }
};

QTEST_APPLESS_MAIN(TestScenarioDifference)
#include "tst_scenario_difference.moc"
