#include <QTest>

#include "core/prediction/memory/framework_memory.h"
#include "core/prediction/memory/memory.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

namespace
{

struct States {
    int master = 4;
    int exp_avg = 4;
    int exp_avg_sq = 4;
};

Scenario of(Precision precision, States states, std::int64_t data = 1, int zero_stage = 0)
{
    Scenario scenario = small(1, 1, data);
    scenario.parallel.zero_stage = zero_stage;
    scenario.training.precision = precision;
    scenario.training.master_bytes = states.master;
    scenario.training.exp_avg_bytes = states.exp_avg;
    scenario.training.exp_avg_sq_bytes = states.exp_avg_sq;
    return scenario;
}

StageMemory memoryOf(const Scenario& scenario)
{
    const IterationFigures figures{scenario};
    return predictMemory(figures, layOutStages(figures)).stages.front();
}

std::int64_t parametersOf(const Scenario& scenario)
{
    return layOutStages(IterationFigures{scenario}).front().trainedParameters();
}

// "what bytes a parameter" of each tensor of the step that grows with the parameters.
QStringList stepOf(const Scenario& scenario)
{
    const IterationFigures figures{scenario};
    const StageShape shape = layOutStages(figures).front();
    QStringList list;
    const MemoryTerms step = stepTensors(figures, shape);
    for (const MemoryTerm& term : step.terms())
        if (term.bytes() % shape.trainedParameters() == 0)
            list << QString::fromStdString(std::string{term.what}) + ' '
                        + QString::number(term.bytes() / shape.trainedParameters());
    return list;
}

} // namespace

Q_DECLARE_METATYPE(States)

// Formats of what the optimizer keeps of each parameter.
class TestOptimizerStates : public QObject
{
    Q_OBJECT
private slots:
    void eachStateTakesItsBytes_data()
    {
        QTest::addColumn<Optimizer>("optimizer");
        QTest::addColumn<int>("precision");
        QTest::addColumn<States>("states");
        QTest::addColumn<int>("bytes");
        const auto row = [](const char* name, Optimizer optimizer, Precision precision, States states,
                            int bytes) {
            QTest::newRow(name) << optimizer << static_cast<int>(precision) << states << bytes;
        };
        constexpr auto adam = Optimizer::adam;
        row("moments in bf16 (DeepSeek-V3)", adam, Precision::fp8, {4, 2, 2}, 8);
        row("the rest of a float beside bf16", adam, Precision::bf16, {2, 4, 4}, 10);
        row("all in 16 bits", adam, Precision::bf16, {2, 2, 2}, 6);
        row("moments in 8 bits", adam, Precision::bf16, {4, 1, 1}, 6);
        row("pure 16 bits", adam, Precision::bf16, {0, 2, 2}, 4);
        row("two formats", adam, Precision::fp16, {4, 1, 2}, 7);
        row("weights in fp32 have no copy", adam, Precision::fp32, {4, 2, 2}, 4);
        row("a momentum in 16 bits", Optimizer::sgd, Precision::bf16, {4, 2, 1}, 6);
        row("no optimizer", Optimizer::none, Precision::bf16, {2, 2, 2}, 0);
    }
    void eachStateTakesItsBytes()
    {
        QFETCH(Optimizer, optimizer);
        QFETCH(int, precision);
        QFETCH(States, states);
        QFETCH(int, bytes);
        Scenario scenario = of(static_cast<Precision>(precision), states);
        scenario.training.optimizer = optimizer;
        QCOMPARE(optimizerBytesPerParameter(scenario.training), std::int64_t{bytes});
        QCOMPARE(memoryOf(scenario).optimizer_bytes, bytes * parametersOf(scenario));
    }

    // Megatron-Core's README has 6 + 12/d bytes for bf16 weights with gradients in fp32.
    void megatronsDistributedOptimizerTakesWhatItsReadmeSays_data()
    {
        QTest::addColumn<States>("states");
        QTest::addColumn<int>("shared_out");
        QTest::newRow("all in fp32") << States{4, 4, 4} << 12;
        QTest::newRow("moments in bf16") << States{4, 2, 2} << 8;
        QTest::newRow("and the rest of the copy alone") << States{2, 2, 2} << 6;
    }
    void megatronsDistributedOptimizerTakesWhatItsReadmeSays()
    {
        QFETCH(States, states);
        QFETCH(int, shared_out);
        for (const std::int64_t data : {1, 2, 8}) {
            const Scenario scenario = of(Precision::bf16, states, data, 1);
            const StageMemory memory = memoryOf(scenario);
            const std::int64_t parameters = parametersOf(scenario);
            QCOMPARE(parameters % data, 0);
            QCOMPARE(memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes,
                     6 * parameters + shared_out * parameters / data);
        }
    }

    // 16-bit gradients are as many bytes again.
    void theHostHoldsThemAsTheyAre()
    {
        Scenario scenario = of(Precision::bf16, {2, 2, 1});
        scenario.training.offload = Offload::optimizer;
        QCOMPARE(memoryOf(scenario).host_bytes, (5 + 2) * parametersOf(scenario));
        QCOMPARE(memoryOf(scenario).optimizer_bytes, 0);
    }

    void stepsMakeCopiesInFp32_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("precision");
        QTest::addColumn<States>("states");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* name, Framework framework, Precision precision, States states,
                            const QStringList& expected) {
            QTest::newRow(name) << static_cast<int>(framework) << static_cast<int>(precision) << states
                                << expected;
        };
        row("Megatron-LM's, of 16-bit gradients", Framework::megatron, Precision::bf16, {4, 4, 4},
            {"own gradients in fp32 4"});
        row("Transformer Engine takes them as they are", Framework::megatron, Precision::bf16, {2, 4, 4}, {});
        row("and makes floats of short moments", Framework::megatron, Precision::bf16, {2, 2, 4},
            {"first moments in fp32 4"});
        row("of both", Framework::megatron, Precision::bf16, {2, 2, 1},
            {"first moments in fp32 4", "second moments in fp32 4"});
        row("and of a copy in fp16", Framework::megatron, Precision::fp16, {2, 4, 4},
            {"copy of the weights in fp32 4"});
        row("DeepSpeed's, of 16-bit gradients", Framework::deepspeed, Precision::bf16, {4, 4, 4},
            {"own gradients, flat 2", "own gradients in fp32 4"});
        row("DeepSpeed with 16-bit weights has none", Framework::deepspeed, Precision::bf16, {2, 2, 2},
            {"own gradients, flat 2"});
        row("FSDP has none", Framework::fsdp, Precision::bf16, {0, 2, 2}, {});
    }
    void stepsMakeCopiesInFp32()
    {
        QFETCH(int, framework);
        QFETCH(int, precision);
        QFETCH(States, states);
        QFETCH(QStringList, expected);
        Scenario scenario = of(static_cast<Precision>(precision), states);
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.training.gradient_bytes = 2;
        QCOMPARE(stepOf(scenario), expected);
    }

    // Its states are the host's own, and none of Transformer Engine's.
    void anOffloadedStepMakesNone()
    {
        Scenario scenario = of(Precision::bf16, {2, 2, 2});
        scenario.training.offload = Offload::optimizer;
        scenario.training.gradient_bytes = 2;
        QCOMPARE(stepOf(scenario), QStringList{});
    }
};

QTEST_APPLESS_MAIN(TestOptimizerStates)
#include "tst_optimizer_states.moc"
