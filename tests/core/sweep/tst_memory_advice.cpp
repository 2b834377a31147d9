#include <QTest>

#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/scenario/defaults.h"
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

QString joined(const std::vector<std::string>& changes)
{
    QStringList words;
    for (const std::string& change : changes)
        words << QString::fromStdString(change);
    return words.join(", ");
}

// One or two settings of a scenario of several stages changed, and their names.
std::vector<std::pair<QString, Scenario>> settingsOf(const Scenario& from)
{
    std::vector<std::pair<QString, Scenario>> all{{"", from}};
    const auto add = [&](const char* name, auto change) {
        for (std::size_t i = 0, n = all.size(); i < n; ++i) {
            Scenario scenario = all[i].second;
            change(scenario);
            if (all[i].first.count('+') < 2)
                all.emplace_back(all[i].first + '+' + name, scenario);
        }
    };
    add("selective", [](Scenario& one) { one.training.recompute = Recompute::selective; });
    add("full", [](Scenario& one) { one.training.recompute = Recompute::full; });
    add("sp", [](Scenario& one) { one.parallel.sequence_parallel = true; });
    add("zero", [](Scenario& one) { one.parallel.zero_stage = 1; });
    if (from.training.micro_batch_size % 2 == 0)
        add("micro-batches", [](Scenario& one) { one.training.micro_batch_size = 1; });
    for (auto& [name, scenario] : all)
        scenario.conventions = conventionsThere(from, scenario);
    return all;
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
        // As little as any change needs. What an allocator keeps of no use is less where there is less room.
        constexpr double step_GB = 0.05;
        double least_GB = 60.0;
        for (MemoryAdvice last = roomy; !last.changes.empty(); last = adviceFor(least_GB))
            least_GB = static_cast<double>(last.device_bytes) / (1 << 30) - step_GB;
        const MemoryAdvice least = adviceFor(least_GB + step_GB);
        QVERIFY(least.is_nearly_full && memoryOf(least.scenario).fits);
    }

    // Sequences of GPT-3 in micro-batches of four on stages of six layers.
    void theFastestOfWhatFitsIsAdvised_data()
    {
        QTest::addColumn<double>("memory_GB");
        QTest::addColumn<qint64>("micro_batch");
        QTest::addColumn<QString>("changes");
        QTest::newRow("the smallest micro-batches fill the pipeline best")
            << 80.0 << qint64{4} << "sequence parallelism, ZeRO stage 1, micro-batches of 1";
        QTest::newRow("as much recomputation as it takes")
            << 48.0 << qint64{4} << "selective recomputation, sequence parallelism, micro-batches of 1";
        QTest::newRow("micro-batches that cannot be halved")
            << 80.0 << qint64{3} << "selective recomputation, sequence parallelism, ZeRO stage 1";
    }
    void theFastestOfWhatFitsIsAdvised()
    {
        QFETCH(double, memory_GB);
        QFETCH(qint64, micro_batch);
        QFETCH(QString, changes);
        Scenario scenario = withoutPipeline();
        scenario.parallel.pipeline = 16;
        scenario.parallel.data = 8;
        scenario.training.recompute = Recompute::none;
        scenario.training.micro_batch_size = micro_batch;
        scenario.training.global_batch_size = 8 * micro_batch * 16;
        scenario.cluster.memory_GB = memory_GB;
        const MemoryAdvice advice = adviseMemory(scenario).value();
        QCOMPARE(joined(advice.changes), changes);
        QCOMPARE(advice.iteration_s, predict(advice.scenario).value().time.iteration_s);
        for (const auto& [name, other] : settingsOf(scenario)) {
            const auto prediction = predict(other);
            if (!prediction || !prediction.value().memory.fits
                || isNearlyFull(prediction.value().memory.device_bytes, other.cluster))
                continue;
            QVERIFY2(prediction.value().time.iteration_s * 1.03 > advice.iteration_s, qPrintable(name));
        }
    }

    // Fused attention leaves nothing to save with its scores.
    void noMoreLayersAreComputedAgainThanItTakes()
    {
        Scenario scenario = withoutPipeline();
        scenario.training.flash_attention = true;
        scenario.parallel.pipeline = 4;
        scenario.parallel.data = 32;
        scenario.parallel.zero_stage = 1;
        scenario.parallel.sequence_parallel = true;
        scenario.training.recompute = Recompute::none;
        scenario.cluster.memory_GB = 44.0;
        const MemoryAdvice advice = adviseMemory(scenario).value();
        const Training& training = advice.scenario.training;
        QCOMPARE(training.recompute, Recompute::full);
        QVERIFY(training.recompute_layers > 0 && training.recompute_layers < 24);
        QCOMPARE(joined(advice.changes),
                 QStringLiteral("recomputation of %1 layers a stage").arg(training.recompute_layers));
        Scenario fewer = advice.scenario;
        --fewer.training.recompute_layers;
        const MemoryPrediction memory = memoryOf(fewer);
        QVERIFY(!memory.fits || isNearlyFull(memory.device_bytes, fewer.cluster));
        QCOMPARE(advice.device_bytes, memoryOf(advice.scenario).device_bytes);
    }

    void aScheduleThatIsLongIsNotPlayed()
    {
        Scenario scenario = withoutPipeline();
        scenario.parallel.pipeline = 16;
        scenario.parallel.data = 8;
        scenario.training.recompute = Recompute::none;
        scenario.training.micro_batch_size = 4;
        const MemoryAdvice short_one = adviseMemory(scenario).value();
        QVERIFY(short_one.iteration_s > 0.0);
        scenario.training.global_batch_size *= 1024;
        const MemoryAdvice long_one = adviseMemory(scenario).value();
        QCOMPARE(long_one.iteration_s, 0.0);
        QVERIFY(!long_one.changes.empty() && memoryOf(long_one.scenario).fits);
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
        row("Megatron-LM shares weights out too", 0, Framework::megatron,
            "sequence parallelism, ZeRO stage 2");
        row("so does DeepSpeed", 1, Framework::deepspeed, "sequence parallelism, ZeRO stage 2");
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
        QCOMPARE(joined(advice->changes), change);
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

    // 64 experts on each GPU: sharing them out is all that it takes.
    void expertsAreSharedOut()
    {
        Scenario scenario = test::llama(16, 4096, 14336, 8);
        scenario.model.experts.count = 64;
        scenario.model.experts.ffn_hidden_size = 4096;
        scenario.parallel.data = 64;
        scenario.parallel.zero_stage = 1;
        scenario.training.global_batch_size = 64 * scenario.training.micro_batch_size;
        const auto advice = adviseMemory(scenario);
        QVERIFY(advice);
        QVERIFY2(joined(advice->changes).contains("expert ranks"), qPrintable(joined(advice->changes)));
        QVERIFY(advice->scenario.parallel.expert > 1);
    }

    void replicasAreToldOnce()
    {
        const auto advice = adviseMemory(withoutPipeline());
        QVERIFY(advice);
        QVERIFY2(joined(advice->changes).count("(d = ") <= 1, qPrintable(joined(advice->changes)));
    }
};

QTEST_APPLESS_MAIN(TestMemoryAdvice)
#include "tst_memory_advice.moc"
