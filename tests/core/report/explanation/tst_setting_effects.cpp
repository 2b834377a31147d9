#include <QTest>

#include "core/base/format.h"
#include "core/prediction/predict.h"
#include "core/report/explanation/setting_effects.h"
#include "core/scenario/scenario_json.h"

#include <cmath>

using namespace shardscope;

namespace
{

// The effect of one key; empty: it has none.
QString effectOf(const char* text, const char* key)
{
    const auto reading = readScenario(text, Presets{});
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    for (const SettingEffect& effect : settingEffects(reading.value().scenario))
        if (effect.key == key)
            return QString::fromStdString(effect.sentence);
    return {};
}

// l 16, h 1024, s 1024, b 1, m 1, bf16: an activation has 2 MiB. The small vocabulary leaves little else.
constexpr const char* split_sequence = R"({
    "model": {"layers": 16, "hidden_size": 1024, "sequence_length": 1024, "vocab_size": 1000},
    "training": {"global_batch_size": 1, "micro_batch_size": 1},
    "parallel": {"tensor": 2, "sequence_parallel": true}})";

} // namespace

class TestSettingEffects : public QObject
{
    Q_OBJECT
private slots:
    // Two gathers a layer and one of the head, 1 MiB sent in each by one rank of two.
    void gatheringOnceSavesTwoGathersALayer()
    {
        const QString effect = effectOf(split_sequence, "conventions.sp_regather");
        QVERIFY2(effect.startsWith("off: -33 MiB sent by a GPU (-"), qPrintable(effect));
    }

    // DeepSpeed's all_reduce of a bucket sends twice what the reduce_scatter of a unit sends.
    void wordsAreTriedOneByOne()
    {
        const QString effect =
            effectOf(R"({"parallel": {"data": 2, "zero_stage": 2}})", "conventions.zero_reduction");
        QVERIFY2(effect.startsWith("all_reduce: +"), qPrintable(effect));
    }

    void bucketsChangeTheCallsAlone()
    {
        const QString effect =
            effectOf(R"({"model": {"layers": 2}, "parallel": {"data": 2}})", "conventions.dp_reduction");
        QVERIFY2(effect.startsWith("buckets: the same bytes in "), qPrintable(effect));
    }

    // s 2048, b 4, V 50,257: a loss on copies in fp32 holds more than one that fills the logits with
    // gradients.
    void aFusedLossSavesMemoryAndTime()
    {
        const QString effect = effectOf(R"({
            "model": {"layers": 2, "hidden_size": 1024, "sequence_length": 2048, "vocab_size": 50257},
            "training": {"global_batch_size": 4, "micro_batch_size": 4},
            "conventions": {"framework": "ddp"}})",
                                        "conventions.fused_cross_entropy");
        QVERIFY2(effect.startsWith("on: -") && effect.contains(" of memory, -")
                     && effect.endsWith(" of time"),
                 qPrintable(effect));
    }

    // With ALiBi, FSDP is MosaicML's llm-foundry, which fuses its loss: the framework's effect is that of a
    // scenario that names it.
    void theFrameworksEffectIsThatOfTheFile()
    {
        constexpr const char* mpt = R"({
            "model": {"layers": 2, "hidden_size": 1024, "sequence_length": 2048, "vocab_size": 50257,
                      "position_embedding": "alibi"},
            "training": {"global_batch_size": 8, "micro_batch_size": 4},
            "parallel": {"data": 2, "zero_stage": 3}, "conventions": {"framework": "%1"}})";
        const auto held = [&](const char* framework) {
            const auto reading = readScenario(QString{mpt}.arg(framework).toStdString(), Presets{});
            return static_cast<double>(predict(reading.value().scenario).value().memory.device_bytes);
        };
        const QString effect = effectOf(qPrintable(QString{mpt}.arg("ddp")), "conventions.framework");
        const double bytes = held("fsdp") - held("ddp");
        const QString told = QString::fromStdString(formatBytes(std::abs(bytes)));
        const QString fsdp = effect.mid(effect.indexOf("fsdp: ")).section(';', 0, 0);
        QVERIFY2(fsdp.contains((bytes < 0 ? "-" : "+") + told + " of memory"),
                 qPrintable(effect + " | " + told));
    }

    void switchesWithoutAnEffectAreLeftOut()
    {
        QVERIFY(effectOf(split_sequence, "conventions.zero_unit").isEmpty());
    }

    // 2 MiB for each choice of an expert, four times in each of 16 layers, half of it to the other rank.
    void theVolumeFollowsTopK()
    {
        const char* text = R"({
            "model": {"layers": 16, "hidden_size": 1024, "sequence_length": 1024, "vocab_size": 1000,
                      "experts": {"count": 4, "per_token": 2, "skew": 1}},
            "training": {"global_batch_size": 2, "micro_batch_size": 1},
            "parallel": {"data": 2, "expert": 2}})";
        const QString effect = effectOf(text, "model.experts.per_token");
        QVERIFY2(effect.startsWith("all_to_all of a GPU: top-1: 64 MiB; top-2: 128 MiB; top-4: 256 MiB"),
                 qPrintable(effect));
        // Zipf's law over four experts, 12/25, 6/25, 4/25, 3/25: the first two are on one rank.
        const QString skew = effectOf(text, "model.experts.skew");
        QVERIFY2(skew.contains("receives 1.44 times the mean, the emptiest 0.56"), qPrintable(skew));
    }

    void wrongScenariosHaveNoEffects()
    {
        Scenario scenario;
        scenario.model.layers = 0;
        QVERIFY(settingEffects(scenario).empty());
    }
};

QTEST_APPLESS_MAIN(TestSettingEffects)
#include "tst_setting_effects.moc"
