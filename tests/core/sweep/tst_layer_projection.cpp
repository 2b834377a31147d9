#include <QTest>

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/predict.h"
#include "core/prediction/time/collective_prediction.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario_change.h"
#include "core/sweep/layer_projection.h"
#include "tests/core/near.h"

#include <cmath>

using namespace shardscope;

// Pati et al. 2023: what their formulas count, and how near the detailed model's operators come to what they
// projected from operators measured on MI210s.
class TestLayerProjection : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        auto presets = Presets::load(std::string{SHARDSCOPE_SOURCE_FOLDER} + "/resources/presets");
        QVERIFY(presets);
        const ClusterPreset* preset = presets.value().cluster("mi210-node");
        QVERIFY(preset);
        m_mi210 = withCluster(Scenario{}, *preset);
        m_mi210.training.precision = Precision::fp16;
    }

    void operationsAndBytesAreThePapers()
    {
        // h 4096, s 2048, b 1, t 16, fp16
        const LayerCounts counts = layerCounts({4096, 2048, 1, 16, 4}, Precision::fp16);
        QCOMPARE(counts.fc_flops, 17179869184.0);         // 2 * 4 * 4096^2 / 16 * 2048
        QCOMPARE(counts.attention_flops, 2147483648.0);   // 2 * 4096 / 16 * 2048^2
        QCOMPARE(counts.projection_flops, 12884901888.0); // 3 * 2 * 4096 / 16 * 4096 * 2048
        QCOMPARE(counts.serialized_bytes, 16777216.0);    // 2 * 4096 * 2048
        QCOMPARE(counts.slack_flops, 34359738368.0);      // 4 * 4 * 4096^2 / 16 * 2048
        QCOMPARE(counts.gradient_bytes, 8388608.0);       // 2 * 4 * 4096^2 / 16
        QCOMPARE(counts.amdahl_edge, 384.0);              // (4096 + 2048) / 16
        QCOMPARE(counts.slack_advantage, 2048.0);
        const LayerCounts floats = layerCounts({4096, 2048, 1, 16, 4}, Precision::fp32);
        QCOMPARE(floats.serialized_bytes, 2.0 * counts.serialized_bytes);
    }

    void serializedFractionsLieWhereTheyWereProjected_data()
    {
        QTest::addColumn<qint64>("hidden");
        QTest::addColumn<qint64>("tensor");
        QTest::addColumn<double>("flop_vs_bandwidth");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        // Section 4.3, Fig. 10a: the sizes that fit the memory of their time.
        QTest::newRow("4K on 16 today") << qint64{4096} << qint64{16} << 1.0 << 0.20 << 0.50;
        QTest::newRow("16K on 64 today") << qint64{16384} << qint64{64} << 1.0 << 0.20 << 0.50;
        QTest::newRow("64K on 256 is about half") << qint64{65536} << qint64{256} << 1.0 << 0.45 << 0.55;
        QTest::newRow("4K on 16, compute twice") << qint64{4096} << qint64{16} << 2.0 << 0.30 << 0.65;
        QTest::newRow("16K on 64, compute twice") << qint64{16384} << qint64{64} << 2.0 << 0.30 << 0.65;
        QTest::newRow("64K on 256, compute twice") << qint64{65536} << qint64{256} << 2.0 << 0.30 << 0.65;
    }
    void serializedFractionsLieWhereTheyWereProjected()
    {
        QFETCH(qint64, hidden);
        QFETCH(qint64, tensor);
        QFETCH(double, flop_vs_bandwidth);
        QFETCH(double, low);
        QFETCH(double, high);
        Evolution evolution;
        evolution.flop_vs_bandwidth = flop_vs_bandwidth;
        // Their operator models are within 15 % of what they stand for.
        for (const std::int64_t length : {2048, 4096}) {
            const double fraction =
                projectLayer({hidden, length, 1, tensor, 4}, m_mi210, evolution).serializedFraction();
            QVERIFY2(fraction > 0.85 * low && fraction < 1.15 * high, qPrintable(QString::number(fraction)));
        }
    }

    void gradientsHideWhereTheyWereProjectedTo_data()
    {
        QTest::addColumn<double>("flop_vs_bandwidth");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::newRow("today") << 1.0 << 0.20 << 0.55; // s * b = 4K, t = 16
        QTest::newRow("compute twice") << 2.0 << 0.50 << 1.00;
    }
    void gradientsHideWhereTheyWereProjectedTo()
    {
        QFETCH(double, flop_vs_bandwidth);
        QFETCH(double, low);
        QFETCH(double, high);
        Evolution evolution;
        evolution.flop_vs_bandwidth = flop_vs_bandwidth;
        for (const std::int64_t hidden : swept_hidden) {
            const double fraction =
                projectLayer({hidden, 4096, 1, 16, 4}, m_mi210, evolution).overlappedFraction();
            QVERIFY2(fraction > 0.85 * low && fraction < 1.15 * high, qPrintable(QString::number(fraction)));
        }
    }

    void switchesThatAddUpNearlyHalveWhatWaits()
    {
        const LayerCase layer{16384, 2048, 1, 64, 4};
        Evolution switches;
        switches.in_network_reduction = true;
        const double before = projectLayer(layer, m_mi210, {}).serialized_s;
        const double after = projectLayer(layer, m_mi210, switches).serialized_s;
        QVERIFY(after < 0.65 * before && after >= 0.5 * before);
    }

    void slowLinksAndInterferenceUncoverGradients()
    {
        Scenario scenario = m_mi210;
        scenario.model.hidden_size = 16384;
        scenario.model.ffn_hidden_size = 4 * 16384;
        scenario.model.attention_heads = scenario.model.kv_heads = 128;
        scenario.model.head_dim = 128;
        scenario.model.sequence_length = 4096;
        scenario.training.micro_batch_size = 1;
        scenario.parallel.tensor = 64;
        scenario.parallel.data = 4;
        Evolution faster;
        faster.flop_vs_bandwidth = 4.0;
        const auto [today, computes_faster, far] = layerFutures(scenario, faster).times;
        QCOMPARE(today.exposed_s, 0.0);
        QVERIFY(today.hidden_s > 0.0);
        QVERIFY(computes_faster.compute_s < 0.5 * today.compute_s);
        QVERIFY(far.exposed_s > computes_faster.exposed_s);
        QVERIFY(far.total_s() > computes_faster.total_s());
        // With GPUs as fast as today's more of the gradients stays beneath the backward pass.
        const LayerTimes far_today = layerFutures(scenario, {}).times[2];
        QVERIFY(far_today.exposed_s < far.exposed_s);
        // What compute loses while it shares the links is no message.
        QCOMPARE(today.slowed_s + computes_faster.slowed_s, 0.0);
        QVERIFY(far_today.slowed_s > 0.0);
        QVERIFY(isNear(far_today.hidden_s + far_today.exposed_s, far.hidden_s + far.exposed_s));
    }

    // What a prediction computes more for one layer more.
    void theFuturesAreOfTheScenariosOwnLayer_data()
    {
        QTest::addColumn<bool>("has_experts");
        QTest::newRow("grouped heads and a gated MLP") << false;
        QTest::newRow("experts") << true;
    }
    void theFuturesAreOfTheScenariosOwnLayer()
    {
        QFETCH(const bool, has_experts);
        Scenario scenario = m_mi210;
        scenario.time_model = TimeModel::detailed;
        Model& model = scenario.model;
        model.hidden_size = 4096;
        model.attention_heads = 32;
        model.kv_heads = 8;
        model.head_dim = 128;
        model.ffn_hidden_size = 14336;
        model.gated_mlp = true;
        model.experts.count = has_experts ? 8 : 0;
        model.experts.ffn_hidden_size = 14336;
        scenario.parallel.tensor = 2;
        scenario.parallel.data = 4;
        scenario.parallel.expert = has_experts ? 4 : 1;
        scenario.training.global_batch_size = 4 * scenario.training.micro_batch_size;
        scenario.training.recompute = Recompute::none;
        const auto computed = [&](std::int64_t layers) {
            model.layers = layers;
            const Result<Prediction> prediction = predict(scenario);
            if (!prediction)
                qFatal("%s", prediction.error().sentence.c_str());
            return prediction.value().time.compute_s - prediction.value().time.step_s;
        };
        const double of_a_layer = computed(3) - computed(2);
        const LayerFutures futures = layerFutures(scenario, {});
        QVERIFY2(std::abs(futures.times[0].compute_s / of_a_layer - 1.0) < 0.01,
                 qPrintable(QStringLiteral("%1 %2").arg(futures.times[0].compute_s).arg(of_a_layer)));
        QVERIFY(futures.times[0].hidden_s > 0.0);
        scenario.parallel.data = scenario.parallel.expert = 1;
        QCOMPARE(layerFutures(scenario, {}).times[2].exposed_s, 0.0); // nothing to reduce
    }

    // As the messages of a prediction, whose payload is that of a rank's part of the sequence.
    void contextDividesWhatALayerSends()
    {
        Scenario scenario = m_mi210;
        scenario.model.sequence_length = 32768;
        scenario.parallel.tensor = 8;
        scenario.parallel.data = 1;
        const LayerTimes whole = layerFutures(scenario, {}).times[0];
        QCOMPARE(whole.hidden_s + whole.exposed_s, 0.0);
        scenario.parallel.context = 4;
        const LayerTimes part = layerFutures(scenario, {}).times[0];
        QVERIFY2(part.serialized_s < 0.3 * whole.serialized_s, // and its latency
                 qPrintable(QString::number(part.serialized_s / whole.serialized_s)));
        QVERIFY(part.hidden_s + part.exposed_s > 0.0); // its parts reduce gradients together
    }

    void aDenseLayerReducesOnce()
    {
        Scenario scenario = m_mi210;
        scenario.parallel.tensor = 1;
        scenario.parallel.data = 64;
        const auto reduced = [&] {
            const LayerTimes times = layerFutures(scenario, {}).times[0];
            return times.hidden_s + times.exposed_s;
        };
        const double before = reduced();
        const CollectiveAnswer law = predictCollective(
            scenario.cluster, {Op::all_reduce,
                               64,
                               64,
                               {bytesPerElement(activationDtype(scenario.training.precision))
                                * IterationFigures{scenario}.layer(LayerForm::attention_mlp).dense()}});
        QVERIFY2(std::abs(before / law.time_s.front() - 1.0) < 0.01,
                 qPrintable(QStringLiteral("%1 %2").arg(before).arg(law.time_s.front())));
    }

    void tensorRanksFollowModelsAndMemory_data()
    {
        QTest::addColumn<double>("parameters");
        QTest::addColumn<double>("memory_GB");
        QTest::addColumn<double>("tensor");
        QTest::newRow("Megatron-LM itself") << 3.9e9 << 32.0 << 8.0;
        QTest::newRow("ten times the model") << 39e9 << 32.0 << 80.0;
        QTest::newRow("ten times the model, twice the memory") << 39e9 << 64.0 << 40.0;
    }
    void tensorRanksFollowModelsAndMemory()
    {
        QFETCH(double, parameters);
        QFETCH(double, memory_GB);
        QFETCH(double, tensor);
        QVERIFY(std::fabs(requiredTensor(parameters, memory_GB) - tensor) < 1e-9);
    }

private:
    Scenario m_mi210;
};

QTEST_APPLESS_MAIN(TestLayerProjection)
#include "tst_layer_projection.moc"
