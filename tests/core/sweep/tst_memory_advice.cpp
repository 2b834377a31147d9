#include <QTest>

#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/sweep/memory_advice.h"
#include "tests/core/prediction/llama_scenario.h"
#include "tests/core/prediction/predicted.h"

using namespace shardscope;

namespace
{

// GPT-3 in tensor and data parallelism alone, on 1,024 GPUs of 80 GB.
Scenario withoutPipeline()
{
    Scenario scenario;
    scenario.model.layers = 96;
    scenario.model.hidden_size = 12288;
    scenario.model.attention_heads = scenario.model.kv_heads = 96;
    scenario.model.head_dim = 128;
    scenario.model.ffn_hidden_size = 4 * 12288;
    scenario.training.global_batch_size = 1536;
    scenario.training.micro_batch_size = 1;
    scenario.training.recompute = Recompute::full;
    scenario.parallel.tensor = 8;
    scenario.parallel.data = 128;
    scenario.cluster.gpus_per_node = 8;
    scenario.cluster.memory_GB = 80.0;
    return scenario;
}

} // namespace

class TestMemoryAdvice : public QObject
{
    Q_OBJECT
private slots:
    void adviceMakesItFit()
    {
        Scenario scenario = test::laidOut(test::llama70b(), 2, 1, 4);
        QVERIFY(!adviseMemory(scenario)); // it fits
        scenario.cluster.memory_GB = 60.0;
        const auto one = adviseMemory(scenario);
        QVERIFY(one);
        QCOMPARE(one->changes.size(), std::size_t{1});
        QVERIFY(memoryOf(one->scenario).fits);
        QCOMPARE(one->scenario.worldSize(), scenario.worldSize());
        scenario.cluster.memory_GB = 24.0;
        const auto several = adviseMemory(scenario);
        QVERIFY(several && several->changes.size() > 1);
        QVERIFY(memoryOf(several->scenario).fits);
        scenario.cluster.memory_GB = 4.0;
        const auto none = adviseMemory(scenario);
        QVERIFY(none && none->changes.empty());
    }

    // More than 95 % full may be too much: the next change that leaves room is better.
    void nearlyFullIsASecondChoice()
    {
        const auto adviceFor = [](double memory_GB) {
            Scenario scenario = test::laidOut(test::llama70b(), 2, 1, 4);
            scenario.cluster.memory_GB = memory_GB;
            return adviseMemory(scenario).value();
        };
        const MemoryAdvice roomy = adviceFor(60.0);
        QVERIFY(!roomy.is_nearly_full);
        const double just_GB = static_cast<double>(roomy.device_bytes) / (1 << 30) + 0.5;
        const MemoryAdvice other = adviceFor(just_GB);
        QVERIFY(other.changes != roomy.changes);
        QVERIFY(!other.is_nearly_full && other.device_bytes < roomy.device_bytes);
        // As little as any change needs.
        double least_GB = 60.0;
        for (MemoryAdvice last = roomy; !last.changes.empty(); last = adviceFor(least_GB))
            least_GB = static_cast<double>(last.device_bytes) / (1 << 30) - 1e-6;
        const MemoryAdvice least = adviceFor(least_GB + 2e-6);
        QVERIFY(least.is_nearly_full && memoryOf(least.scenario).fits);
    }

    // GPT-3 without a pipeline on 1,024 GPUs of 80 GiB.
    void adviceFindsTheSameGpusOtherwiseLaidOut_data()
    {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("framework");
        QTest::addColumn<QString>("change");
        const auto row = [](const char* name, int zero, Framework framework, const char* change) {
            QTest::newRow(name) << zero << static_cast<int>(framework) << QString{change};
        };
        row("Megatron-LM shares weights out too", 0, Framework::megatron, "ZeRO stage 2");
        row("so does DeepSpeed", 1, Framework::deepspeed, "ZeRO stage 2");
    }
    void adviceFindsTheSameGpusOtherwiseLaidOut()
    {
        QFETCH(int, zero);
        QFETCH(int, framework);
        QFETCH(QString, change);
        Scenario scenario = withoutPipeline();
        scenario.parallel.zero_stage = zero;
        scenario.conventions.framework = static_cast<Framework>(framework);
        const auto advice = adviseMemory(scenario);
        QVERIFY(advice);
        QCOMPARE(advice->changes.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(advice->changes.front()), change);
        QVERIFY(memoryOf(advice->scenario).fits);
        QCOMPARE(advice->scenario.worldSize(), scenario.worldSize());
    }

    // With two stages ZeRO 2 and 3 are out of the question.
    void adviceDeepensThePipeline()
    {
        Scenario scenario = withoutPipeline();
        scenario.parallel.pipeline = 2;
        scenario.parallel.data = 64;
        scenario.parallel.zero_stage = 1;
        scenario.cluster.memory_GB = 60.0;
        const auto advice = adviseMemory(scenario);
        QVERIFY(advice && advice->changes.size() == 1);
        QVERIFY(advice->scenario.parallel.pipeline > 2);
        QVERIFY(advice->scenario.parallel.zero_stage < 2);
        QCOMPARE(advice->scenario.worldSize(), scenario.worldSize());
    }
};

QTEST_APPLESS_MAIN(TestMemoryAdvice)
#include "tst_memory_advice.moc"
