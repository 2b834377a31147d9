#include "tests/widgets/panels/predicted_table3.h"
#include "tests/widgets/panels/sweep/sweep_controls.h"
#include "widgets/plots/curves/curve_view.h"

#include "core/prediction/predict.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

Content contentOf()
{
    Content content;
    content.predicted = predictedTable3();
    return content;
}

} // namespace

class TestSweepScalingView : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void everyStageOfZeroHasItsCurve()
    {
        SweepPanel panel;
        chooseStudy(panel, "zero-gpus");
        chooseQuantity(panel, SweepQuantity::speedup);
        panel.setContent(contentOf());
        panel.finish();
        const CurveScene& scene = panel.curves().scene();
        QCOMPARE(scene.lines.size(), std::size_t{5});
        QCOMPARE(scene.lines.back().label, QString{"ZeRO 3"});
        QSignalSpy told{&panel, &SweepPanel::statusWished};
        emit panel.curves().hovered(64.0);
        QVERIFY(told.last()[0].toString().contains("ZeRO 2"));
    }

    // Cheng et al. 2024, Fig. 15: measured speedups beside the predicted ones and what the network explains.
    void measuredSpeedupsStandBesideThePredicted()
    {
        SweepPanel panel;
        chooseStudy(panel, "weak");
        chooseQuantity(panel, SweepQuantity::speedup);
        panel.setContent(contentOf());
        panel.finish();
        const std::size_t marks = panel.curves().scene().marks.size();
        QSignalSpy told{&panel, &SweepPanel::statusWished};
        giveSpeedups(panel, "64 nothing");
        QVERIFY(told.last()[0].toString().contains("64 nothing"));
        QCOMPARE(panel.curves().scene().marks.size(), marks);
        giveSpeedups(panel, "64 1, 128 1.9, 192 2.7"); // 192 is no doubling: it is predicted for the occasion
        panel.finish();
        const CurveScene& scene = panel.curves().scene();
        QCOMPARE(scene.lines.back().label, QString{"measured"});
        QCOMPARE(scene.lines.back().points.size(), std::size_t{3});
        QCOMPARE(scene.lines.back().points[2].x(), 192.0);
        QCOMPARE(scene.marks.size(), marks + 1 + 3);
        QVERIFY(scene.note.startsWith("measured: predicted "));
        emit panel.curves().hovered(128.0);
        QVERIFY(told.last()[0].toString().contains("measured 1.9 times 64 GPUs: predicted "));
        QVERIFY(panel.csv().contains("measured_from_base"));
        QVERIFY(!scene.note.contains("cannot be trained"));
        giveSpeedups(panel, "64 1, 128 1.9, 193 2.7, 197 2.8"); // no whole number of replicas
        panel.finish();
        QVERIFY2(panel.curves().scene().note.endsWith("; 193 and 197 GPUs were given and cannot be trained"),
                 qPrintable(panel.curves().scene().note));
        giveSpeedups(panel, "193 2.7");
        panel.finish();
        QCOMPARE(panel.curves().scene().note, QString{"193 GPUs were given and cannot be trained"});
    }

    // A single GPU sends nothing, so that Cheng et al.'s estimate begins with two, as the measured ones do.
    void theNetworksShareBeginsWhereGpusSend()
    {
        SweepPanel panel;
        chooseStudy(panel, "weak");
        chooseQuantity(panel, SweepQuantity::speedup);
        auto small = std::make_shared<PredictedScenario>(); // pure data parallelism on 8 GPUs
        small->scenario.model.layers = 4;
        small->scenario.parallel.data = 8;
        small->scenario.training.global_batch_size = 64;
        small->prediction = std::move(predict(small->scenario).value());
        Content content;
        content.predicted = small;
        panel.setContent(content);
        panel.finish();
        const auto has_estimate = [&panel] {
            return std::ranges::any_of(panel.curves().scene().lines, [](const CurveLine& line) {
                return line.label == "network alone" && line.points.front().x() == 2.0;
            });
        };
        QVERIFY(has_estimate());
        giveSpeedups(panel, "2 1, 4 1.9, 16 7");
        panel.finish();
        QVERIFY(has_estimate());
    }

    void aClickedCurveIsAWishForTheNearestPoint()
    {
        SweepPanel panel;
        chooseStudy(panel, "weak");
        chooseQuantity(panel, SweepQuantity::speedup);
        panel.setContent(contentOf());
        panel.finish();
        QSignalSpy wished{&panel, &SweepPanel::scenarioWished};
        emit panel.curves().chosen(66.0);
        QCOMPARE(wished.count(), 1);
        QCOMPARE(wished[0][0].value<Scenario>().worldSize(), std::int64_t{64});
    }
};

QTEST_MAIN(TestSweepScalingView)
#include "tst_sweep_scaling_view.moc"
