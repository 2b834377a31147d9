#include <QTest>

#include "core/prediction/time/ends_time.h"
#include "tests/core/prediction/time/counting_gpu.h"

using namespace shardscope;

// Operations and bytes of the model's ends and of the optimizer, counted by hand.
class TestEndsTime : public QObject
{
    Q_OBJECT
private slots:
    void theEmbeddingReadsARowForEachToken()
    {
        Scenario scenario = gpt();
        scenario.cluster.compute.dispatch_us = 1.0;
        const auto embedding = [&] {
            const IterationFigures figures{scenario};
            const Machine machine{scenario.cluster};
            return EndsTime{figures, machine}.embedding();
        };
        // Megatron-LM waits for ten kernels to be started, either way.
        QCOMPARE(counts(embedding().forward_s), 2 * 64 * 64 * 2 + 10'000'000);
        QCOMPARE(counts(embedding().input_gradient_s), 2 * 64 * 64 * 2 + 10'000'000);
        QCOMPARE(embedding().starts_s, 20e-6);
        scenario.conventions.framework = Framework::fsdp;
        QCOMPARE(counts(embedding().forward_s), 2 * 64 * 64 * 2);
        QCOMPARE(embedding().starts_s, 0.0);
    }

    // 1,000 words are padded to 1,024: 2 * 64 * 1,024 * 64 operations, and bytes for each of 65,536 logits.
    void theHeadTakesItsProductAndTheLoss_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<bool>("is_fused");
        QTest::addColumn<int>("loss_bytes");
        QTest::addColumn<int>("kernels");
        QTest::addColumn<int>("accumulation_bytes"); // of each weight
        const auto row = [](const char* name, Framework framework, bool fused, int loss, int kernels,
                            int sum) {
            QTest::newRow(name) << static_cast<int>(framework) << fused << loss << kernels << sum;
        };
        row("Megatron-LM, fused", Framework::megatron, true, 36, 40, 0);
        row("Megatron-LM, kernel by kernel", Framework::megatron, false, 52, 40, 0);
        row("DeepSpeed adds up by itself", Framework::deepspeed, false, 52, 40, 10);
        row("PyTorch's loss", Framework::fsdp, false, 36, 0, 0);
        row("flash-attn's loss", Framework::ddp, true, 6, 0, 0);
    }
    void theHeadTakesItsProductAndTheLoss()
    {
        QFETCH(int, framework);
        QFETCH(bool, is_fused);
        QFETCH(int, loss_bytes);
        QFETCH(int, kernels);
        QFETCH(int, accumulation_bytes);
        Scenario scenario = gpt();
        scenario.cluster.compute.dispatch_us = 1.0;
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.conventions.fused_cross_entropy = is_fused;
        const auto head = [&] {
            const IterationFigures figures{scenario};
            const Machine machine{scenario.cluster};
            return EndsTime{figures, machine}.head();
        };
        const qint64 product = 2 * 64 * 1024 * 64;
        const qint64 either_way = product + loss_bytes * 65536 / 2 + kernels * 1'000'000;
        QCOMPARE(counts(head().forward_s), either_way);
        QCOMPARE(counts(head().input_gradient_s), either_way);
        QCOMPARE(counts(head().weight_gradient_s), product + accumulation_bytes * 1024 * 64 * 3 / 4);
        scenario.training.global_batch_size = 2; // one micro-batch has nothing to be added to
        QCOMPARE(counts(head().weight_gradient_s), product);
    }

    void rowsOfLogitsThatFillNoStepsTakeLonger_data()
    {
        QTest::addColumn<int>("words");
        QTest::addColumn<int>("tenths");
        QTest::newRow("steps of 16 bytes") << 1008 << 10;
        QTest::newRow("of 8") << 1004 << 17;
        QTest::newRow("of 4") << 1002 << 17;
        QTest::newRow("of one number") << 1001 << 25;
    }
    void rowsOfLogitsThatFillNoStepsTakeLonger()
    {
        QFETCH(int, words);
        QFETCH(int, tenths);
        Scenario scenario = gpt();
        scenario.model.vocab_size = words;
        scenario.model.vocab_padding = 1;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        const qint64 loss = 36 * 64 / 2 * words; // Megatron-LM's, fused
        const qint64 product = qRound64(2.0 * 64 * 64 * words * tenths / 10);
        QCOMPARE(counts(EndsTime{figures, machine}.head().forward_s), product + loss);
    }

    // The new gradient is read, the sum read and written, for three of four micro-batches.
    void deepSpeedAddsUpInTheSumsOwnNumbers_data()
    {
        QTest::addColumn<int>("gradient_bytes");
        QTest::addColumn<int>("bytes");
        QTest::newRow("in 16 bits") << 2 << 6;
        QTest::newRow("in 32 bits") << 4 << 10;
        QTest::newRow("in 32 bits, the new one kept") << 6 << 10;
    }
    void deepSpeedAddsUpInTheSumsOwnNumbers()
    {
        QFETCH(int, gradient_bytes);
        QFETCH(int, bytes);
        Scenario scenario = gpt();
        scenario.conventions.framework = Framework::deepspeed;
        scenario.training.gradient_bytes = gradient_bytes;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        QCOMPARE(counts(EndsTime{figures, machine}.head().weight_gradient_s),
                 2 * 64 * 1024 * 64 + bytes * 1024 * 64 * 3 / 4);
    }

    // Beside them gradients of 2 bytes are cleared by Megatron-LM and divided among two replicas.
    void optimizersReadAndWriteTheirStates()
    {
        Scenario scenario = gpt();
        scenario.training.gradient_bytes = 2;
        const auto step = [&](Optimizer optimizer, double held = 0.0) {
            scenario.training.optimizer = optimizer;
            const IterationFigures figures{scenario};
            const Machine machine{scenario.cluster};
            return EndsTime{figures, machine}.optimizerStep(1e6, held).value();
        };
        QCOMPARE(step(Optimizer::adam), 34e6 / 0.85e12);
        QCOMPARE(step(Optimizer::sgd), 26e6 / 0.85e12);
        QCOMPARE(step(Optimizer::none, 1e6), 0.0);
        QCOMPARE(step(Optimizer::adam, 1e6), 36e6 / 0.85e12);
        scenario.parallel.data = 2;
        QCOMPARE(step(Optimizer::adam, 1e6), 40e6 / 0.85e12);
        QCOMPARE(step(Optimizer::adam, 3e6), 52e6 / 0.85e12);
        scenario.parallel.zero_stage = 2; // each keeps the sums that it updates with
        QCOMPARE(step(Optimizer::adam, 3e6), 40e6 / 0.85e12);
        scenario.parallel.zero_stage = 0;
        scenario.conventions.framework = Framework::deepspeed;
        QCOMPARE(step(Optimizer::adam, 1e6), 38e6 / 0.85e12);
        scenario.conventions.framework = Framework::fsdp;
        QCOMPARE(step(Optimizer::adam, 1e6), 34e6 / 0.85e12);
    }

    // Gradient twice, weights and moments there and back; 16 for a state that is in fp32 on its way.
    void statesInOtherFormatsPassAsTheyAre_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("precision");
        QTest::addColumn<QList<int>>("states");
        QTest::addColumn<int>("bytes");
        const auto row = [](const char* name, Framework framework, Precision precision,
                            const QList<int>& states, int bytes) {
            QTest::newRow(name) << static_cast<int>(framework) << static_cast<int>(precision) << states
                                << bytes;
        };
        constexpr auto titan = Framework::fsdp; // its gradients of 2 bytes become floats beside a float
        row("fp32", titan, Precision::bf16, {4, 4, 4}, 8 + 10 + 8 + 8);
        row("fp32 weights", titan, Precision::fp32, {0, 4, 4}, 8 + 10 + 8 + 8);
        row("16-bit moments", titan, Precision::bf16, {4, 2, 2}, 8 + 10 + 4 + 4);
        row("8-bit moments", titan, Precision::bf16, {4, 1, 1}, 8 + 10 + 2 + 2);
        row("no copy", titan, Precision::bf16, {0, 2, 2}, 4 + 4 + 4 + 4);
        row("DeepSpeed's 16-bit copy", Framework::deepspeed, Precision::bf16, {2, 2, 2}, 4 + 6 + 4 + 4);
        constexpr auto megatron = Framework::megatron;
        row("a float in two halves", megatron, Precision::bf16, {2, 4, 4}, 4 + 8 + 8 + 8);
        row("Transformer Engine's bf16 moments", megatron, Precision::bf16, {2, 2, 2}, 4 + 8 + 20 + 20);
        row("its fp16 copy", megatron, Precision::fp16, {2, 4, 1}, 4 + 22 + 8 + 18);
    }
    void statesInOtherFormatsPassAsTheyAre()
    {
        QFETCH(int, framework);
        QFETCH(int, precision);
        QFETCH(QList<int>, states);
        QFETCH(int, bytes);
        Scenario scenario = gpt();
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.training.precision = static_cast<Precision>(precision);
        scenario.training.gradient_bytes = scenario.training.precision == Precision::fp32 ? 4 : 2;
        scenario.training.master_bytes = states[0];
        scenario.training.exp_avg_bytes = states[1];
        scenario.training.exp_avg_sq_bytes = states[2];
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        QCOMPARE(EndsTime(figures, machine).optimizerStep(1e6, 0.0).value(), bytes * 1e6 / 0.85e12);
        scenario.training.optimizer = Optimizer::sgd;
        const IterationFigures with_sgd{scenario};
        QVERIFY(EndsTime(with_sgd, machine).optimizerStep(1e6, 0.0) < Seconds{bytes * 1e6 / 0.85e12});
    }
};

QTEST_APPLESS_MAIN(TestEndsTime)
#include "tst_ends_time.moc"
