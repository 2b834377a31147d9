#include <QTest>

#include "core/prediction/predict.h"
#include "core/report/change_report.h"
#include "core/scenario/scenario_json.h"
#include "core/sweep/change_steps.h"
#include "tests/core/prediction/small_gpt.h"
#include "tests/core/sweep/scenarios.h"

#include <filesystem>

using namespace shardscope;

class TestChangeSteps : public QObject
{
    Q_OBJECT
private slots:
    void eachDifferenceIsAStep()
    {
        const Scenario before = gpt3b();
        Scenario after = before;
        after.training.recompute = Recompute::selective;
        after.parallel.zero_stage = 1;
        after.cluster.inter_node.bandwidth_GBps *= 2.0;
        const ChangeSteps way = changeSteps(before, after);
        QCOMPARE(way.before.time.iteration_s, predict(before).value().time.iteration_s);
        QCOMPARE(way.steps.size(), std::size_t{3});
        const char* keys[] = {"recompute", "zero_stage", "inter_node.bandwidth_GBps"};
        for (std::size_t i = 0; i < way.steps.size(); ++i) {
            QCOMPARE(way.steps[i].differences.size(), std::size_t{1});
            QCOMPARE(way.steps[i].differences.front().key, keys[i]);
            QCOMPARE(way.steps[i].of, i == 2 ? ChangeOf::machine : ChangeOf::run);
        }
        QCOMPARE(stepText(way.steps.front()), std::string{"recompute full → selective"});
        QVERIFY(way.steps.back().point.scenario == after);
    }

    void equalScenariosHaveNoSteps()
    {
        Scenario named = gpt3b();
        named.name = "another name";
        QVERIFY(changeSteps(gpt3b(), named).steps.empty());
    }

    // Where another figure is laid over a preset, its name goes too.
    void theNameOfAPresetIsNoStep()
    {
        Scenario before = gpt3b();
        before.cluster.preset = "dgx-a100";
        Scenario after = before;
        after.cluster.preset.clear();
        after.cluster.intra_node.bandwidth_GBps *= 2.0;
        for (const auto& [from, to] : {std::pair{before, after}, std::pair{after, before}}) {
            const ChangeSteps way = changeSteps(from, to);
            QCOMPARE(way.steps.size(), std::size_t{1});
            QVERIFY(stepText(way.steps.front()).starts_with("intra_node.bandwidth_GBps "));
        }
        after = before;
        after.cluster.preset.clear();
        QVERIFY(changeSteps(before, after).steps.empty());
    }

    // 12 heads cannot be split over 16 tensor ranks.
    void whatCannotBeTrainedByItselfBecomesOneStepWithTheNext()
    {
        Scenario before = gpt3b();
        before.model.attention_heads = before.model.kv_heads = 16;
        before.model.hidden_size = 16 * 128;
        before.model.head_dim = 128;
        before.parallel = {};
        before.parallel.tensor = 16;
        Scenario after = before;
        after.model.attention_heads = after.model.kv_heads = 12;
        after.parallel.tensor = 4;
        after.parallel.data = 4;
        const ChangeSteps way = changeSteps(before, after);
        QCOMPARE(way.steps.size(), std::size_t{1});
        QCOMPARE(way.steps.front().differences.size(), std::size_t{4});
        QVERIFY(way.steps.front().point.scenario == after);
    }

    void everyWayBetweenExamplesArrives_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const std::vector<QString> examples = {"gpt3-175b-1024-a100",    "llama3-70b-64-h100",
                                               "deepseek-v3-2048-h800",  "li-2024-fig1a-resnet50",
                                               "cheng-2024-fig13-zero2", "li-2024-table3"};
        for (const QString& from : examples)
            for (const QString& to : examples)
                if (from != to)
                    QTest::newRow(qPrintable(from + " to " + to)) << from << to;
    }
    void everyWayBetweenExamplesArrives()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const Scenario after = example(to);
        const ChangeSteps way = changeSteps(example(from), after);
        QVERIFY(!way.steps.empty());
        for (const ChangeStep& step : way.steps) {
            QVERIFY(!step.differences.empty());
            QVERIFY(step.point.isValid());
        }
        QCOMPARE(writeScenario(way.steps.back().point.scenario), writeScenario(after));
        QCOMPARE(way.steps.back().point.time.iteration_s, predict(after).value().time.iteration_s);
    }

private:
    static Scenario example(const QString& name)
    {
        const std::filesystem::path file = std::filesystem::path{SHARDSCOPE_SOURCE_FOLDER}
                                           / "resources/examples" / (name.toStdString() + ".scenario.json");
        return readScenarioFile(file, presets()).value().scenario;
    }
};

QTEST_APPLESS_MAIN(TestChangeSteps)
#include "tst_change_steps.moc"
