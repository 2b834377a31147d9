#include <QTest>

#include "core/prediction/predict.h"
#include "small_gpt.h"

#include <algorithm>

using namespace shardscope;

// What number formats do to products, by the GPUs' data sheets.
class TestNumberFormats : public QObject
{
    Q_OBJECT
private slots:
    // Data sheets: TF32 has half of the 16-bit rate on NVIDIA's GPUs since the A100; a V100 has 15.7 of 125
    // TFLOP/s, an MI210 45.3 of 181, an MI250X 95.7 of 383. Li et al.'s formula shows it undiluted.
    void fp32HasTheRateOfTheDataSheet_data()
    {
        QTest::addColumn<QString>("cluster");
        QTest::addColumn<double>("slower");
        QTest::newRow("A100") << "dgx-a100" << 2.0;
        QTest::newRow("V100") << "v100-nvlink-100g-roce" << 8.0;
        QTest::newRow("MI210") << "mi210-node" << 4.0;
        QTest::newRow("MI250X") << "frontier-mi250x" << 4.0;
    }
    void fp32HasTheRateOfTheDataSheet()
    {
        QFETCH(QString, cluster);
        QFETCH(double, slower);
        Scenario scenario = smallGpt(presets().cluster(cluster.toStdString())->cluster);
        scenario.model.hidden_size = 9216; // products rule
        scenario.model.head_dim = 384;
        scenario.model.ffn_hidden_size = 36864;
        scenario.training.precision = Precision::fp16;
        const double half = predict(scenario).value().time.compute_s;
        scenario.training.precision = Precision::fp32;
        const double full = predict(scenario).value().time.compute_s;
        QVERIFY2(full > 0.85 * slower * half && full < 1.05 * slower * half, qPrintable(cluster));
        scenario.time_model = TimeModel::li;
        const double li = predict(scenario).value().time.compute_s;
        scenario.training.precision = Precision::fp16;
        QCOMPARE(li, slower * predict(scenario).value().time.compute_s);
    }

    void bf16IsAsSlowAsFp32WhereMatrixUnitsHaveNone()
    {
        for (const auto& [cluster, slow] : {std::pair{"dgx-a100", false}, {"v100-nvlink-100g-roce", true}}) {
            Scenario scenario = smallGpt(presets().cluster(cluster)->cluster);
            const auto in = [&](Precision precision) {
                scenario.training.precision = precision;
                return predict(scenario).value();
            };
            const double fp16 = in(Precision::fp16).time.compute_s;
            const Prediction bf16 = in(Precision::bf16);
            QCOMPARE(bf16.time.compute_s > 1.5 * fp16, slow);
            QCOMPARE(std::ranges::any_of(bf16.warnings,
                                         [](const std::string& warning) {
                                             return warning.find("bf16") != std::string::npos;
                                         }),
                     slow);
        }
    }

    // A GPU without fp8 gains nothing from it, in no model, and its peak stays what it is.
    void fp8DoublesThePeakWhereTheGpuHasIt_data()
    {
        QTest::addColumn<QString>("cluster");
        QTest::addColumn<bool>("has_fp8");
        QTest::newRow("A100") << "dgx-a100" << false;
        QTest::newRow("V100") << "v100-nvlink-100g-roce" << false;
        QTest::newRow("H100") << "dgx-h100" << true;
    }
    void fp8DoublesThePeakWhereTheGpuHasIt()
    {
        QFETCH(QString, cluster);
        QFETCH(bool, has_fp8);
        Scenario scenario = smallGpt(presets().cluster(cluster.toStdString())->cluster);
        scenario.time_model = TimeModel::li;
        scenario.training.precision = Precision::bf16;
        const Prediction half = predict(scenario).value();
        scenario.training.precision = Precision::fp8;
        const Prediction eighth = predict(scenario).value();
        QCOMPARE(eighth.time.compute_s * (has_fp8 ? 2.0 : 1.0), half.time.compute_s);
        QCOMPARE(eighth.time.mfu * eighth.time.iteration_s * (has_fp8 ? 2.0 : 1.0),
                 half.time.mfu * half.time.iteration_s);
        const bool warned_before = scenario.cluster.compute.bf16_speedup < 1.0;
        QCOMPARE(eighth.warnings.size(), half.warnings.size() + (has_fp8 || warned_before ? 0 : 1));
    }

    // Dense PFLOP/s in fp4 over those in 16 bits: 9 and 2.25 of a GB200, 15 and 2.5 of a GB300. An H100 takes
    // fp8, and says so.
    void fp4HasThePeakOfTheDataSheet_data()
    {
        QTest::addColumn<QString>("cluster");
        QTest::addColumn<double>("faster");
        QTest::newRow("GB200") << "gb200-nvl72" << 4.0;
        QTest::newRow("GB300") << "gb300-nvl72" << 6.0;
        QTest::newRow("H100") << "dgx-h100" << 2.0;
        QTest::newRow("A100") << "dgx-a100" << 1.0;
    }
    void fp4HasThePeakOfTheDataSheet()
    {
        QFETCH(QString, cluster);
        QFETCH(double, faster);
        Scenario scenario = smallGpt(presets().cluster(cluster.toStdString())->cluster);
        scenario.time_model = TimeModel::li;
        scenario.training.precision = Precision::bf16;
        const Prediction half = predict(scenario).value();
        scenario.training.precision = Precision::fp4;
        const Prediction quarter = predict(scenario).value();
        QCOMPARE(quarter.time.compute_s * faster, half.time.compute_s);
        QCOMPARE(quarter.time.mfu * quarter.time.iteration_s * faster, half.time.mfu * half.time.iteration_s);
        QCOMPARE(quarter.warnings.size(), half.warnings.size() + (faster > 2.0 ? 0 : 1));
    }

    // Products become faster, passes over memory more: large products gain more than small ones, and less
    // than the peak does.
    void fp4GainsWithTheSizeOfProducts()
    {
        const auto gain = [](std::int64_t hidden_size) {
            Scenario scenario = smallGpt(presets().cluster("gb300-nvl72")->cluster);
            scenario.model.hidden_size = hidden_size;
            scenario.model.head_dim = hidden_size / scenario.model.attention_heads;
            scenario.model.ffn_hidden_size = 4 * hidden_size;
            scenario.training.precision = Precision::fp8;
            const double eighth = predict(scenario).value().time.compute_s;
            scenario.training.precision = Precision::fp4;
            return eighth / predict(scenario).value().time.compute_s;
        };
        QVERIFY(gain(6144) < gain(12288));
        QVERIFY(gain(12288) > 1.2 && gain(12288) < 3.0);
    }
};

QTEST_APPLESS_MAIN(TestNumberFormats)
#include "tst_number_formats.moc"
