#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/predicted_table3.h"
#include "tests/widgets/panels/sweep/sweep_controls.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/session/scenario_document.h"

#include <QLineEdit>
#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

RankMeasurement rankOfOneProduct()
{
    RankMeasurement rank;
    rank.rank = 3;
    rank.has_timeline = true;
    KernelRow kernel;
    kernel.name = "ampere_fp16_s16816gemm";
    kernel.of = EventClass::compute;
    kernel.count = 1;
    kernel.sum_ns = 1'000'000'000;
    rank.kernels.push_back(kernel);
    return rank;
}

} // namespace

// What was measured in the picture of sweeps: an iteration at other sizes, and speedups that are typed in.
class TestSweepMeasured : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aMeasuredIterationGrows()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.ranks.push_back(rankOfOneProduct());
        SweepPanel panel;
        chooseStudy(panel, "measured");
        Content content = contentOfTable3();
        panel.setContent(content);
        panel.finish();
        QVERIFY(panel.chart().scene().hint.contains("trace"));
        content.measured = run;
        panel.setContent(content);
        panel.finish();
        const BarScene& scene = panel.chart().scene();
        QVERIFY(scene.hint.isEmpty());
        QCOMPARE(scene.category_labels[1].text, QString{"h × 2"});
        QCOMPARE(scene.bars[1].segments[0].value, 4.0); // quadratic in h
        QCOMPARE(scene.bars[3].segments[0].value, 2.0); // linear in s
        QVERIFY(scene.note.contains("rank 3"));
    }

    void aMeasuredIterationTakesTheSizesOfTheScenario()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.ranks.push_back(rankOfOneProduct());
        SweepPanel panel;
        chooseStudy(panel, "measured");
        Content content = contentOfTable3();
        content.measured = run;
        panel.setContent(content);
        panel.finish();
        QVERIFY(panel.chart().scene().note.contains("pin the run's scenario"));
        content.pinned = content.predicted;
        auto moved = std::make_shared<PredictedScenario>(*content.predicted);
        moved->scenario.model.hidden_size *= 2;
        moved->scenario.model.sequence_length *= 4;
        content.predicted = moved;
        panel.setContent(content);
        panel.finish();
        QCOMPARE(panel.chart().scene().category_labels[1].text, QString{"scenario"});
        QCOMPARE(panel.chart().scene().bars[1].segments[0].value, 16.0);
        QVERIFY(panel.chart().scene().note.contains("h × 2, s × 4, b × 1 of the pinned one"));
        // The scenario that sends the run's messages says more than a pinned one.
        auto known = std::make_shared<MeasuredRun>(*run);
        known->scenario = std::make_shared<Scenario>(moved->scenario);
        content.measured = known;
        panel.setContent(content);
        panel.finish();
        QCOMPARE(panel.chart().scene().bars[1].segments[0].value, 1.0);
    }

    void measuredSpeedupsCountWhereTheirFieldIsSeenAndForTheirScenarioAlone()
    {
        SweepPanel panel;
        Content content = contentOfTable3();
        content.document = std::make_shared<ScenarioDocument>();
        panel.setContent(content);
        chooseStudy(panel, "strong");
        chooseQuantity(panel, SweepQuantity::speedup);
        giveSpeedups(panel, "32 1, 96 2.5");
        panel.finish();
        const auto has96 = [&panel] {
            return std::ranges::find(panel.answer().sweep.values, 96.0) != panel.answer().sweep.values.end();
        };
        QVERIFY(has96());
        chooseQuantity(panel, SweepQuantity::time);
        panel.finish();
        QVERIFY(!has96());
        chooseQuantity(panel, SweepQuantity::speedup);
        panel.finish();
        QVERIFY(has96());
        content.predicted = std::make_shared<PredictedScenario>(*content.predicted); // an edit
        panel.setContent(content);
        panel.finish();
        QVERIFY(has96());
        content.document = std::make_shared<ScenarioDocument>();
        panel.setContent(content);
        panel.finish();
        QVERIFY(!has96());
        QVERIFY(controlOf<QLineEdit>(panel, "Measured speedups").text().isEmpty());
    }
};

QTEST_MAIN(TestSweepMeasured)
#include "tst_sweep_measured.moc"
