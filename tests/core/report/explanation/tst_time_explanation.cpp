#include <QTest>

#include "core/prediction/predict.h"
#include "core/report/explanation/explanation.h"
#include "tests/core/report/explanation/read_scenario.h"

using namespace shardscope;

// What an iteration's time is the sum of, and whose error stands beside it.
class TestTimeExplanation : public QObject
{
    Q_OBJECT
private slots:
    void theTimesBandIsExplained()
    {
        Scenario scenario;
        scenario.cluster.compute.time_error = scenario.cluster.compute.time_error_small = 0.1;
        scenario.time_model = TimeModel::detailed;
        const auto parts = [&scenario] {
            return QString::fromStdString(
                explain(Figure::iteration_time, scenario, predict(scenario).value()).parts);
        };
        QVERIFY2(parts().startsWith("± 10 %: ") && parts().contains("four of five"), qPrintable(parts()));
        scenario.time_model = TimeModel::li;
        QVERIFY2(parts().startsWith("not calibrated"), qPrintable(parts()));
        scenario.cluster.effective = {100.0, 10.0, 10.0}; // somebody measured them
        QCOMPARE(parts(), QString{});
    }

    void aFitSaysWhichTimeModelItIsOf()
    {
        Scenario scenario;
        scenario.cluster.compute.time_error = scenario.cluster.compute.time_error_small = 0.1;
        scenario.cluster.compute.time_error_li = scenario.cluster.compute.time_error_li_small = 0.2;
        scenario.cluster.mu = scenario.cluster.fitted_mu = 0.3;
        const auto parts = [&scenario](TimeModel model) {
            scenario.time_model = model;
            return QString::fromStdString(
                explain(Figure::iteration_time, scenario, predict(scenario).value()).parts);
        };
        QVERIFY(parts(TimeModel::li).contains("of the steps that the cluster was fitted to"));
        QVERIFY(!parts(TimeModel::li).contains("not calibrated"));
        QVERIFY(parts(TimeModel::detailed).contains("fitted Li et al.'s formula, not this time model"));
        scenario.cluster.compute.fitted = true;
        QVERIFY(parts(TimeModel::detailed).contains("of the steps that the cluster was fitted to"));
    }

    void anIterationIsTheSumOfItsBarsAndOfItsOwnModel()
    {
        Scenario scenario;
        scenario.time_model = TimeModel::detailed;
        const Explanation detailed = explain(Figure::iteration_time, scenario, predict(scenario).value());
        QVERIFY2(detailed.formula.starts_with("compute + step"), detailed.formula.c_str());
        QVERIFY2(detailed.source.starts_with("detailed time model"), detailed.source.c_str());
        scenario.time_model = TimeModel::li;
        QCOMPARE(explain(Figure::iteration_time, scenario, predict(scenario).value()).source,
                 std::string{"Li et al. 2024, Eq. 1"});
    }

    void thatCallsMakeTheBandWiderIsSaid()
    {
        const Scenario scenario = read(R"({"model": {"preset": "gpt2-1.5b"}, "time_model": "detailed",
            "cluster": {"preset": "polaris-slingshot10"}, "parallel": {"data": 256, "zero_stage": 2},
            "conventions": {"framework": "deepspeed", "zero_reduction": "reduce"},
            "training": {"global_batch_size": 256, "micro_batch_size": 1}})");
        const Explanation time = explain(Figure::iteration_time, scenario, predict(scenario).value());
        QVERIFY2(time.parts.find("the band is that of its calls") != std::string::npos, time.parts.c_str());
    }

    void theDenominatorIsNamedForEachFormat_data()
    {
        QTest::addColumn<QByteArray>("precision");
        QTest::addColumn<QByteArray>("cluster");
        QTest::addColumn<QString>("peak");
        const auto row = [](const char* name, const char* precision, const char* cluster, const char* peak) {
            QTest::newRow(name) << QByteArray{precision} << QByteArray{cluster} << QString{peak};
        };
        row("bf16", "bf16", "dgx-h100", "F is the dense peak in 16 bits, 989 TFLOP/s. ");
        row("fp32", "fp32", "dgx-h100",
            "in 16 bits, 989 TFLOP/s; products in fp32 reach 494.5 TFLOP/s of it at most, as TF32. ");
        row("fp32 without TF32", "fp32", "mi300x",
            "1300 TFLOP/s; products in fp32 reach 162.5 TFLOP/s of it at most. ");
        row("fp8", "fp8", "dgx-h100", "F is the dense peak in fp8, twice that in 16 bits: 1978 TFLOP/s. ");
        row("fp4", "fp4", "gb300-nvl72",
            "F is the dense peak in fp4, 6 times that in 16 bits: 14700 TFLOP/s");
        row("fp8 that the GPU has not", "fp8", "dgx-a100", "F is the dense peak in 16 bits, 312 TFLOP/s. ");
        row("bf16 that it is slow in", "bf16", "v100-nvlink-100g-roce",
            "F is the dense peak in 16 bits, 125 TFLOP/s; products in bf16 reach 15.6");
    }
    void theDenominatorIsNamedForEachFormat()
    {
        QFETCH(QByteArray, precision);
        QFETCH(QByteArray, cluster);
        QFETCH(QString, peak);
        const Scenario scenario = read(R"({"training": {"precision": ")" + precision
                                       + R"("}, "cluster": {"preset": ")" + cluster + R"("}})");
        for (const Figure figure : {Figure::mfu, Figure::hfu}) {
            const QString why =
                QString::fromStdString(explain(figure, scenario, predict(scenario).value()).why);
            QVERIFY2(why.contains(peak), qPrintable(why));
            QCOMPARE(why.contains("TF32"), peak.contains("TF32"));
        }
    }

    // Mixtral: 2 of its 8 experts are at work for a token, 32 heads share 8 of keys and values.
    void theNumeratorNamesTheExpertsInUse()
    {
        const Scenario scenario = read(R"({"model": {"preset": "mixtral-8x7b"},
            "training": {"global_batch_size": 64, "micro_batch_size": 1}})");
        const QStringList lines =
            QString::fromStdString(explain(Figure::mfu, scenario, predict(scenario).value()).parts)
                .split('\n');
        QVERIFY(lines.contains("projections = 2 * h * dh * (a + k) = 2 * 4096 * 128 * 40 = 41 943 040"));
        QVERIFY(lines.contains("experts in use = 3 * h * their width + h * E = "
                               "3 * 4096 * 28 672 + 4096 * 8 = 352 354 304"));
    }
};

QTEST_APPLESS_MAIN(TestTimeExplanation)
#include "tst_time_explanation.moc"
