#include <QTest>

#include "core/base/resources.h"
#include "core/prediction/prediction.h"
#include "core/scenario/presets.h"

#include <array>

using namespace shardscope;

namespace
{

const Presets& presets()
{
    static const Presets loaded = Presets::load(resourcesFolder() / "presets").value();
    return loaded;
}

// 1.7B on 16 GPUs, (p, t, d) = (4, 2, 2).
Scenario smallGpt(const Cluster& cluster)
{
    Scenario scenario;
    scenario.model.layers = 24;
    scenario.model.hidden_size = 2304;
    scenario.model.attention_heads = 24;
    scenario.model.kv_heads = 24;
    scenario.model.head_dim = 96;
    scenario.model.ffn_hidden_size = 9216;
    scenario.training.global_batch_size = 64;
    scenario.training.micro_batch_size = 2;
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    scenario.cluster = cluster;
    return scenario;
}

} // namespace

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
};

QTEST_APPLESS_MAIN(TestTimeError)
#include "tst_time_error.moc"
