#include <QTest>

#include "core/prediction/model/flops.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

namespace
{

// Of one sequence of 32 tokens through 8 layers of 12 h h weights, h 64, and to 1,000 words.
constexpr double layers = 2.0 * 32 * 8 * 12 * 64 * 64;
constexpr double attention = 2.0 * 32 * 32 * 8 * (2 * 64);
constexpr double logits = 2.0 * 32 * 64 * 1000;

} // namespace

class TestFlops : public QObject
{
    Q_OBJECT
private slots:
    void aForwardPassIsItsProducts()
    {
        Model model = small(1, 1, 1).model;
        const ForwardFlops forward = forwardFlops(model, false);
        QCOMPARE(forward.layers, layers);
        QCOMPARE(forward.attention, attention);
        QCOMPARE(forward.logits, logits);
        QCOMPARE(forwardFlops(model, true).attention, 0.5 * attention);
        model.output_head = OutputHead::bert; // sees what follows, and has a product before the words
        QCOMPARE(forwardFlops(model, true).attention, attention);
        QCOMPARE(forwardFlops(model, false).logits, logits + 2.0 * 32 * 64 * 64);
    }

    // Eight layers of 32 tokens. Of the 16 * 32 scores that half of 32 * 32 are, windows of 8 hold
    // 8 * 32 - 8 * 8 / 2 = 224.
    void scoresOutsideOfWindowsAreNotCounted_data()
    {
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("full_every");
        QTest::addColumn<double>("share");
        QTest::newRow("in all layers") << 8 << 0 << 224.0 / 512.0;
        QTest::newRow("in every second") << 8 << 2 << (1.0 + 224.0 / 512.0) / 2.0;
        QTest::newRow("in seven of eight") << 8 << 6 << (1.0 + 7.0 * 224.0 / 512.0) / 8.0;
        QTest::newRow("none") << 0 << 2 << 1.0;
        QTest::newRow("wider than the sequence") << 64 << 0 << 1.0;
    }
    void scoresOutsideOfWindowsAreNotCounted()
    {
        QFETCH(int, window);
        QFETCH(int, full_every);
        QFETCH(double, share);
        Model model = small(1, 1, 1).model;
        model.sliding_window = window;
        model.full_attention_every = full_every;
        QCOMPARE(forwardFlops(model, false).attention, share * attention);
        QCOMPARE(forwardFlops(model, true).attention, 0.5 * share * attention);
        QCOMPARE(forwardFlops(model, true).layers, layers);
    }

    // Eight sequences; backward takes twice the forward pass.
    void recomputationIsTheHardwaresAlone_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<double>("again"); // of each sequence
        const auto row = [](const char* name, Framework framework, Recompute recompute, double again) {
            QTest::newRow(name) << static_cast<int>(framework) << static_cast<int>(recompute) << again;
        };
        row("nothing", Framework::megatron, Recompute::none, 0.0);
        row("attention", Framework::megatron, Recompute::selective, attention);
        row("all layers", Framework::megatron, Recompute::full, layers + attention);
        row("every second product", Framework::fsdp, Recompute::selective, 0.5 * layers);
    }
    void recomputationIsTheHardwaresAlone()
    {
        QFETCH(int, framework);
        QFETCH(int, recompute);
        QFETCH(double, again);
        Scenario scenario = small(1, 1, 1);
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.training.recompute = static_cast<Recompute>(recompute);
        const FlopCount count = countFlops(scenario);
        QCOMPARE(count.model, 3.0 * 8 * (layers + attention + logits));
        QCOMPARE(count.hardware, count.model + 8 * again);
    }

    void formatsWithoutHardwareAreTheNextLarger()
    {
        ComputeLaw law;
        law.bf16_speedup = 0.25;
        law.fp8_speedup = 1.0;
        QCOMPARE(formatSpeedup(law, Precision::fp8), 0.25);
        QCOMPARE(formatSpeedup(law, Precision::fp4), 0.25);
        law.fp8_speedup = 1.5;
        QCOMPARE(formatSpeedup(law, Precision::fp8), 1.5);
        QCOMPARE(formatSpeedup(law, Precision::fp4), 1.5);
        law.fp4_over_fp8 = 3.0;
        QCOMPARE(formatSpeedup(law, Precision::fp4), 4.5);
        QCOMPARE(formatSpeedup(law, Precision::fp16), 1.0);
    }
};

QTEST_APPLESS_MAIN(TestFlops)
#include "tst_flops.moc"
