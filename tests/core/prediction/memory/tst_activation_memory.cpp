#include <QTest>

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/scenario/scenario_change.h"

using namespace shardscope;

namespace
{

struct Gpt {
    std::int64_t layers;
    std::int64_t hidden;
    std::int64_t heads;
    std::int64_t pipeline;
    std::int64_t virtual_stages;
    std::int64_t micro_batch;
    std::int64_t micro_batches;
};

// Korthikanti et al. 2022, Table 3: t = 8, s = 2048, V = 51200.
Scenario scenarioOf(const Gpt& gpt)
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = gpt.layers;
    model.hidden_size = gpt.hidden;
    model.attention_heads = gpt.heads;
    model.kv_heads = gpt.heads;
    model.head_dim = gpt.hidden / gpt.heads;
    model.ffn_hidden_size = 4 * gpt.hidden;
    model.vocab_size = 51200;
    scenario.training.precision = Precision::fp16;
    scenario.training.micro_batch_size = gpt.micro_batch;
    scenario.training.global_batch_size = gpt.micro_batch * gpt.micro_batches;
    scenario.parallel.tensor = 8;
    scenario.parallel.pipeline = gpt.pipeline;
    scenario.parallel.virtual_stages = gpt.virtual_stages;
    scenario.parallel.schedule = gpt.virtual_stages > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
    return scenario;
}

constexpr Gpt gpt22b{48, 6144, 64, 1, 1, 4, 1};
constexpr Gpt gpt175b{96, 12288, 96, 8, 3, 1, 64};
constexpr Gpt gpt530b{105, 20480, 128, 35, 3, 1, 280};
constexpr Gpt gpt1t{128, 25600, 160, 64, 1, 1, 512};

// Of the layers of stage 0 alone, as the paper's figure draws them.
double layersGiB(const Scenario& scenario)
{
    const IterationFigures figures{scenario};
    const std::int64_t layers = scenario.model.layers / scenario.parallel.pipeline;
    const std::int64_t bytes = layers * chunksInFlight(scenario, 0)
                               * layerActivationBytes(figures, LayerForm::attention_mlp, repeatsOf(scenario));
    return static_cast<double>(bytes) / static_cast<double>(scenario.parallel.virtual_stages) / (1 << 30);
}

} // namespace

