#include <QTest>

#include "core/prediction/memory/framework_memory.h"
#include "core/prediction/memory/memory_moments.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

Q_DECLARE_METATYPE(shardscope::Scenario)

namespace
{

constexpr std::int64_t mebibyte = 1 << 20;

Scenario of(Framework framework, Precision precision, int gradient_bytes, std::int64_t data, int zero_stage)
{
    Scenario scenario = small(1, 1, data);
    scenario.conventions.framework = framework;
    scenario.conventions.dp_bucket_bytes = 100'000;
    scenario.training.precision = precision;
    scenario.training.gradient_bytes = gradient_bytes;
    scenario.parallel.zero_stage = zero_stage;
    return scenario;
}

// "what bytes" of each term, of the first stage.
template<class TermsOf>
QStringList listed(const Scenario& scenario, TermsOf terms_of)
{
    const IterationFigures figures{scenario};
    QStringList list;
    const MemoryTerms terms = terms_of(figures, layOutStages(figures).front());
    for (const MemoryTerm& term : terms.terms())
        list << QString::fromStdString(std::string{term.what}) + ' ' + QString::number(term.bytes());
    return list;
}

std::int64_t passing(const Scenario& scenario, std::string_view what)
{
    const IterationFigures figures{scenario};
    const MemoryMoment moment = fullestMoment(figures, layOutStages(figures).front());
    for (const MemoryTerm& term : moment.passing.terms())
        if (term.what == what)
            return term.bytes();
    return 0;
}

// So many words that the head's moment is the fullest.
Scenario wordy(Framework framework, std::int64_t tensor)
{
    Scenario scenario = of(framework, Precision::fp16, 4, 1, 0);
    scenario.model.vocab_size = 131072;
    scenario.parallel.tensor = tensor;
    scenario.conventions.fused_cross_entropy = false;
    return scenario;
}

} // namespace

