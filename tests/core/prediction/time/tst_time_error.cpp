#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/time/time_error.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/prediction/small_gpt.h"

#include <array>

using namespace shardscope;

// How far a time can be trusted.
class TestTimeError : public QObject
{
    Q_OBJECT
private slots:
    void everyPresetOfAGpuTellsItsBand()
    {
        for (const GpuPreset& preset : presets().gpus()) {
            const ComputeLaw& law = preset.compute;
            for (const double error : {law.time_error, law.time_error_small, law.time_error_fp8})
                QVERIFY2(error > 0.0 && error < 1.0, preset.name.c_str());
            QVERIFY2(law.time_error_li > 0.0 && law.time_error_li_small > 0.0, preset.name.c_str());
        }
    }

    void whyNoPublishedRunIsLikeItIsNamed()
    {
        Scenario scenario;
        scenario.training.precision = Precision::bf16;
        QCOMPARE(unlikeMeasured(scenario), "");
        scenario.parallel.context = 2;
        QCOMPARE(unlikeMeasured(scenario), "context parallelism");
        scenario.model.experts.count = 8;
        scenario.training.precision = Precision::fp32;
        QCOMPARE(unlikeMeasured(scenario), "experts, context parallelism, 32 bits");
    }

    void aBandIsWidenedWhereTheGpusOwnIsNarrower()
    {
        Scenario scenario;
        scenario.training.precision = Precision::bf16;
        scenario.parallel.context = 2;
        ComputeLaw& law = scenario.cluster.compute;
        law.time_error = 0.1;
        law.time_error_unlike = 0.3;
        QVERIFY(isWidenedAsUnlike(scenario, 10'000'000'000));
        law.time_error = 0.4;
        QVERIFY(!isWidenedAsUnlike(scenario, 10'000'000'000));
        law.time_error = 0.1;
        scenario.parallel.context = 1; // like what was measured
        QVERIFY(!isWidenedAsUnlike(scenario, 10'000'000'000));
    }

    void eightBitsAreNoMoreCertainThanSixteen()
    {
        for (const GpuPreset& preset : presets().gpus()) {
            Scenario scenario;
            scenario.time_model = TimeModel::detailed;
            scenario.cluster.compute = preset.compute;
            const double in_bf16 = timeErrorBand(scenario, 10'000'000'000)[1];
            scenario.training.precision = Precision::fp8;
            QVERIFY2(timeErrorBand(scenario, 10'000'000'000)[1] >= in_bf16, preset.name.c_str());
        }
    }

    void whatNoPublishedRunIsLikeHasAWiderBand_data()
    {
        QTest::addColumn<QByteArray>("section");
        QTest::newRow("experts") << QByteArray{R"("model": {"experts": {"count": 8}})"};
        QTest::newRow("context parallelism") << QByteArray{R"("parallel": {"context": 2})"};
        QTest::newRow("32 bits") << QByteArray{R"("training": {"precision": "fp32"})"};
    }
    void whatNoPublishedRunIsLikeHasAWiderBand()
    {
        QFETCH(QByteArray, section);
        const auto bandOf = [](const QByteArray& text) {
            const Scenario scenario =
                readScenario("{" + text.toStdString() + "}", presets()).value().scenario;
            return predict(scenario).value().time.error_band[1];
        };
        QVERIFY(bandOf(section) > 2.0 * bandOf(R"("cluster": {"preset": "dgx-a100"})"));
        QCOMPARE(bandOf(section + R"(, "cluster": {"preset": "dgx-a100"})"),
                 presets().cluster("dgx-a100")->cluster.compute.time_error_unlike);
    }

    // A factor either way; with measured bandwidths nobody compared it.
    void liEtAlsFormulaHasItsOwnBand()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.time_model = TimeModel::li;
        const auto [low, high] = predict(scenario).value().time.error_band;
        QVERIFY(high > 0.0 && low > -1.0);
        QCOMPARE((1.0 + low) * (1.0 + high), 1.0);
        scenario.cluster.effective = {100.0, 10.0, 10.0};
        QCOMPARE(predict(scenario).value().time.error_band, (std::array{0.0, 0.0}));
    }

    void aFittedMuHasTheBandOfItsFitUntilItIsMoved()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.time_model = TimeModel::li;
        QVERIFY(isUncalibratedLi(scenario));
        scenario.cluster.mu = scenario.cluster.fitted_mu = 0.3;
        scenario.cluster.compute.time_error_li = 0.25;
        QVERIFY(!isUncalibratedLi(scenario));
        QCOMPARE(timeErrorBand(scenario, 10'000'000'000)[0], -0.2);
        QCOMPARE(timeErrorBand(scenario, 10'000'000'000)[1], 0.25);
        scenario.cluster.effective = {100.0, 10.0, 10.0};
        QCOMPARE(timeErrorBand(scenario, 10'000'000'000)[1], 0.25);
        scenario.cluster.effective = {};
        scenario.cluster.mu = 0.4;
        QVERIFY(isUncalibratedLi(scenario));
    }

    void noTimeIsLessThanNothing()
    {
        Scenario scenario;
        scenario.cluster.compute.time_error = 3.0;
        QCOMPARE(timeErrorBand(scenario, 10'000'000'000), (std::array{-0.75, 3.0}));
    }
};

QTEST_APPLESS_MAIN(TestTimeError)
#include "tst_time_error.moc"