class TestActivationMemory : public QObject
{
    Q_OBJECT
private slots:
    // Korthikanti et al. 2022, Fig. 1: sbhL(10 + 24/t + 5as/(ht)) and, selective with sequence parallelism,
    // 34sbhL/t, with L(1 + (p-1)/(pv)) layers in flight.
    void layersOfStage0MatchThePaper_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<double>("none_GiB");
        QTest::addColumn<double>("selective_GiB");
        QTest::newRow("22B") << 0 << 59.25 << 9.5625;
        QTest::newRow("175B, interleaved") << 1 << 66.84375 << 12.3515625;
        QTest::newRow("530B, interleaved") << 2 << 114.0234375 << 23.076171875;
        QTest::newRow("1T") << 3 << 131.25 << 26.5625;
    }
    void layersOfStage0MatchThePaper()
    {
        static constexpr Gpt models[]{gpt22b, gpt175b, gpt530b, gpt1t};
        QFETCH(int, model);
        Scenario scenario = scenarioOf(models[model]);
        QTEST(layersGiB(scenario), "none_GiB");
        scenario.training.recompute = Recompute::selective;
        scenario.parallel.sequence_parallel = true;
        QTEST(layersGiB(scenario), "selective_GiB");
    }

    // Llama 3 8B at 4,096 tokens, 16 layers, with FlashAttention: SimuMax says 8.504 GiB.
    void gatedLayersMatchAnotherSimulator()
    {
        Scenario scenario;
        Model& model = scenario.model;
        model.layers = 16;
        model.hidden_size = 4096;
        model.attention_heads = 32;
        model.kv_heads = 8;
        model.ffn_hidden_size = 14336;
        model.gated_mlp = true;
        model.sequence_length = 4096;
        scenario.training.micro_batch_size = 1;
        scenario.training.flash_attention = true;
        const IterationFigures figures{scenario};
        const std::int64_t bytes = 16 * layerActivationBytes(figures, LayerForm::attention_mlp, no_repeats);
        QVERIFY(qAbs(static_cast<double>(bytes) / (1 << 30) - 8.504) < 0.01);
    }

    // The same layer in fp8 and fp4, bytes a token. Transformer Engine keeps a byte of each number that a
    // product reads: of both norms' results and what the last product takes in; of attention's result a copy
    // beside its own.
    void quantizedProductsKeepWhatTheyRead()
    {
        Scenario scenario;
        Model& model = scenario.model;
        model.hidden_size = 4096;
        model.attention_heads = 32;
        model.kv_heads = 8;
        model.ffn_hidden_size = 14336;
        model.gated_mlp = true;
        scenario.training.micro_batch_size = 1;
        scenario.training.flash_attention = true;
        const auto ofToken = [&](Precision precision, Framework framework) {
            scenario.training.precision = precision;
            scenario.conventions.framework = framework;
            return layerActivationBytes(IterationFigures{scenario}, LayerForm::attention_mlp, no_repeats)
                   / model.sequence_length;
        };
        const std::int64_t attention = 2 * 2 * 128 * (32 + 8) + 4 * 32;
        QCOMPARE(ofToken(Precision::bf16, Framework::megatron), 4 * 2 * 4096 + attention + 3 * 2 * 14336);
        QCOMPARE(ofToken(Precision::fp8, Framework::megatron),
                 (2 * 2 + 2) * 4096 + attention + 4096 + (2 * 2 + 1) * 14336);
        QCOMPARE(ofToken(Precision::fp8, Framework::fsdp), ofToken(Precision::bf16, Framework::fsdp));
        // In fp4 half a byte, and one of scale for 16 numbers.
        QCOMPARE(ofToken(Precision::fp4, Framework::megatron),
                 2 * 2 * 4096 + attention + 2 * 2 * 14336 + (2 * 4096 + 4096 + 14336) * 9 / 16);
        QCOMPARE(ofToken(Precision::fp4, Framework::fsdp), ofToken(Precision::bf16, Framework::fsdp));
    }

    void schedulesHoldMicroBatchesInFlight_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("micro_batches");
        QTest::addColumn<QList<int>>("in_flight"); // of stages 0 and 3, in chunks
        const auto row = [](const char* name, Schedule schedule, int micro_batches, QList<int> in_flight) {
            QTest::newRow(name) << static_cast<int>(schedule) << micro_batches << in_flight;
        };
        row("gpipe holds all", Schedule::gpipe, 16, {16, 16});
        row("1f1b holds those ahead", Schedule::one_f_one_b, 16, {4, 1});
        row("1f1b with few micro-batches", Schedule::one_f_one_b, 2, {2, 1});
        row("zb-h1 holds as many", Schedule::zb_h1, 16, {4, 1});
        row("zb-h2 holds nearly twice as many", Schedule::zb_h2, 16, {7, 1});
        row("zb-v holds as many as 1f1b, on every stage", Schedule::zb_v, 16, {8, 8});
        row("v-half holds (p + 2) / 2 micro-batches", Schedule::v_half, 16, {6, 6});
        row("v-min holds (p + 4) / 3", Schedule::v_min, 16, {4, 4});
        row("v-half with few micro-batches", Schedule::v_half, 2, {4, 4});
    }
    void schedulesHoldMicroBatchesInFlight()
    {
        QFETCH(int, schedule);
        QFETCH(int, micro_batches);
        QFETCH(QList<int>, in_flight);
        Scenario scenario = scenarioOf({16, 1024, 16, 4, 1, 1, micro_batches});
        setSchedule(scenario.parallel, static_cast<Schedule>(schedule));
        QCOMPARE(chunksInFlight(scenario, 0), std::int64_t{in_flight[0]});
        QCOMPARE(chunksInFlight(scenario, 3), std::int64_t{in_flight[1]});
    }

    // 2 (p - 1 - stage) + (v - 1) group + 1 chunks.
    void largerGroupsHoldMoreInFlight()
    {
        Scenario scenario = scenarioOf({16, 1024, 16, 4, 1, 1, 16});
        setSchedule(scenario.parallel, Schedule::interleaved);
        QCOMPARE(chunksInFlight(scenario, 0), std::int64_t{2 * 3 + 4 + 1});
        scenario.parallel.micro_batch_group = 8;
        QCOMPARE(chunksInFlight(scenario, 0), std::int64_t{2 * 3 + 8 + 1});
        QCOMPARE(chunksInFlight(scenario, 3), std::int64_t{8 + 1});
        scenario.parallel.micro_batch_group = 0;
        scenario.conventions.framework = Framework::fsdp;
        scenario.training.global_batch_size = scenario.training.micro_batch_size * 10; // two rounds of five
        QCOMPARE(chunksInFlight(scenario, 0), std::int64_t{2 * 3 + 5 + 1});
    }

    // With flash attention a weight gradient waits with nearly all that a micro-batch keeps (Qi et al. 2024,
    // section 2.3: ZB-H1 needs what 1F1B does, ZB-H2 not twice that).
    void zeroBubblesKeepToTheirMemory_data()
    {
        QTest::addColumn<bool>("flash_attention");
        QTest::newRow("scores are kept") << false;
        QTest::newRow("flash attention") << true;
    }
    void zeroBubblesKeepToTheirMemory()
    {
        QFETCH(const bool, flash_attention);
        const auto mostOf = [&](Schedule schedule, Recompute recompute = Recompute::none) {
            Scenario scenario = scenarioOf({32, 4096, 32, 8, 1, 1, 24});
            scenario.training.recompute = recompute;
            scenario.training.flash_attention = flash_attention;
            setSchedule(scenario.parallel, schedule);
            const Result<MemoryPrediction> memory = predictMemory(scenario);
            if (!memory)
                qFatal("%s", memory.error().sentence.c_str());
            std::int64_t most = 0;
            for (const StageMemory& stage : memory.value().stages)
                most = std::max(most, stage.activations_bytes);
            return static_cast<double>(most);
        };
        const double needed = mostOf(Schedule::one_f_one_b);
        QVERIFY(mostOf(Schedule::zb_h1) < 1.02 * needed);
        QVERIFY(mostOf(Schedule::zb_h2) < 15.0 / 8.0 * 1.02 * needed);
        // Qi et al. 2024b, Table 1: 1, about 1/2 and about 1/3 of 1f1b's, here (8 + 2) / 2 and (8 + 4) / 3
        // of 8.
        QVERIFY(mostOf(Schedule::zb_v) < 1.02 * needed);
        QVERIFY(mostOf(Schedule::v_half) < 5.0 / 8.0 * 1.04 * needed);
        QVERIFY(mostOf(Schedule::v_min) < 4.0 / 8.0 * 1.04 * needed);
        for (const Schedule schedule :
             {Schedule::zb_h1, Schedule::zb_h2, Schedule::zb_v, Schedule::v_half, Schedule::v_min})
            QVERIFY(mostOf(schedule, Recompute::full) <= mostOf(schedule));
    }

    // Bytes of optimizer state a parameter: Rajbhandari et al. 2020 count 12 for Adam in mixed precision.
    void optimizersKeepTheirStates_data()
    {
        QTest::addColumn<Optimizer>("optimizer");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("bytes");
        QTest::newRow("adam, 16 bit") << Optimizer::adam << static_cast<int>(Precision::fp16) << 12;
        QTest::newRow("adam, float") << Optimizer::adam << static_cast<int>(Precision::fp32) << 8;
        QTest::newRow("momentum, 16 bit") << Optimizer::sgd << static_cast<int>(Precision::bf16) << 8;
        QTest::newRow("momentum, float") << Optimizer::sgd << static_cast<int>(Precision::fp32) << 4;
        QTest::newRow("none") << Optimizer::none << static_cast<int>(Precision::bf16) << 0;
    }
    void optimizersKeepTheirStates()
    {
        QFETCH(Optimizer, optimizer);
        QFETCH(int, precision);
        QFETCH(int, bytes);
        Training training;
        training.optimizer = optimizer;
        training.precision = static_cast<Precision>(precision);
        QCOMPARE(optimizerBytesPerParameter(training), std::int64_t{bytes});
    }

    // 7.5 billion parameters on 64 GPUs: 120, 31.4, 16.6 and 1.9 GB (Rajbhandari et al. 2020, Fig. 1). Here
    // 16 layers of 12 h^2 + 13 h, h = 6144: 7.25 billion, and the same bytes for each.
    void zeroSharesOutTheStates()
    {
        Scenario scenario = scenarioOf({16, 6144, 64, 1, 1, 1, 1});
        scenario.parallel.tensor = 1;
        scenario.parallel.data = 64;
        scenario.training.global_batch_size = 64;
        scenario.training.gradient_bytes = 2;
        const double expected[]{16.0, 4.0 + 12.0 / 64, 2.0 + 14.0 / 64, 16.0 / 64};
        for (int zero = 0; zero < 4; ++zero) {
            scenario.parallel.zero_stage = zero;
            const IterationFigures figures{scenario};
            const std::vector<StageShape> stages = layOutStages(figures);
            const StageMemory memory = predictMemory(figures, stages).stages.front();
            // What is whole for a moment: the ends and one layer, weights from stage 3 on.
            const std::int64_t whole =
                stages[0].end_parameters + figures.layer(LayerForm::attention_mlp).total();
            const std::int64_t for_a_moment = (zero == 3 ? 2 : 0) * whole;
            const auto states = static_cast<double>(memory.weights_bytes + memory.gradients_bytes
                                                    + memory.optimizer_bytes - for_a_moment);
            const double each = states / static_cast<double>(stages[0].parameters());
            QVERIFY2(qAbs(each - expected[zero]) < 1e-6, qPrintable(QString::number(each)));
        }
    }
};

QTEST_APPLESS_MAIN(TestActivationMemory)
#include "tst_activation_memory.moc"