// What frameworks keep aside, and what passes in the backward pass.
class TestFrameworkMemory : public QObject
{
    Q_OBJECT
private slots:
    void frameworksKeepTheirBuffers_data()
    {
        QTest::addColumn<Scenario>("scenario");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* name, const Scenario& scenario, const QStringList& expected) {
            QTest::newRow(name) << scenario << expected;
        };
        const Scenario one = of(Framework::ddp, Precision::fp32, 4, 1, 0);
        const IterationFigures figures{one};
        const std::int64_t parameters = layOutStages(figures).front().trainedParameters();
        row("DDP copies gradients into buckets", of(Framework::ddp, Precision::fp32, 4, 2, 0),
            {QString{"DDP's buckets %1"}.arg(4 * parameters)});
        row("without replicas it has none", one, {});
        row("FSDP has none", of(Framework::fsdp, Precision::bf16, 2, 2, 3), {});
        row("ZeRO gathers gradients in a bucket", of(Framework::deepspeed, Precision::fp16, 2, 2, 1),
            {"ZeRO's bucket 100000"});
        row("of the bf16 optimizer stage 2 does", of(Framework::deepspeed, Precision::bf16, 4, 2, 2),
            {"ZeRO's bucket 100000"});
        row("stage 1 does not", of(Framework::deepspeed, Precision::bf16, 4, 2, 1), {});
        Scenario on_host = of(Framework::deepspeed, Precision::bf16, 4, 2, 1);
        on_host.training.offload = Offload::optimizer;
        row("stage 1 with the optimizer on the host does", on_host, {"ZeRO's bucket 100000"});
        row("nor does plain DeepSpeed", of(Framework::deepspeed, Precision::fp16, 2, 2, 0), {});
        row("Megatron-LM in 32 bits has cuBLAS alone", of(Framework::megatron, Precision::fp32, 4, 2, 0),
            {QString{"cuBLAS work spaces %1"}.arg(64 * mebibyte)});
        Scenario on_processors = of(Framework::megatron, Precision::fp32, 4, 2, 0);
        on_processors.cluster.intra_node.kind = "loopback";
        row("on processors not even that", on_processors, {});
    }
    void frameworksKeepTheirBuffers()
    {
        QFETCH(Scenario, scenario);
        QFETCH(QStringList, expected);
        QCOMPARE(listed(scenario, frameworkBuffers), expected);
    }

    void everyGroupHasACommunicator()
    {
        const auto context = [](const IterationFigures& figures, const StageShape&) {
            return contextTerms(figures);
        };
        Scenario scenario = small(2, 2, 2);
        const QString cuda = QString{"CUDA context %1"}.arg(1573 * mebibyte);
        QCOMPARE(listed(scenario, context),
                 (QStringList{cuda, QString{"NCCL's communicators %1"}.arg(3 * 384 * mebibyte)}));
        QCOMPARE(listed(small(1, 1, 1), context), QStringList{cuda});
        scenario.cluster.intra_node.kind = "loopback";
        QCOMPARE(listed(scenario, context), QStringList{});
    }

    // By the time that a pass reaches the embedding, the micro-batch has let go of the layers of its chunk.
    void theEmbeddingsGradientTakesTheRoomOfOneChunk()
    {
        constexpr std::int64_t gradient = 131072 * 64 * 2;
        constexpr std::string_view beyond =
            "gradient of the embedding, less its layers' activations that are free by then";
        Scenario scenario = wordy(Framework::fsdp, 1);
        scenario.parallel.pipeline = 2;
        const std::int64_t of_four_layers = gradient - passing(scenario, beyond);
        QVERIFY(of_four_layers > 0);
        scenario.parallel.virtual_stages = 2;
        scenario.parallel.schedule = Schedule::interleaved;
        QCOMPARE(gradient - passing(scenario, beyond), of_four_layers / 2);
    }

    // 64 tokens and 131,072 words in 4-byte logits: 33,554,432 bytes.
    void lossesMakeTheirGradients_data()
    {
        QTest::addColumn<Scenario>("scenario");
        QTest::addColumn<qint64>("expected");
        constexpr qint64 logits = 64 * 131072 * 4;
        QTest::newRow("DeepSpeed: 16 bits and a second copy in fp32")
            << wordy(Framework::deepspeed, 1) << logits + logits / 2;
        QTest::newRow("PyTorch: two tensors in fp32") << wordy(Framework::fsdp, 1) << 2 * logits;
        QTest::newRow("with loss parallelism three, of its part")
            << wordy(Framework::fsdp, 2) << 3 * logits / 2;
    }
    void lossesMakeTheirGradients()
    {
        QFETCH(Scenario, scenario);
        QFETCH(qint64, expected);
        QCOMPARE(passing(scenario, "gradients of the logits"), expected);
    }

    // 64 tokens of 64 numbers in 2 bytes: 8,192 whole, a quarter on each of four ranks.
    void theHeadOfSplitTokensGathersItsInput()
    {
        Scenario scenario = wordy(Framework::megatron, 4);
        scenario.conventions.fused_cross_entropy = true;
        QCOMPARE(passing(scenario, "gradient of the head's input"), 8192);
        QCOMPARE(passing(scenario, "head's input, gathered"), 0);
        scenario.parallel.sequence_parallel = true;
        QCOMPARE(passing(scenario, "head's input, gathered"), 8192);
        QCOMPARE(passing(scenario, "its gradient, scattered"), 2048);
    }

    // Without replicas of the rest: the four ranks of a tensor group hold the same experts, and share them
    // out.
    void wholeExpertsAreSharedOutByTensorRanks()
    {
        Scenario scenario;
        scenario.model.experts.count = 8;
        scenario.model.experts.ffn_hidden_size = 8192;
        scenario.training.global_batch_size = 4;
        scenario.training.micro_batch_size = 1;
        scenario.parallel.tensor = 4;
        scenario.parallel.sequence_parallel = true;
        scenario.parallel.expert_tensor_parallel = false;
        scenario.parallel.zero_stage = 3;
        const auto weights = [&] { return predict(scenario).value().memory.stages.front().weights_bytes; };
        const std::int64_t shared = weights();
        scenario.parallel.zero_stage = 0;
        QVERIFY2(4 * shared < 2 * weights(), qPrintable(QString::number(shared)));
    }

    // Four ranks hold different experts, of eight ranks two the same.
    void expertsWithoutReplicasAreNotSharedOut()
    {
        Scenario scenario = withExperts(small(1, 1, 4), 0.0);
        const auto shared = [&] {
            const IterationFigures figures{scenario};
            return std::pair{sharedOutParameters(figures, LayerForm::attention_experts)
                                 - figures.layer(LayerForm::attention_experts).dense(),
                             figures.layer(LayerForm::attention_experts).routed};
        };
        QCOMPARE(shared().first, 0);
        scenario.parallel.data = 8;
        QCOMPARE(shared().first, shared().second);
        scenario.parallel.expert = 1;
        QCOMPARE(shared().first, shared().second);
        QVERIFY(shared().second > 0);
    }
};

QTEST_APPLESS_MAIN(TestFrameworkMemory)
#include "tst_framework_memory.moc"
