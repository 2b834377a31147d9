#include <QTest>

#include "core/prediction/time/layer_time.h"
#include "tests/core/prediction/time/counting_gpu.h"

using namespace shardscope;

Q_DECLARE_METATYPE(shardscope::Scenario)

namespace
{

Scenario llama()
{
    Scenario scenario = gpt();
    scenario.model.gated_mlp = true;
    scenario.model.linear_bias = false;
    scenario.model.norm = Norm::rmsnorm;
    scenario.model.position_embedding = PositionEmbedding::rope;
    scenario.model.kv_heads = 2;
    scenario.training.flash_attention = true;
    return scenario;
}

// 8 experts of f 128, two for each token and a shared one.
Scenario mixture(std::int64_t expert_ranks)
{
    Scenario scenario = gpt();
    scenario.model.experts = {8, 2, 128, 1, 0, 1};
    scenario.parallel.data = scenario.parallel.expert = expert_ranks;
    return scenario;
}

template<class Change>
Scenario changed(Scenario scenario, Change change)
{
    change(scenario);
    return scenario;
}

// Forward and backward of each operator of that name, added up.
QString timesOf(const Scenario& scenario, std::string_view what, bool moe)
{
    const IterationFigures figures{scenario};
    const Machine machine{scenario.cluster};
    double forward_s = 0.0;
    double backward_s = 0.0;
    for (const OperatorCost& cost : LayerTime{figures, machine}.layerOperators(
             moe ? LayerForm::attention_experts : LayerForm::attention_mlp))
        if (cost.what == what) {
            forward_s += cost.forward_s;
            backward_s += cost.backward_s;
        }
    return QString{"%1, %2"}.arg(counts(forward_s)).arg(counts(backward_s));
}

ComputeTime layerOf(const Scenario& scenario)
{
    const IterationFigures figures{scenario};
    const Machine machine{scenario.cluster};
    return LayerTime{figures, machine}.layer(LayerForm::attention_mlp);
}

} // namespace

// Operations and bytes of a layer, counted by hand.
class TestLayerTime : public QObject
{
    Q_OBJECT
private slots:
    void operatorsTakeTheirOperationsOrBytes_data()
    {
        QTest::addColumn<Scenario>("scenario");
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<bool>("moe");
        QTest::addColumn<QString>("expected"); // operations or bytes forward, and backward
        const auto row = [](const char* name, const Scenario& scenario, const char* what, qint64 forward,
                            qint64 backward, bool moe = false) {
            QTest::newRow(name) << scenario << QByteArray{what} << moe
                                << QString{"%1, %2"}.arg(forward).arg(backward);
        };
        products(row);
        attention(row);
        passes(row);
        experts(row);
    }
    void operatorsTakeTheirOperationsOrBytes()
    {
        QFETCH(Scenario, scenario);
        QFETCH(QByteArray, what);
        QFETCH(bool, moe);
        QFETCH(QString, expected);
        QCOMPARE(timesOf(scenario, what.toStdString(), moe), expected);
    }

    void recomputationRepeatsWhatWasNotKept_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<qint64>("expected");
        const qint64 gemms = 1572864 + 524288 + 2 * 2097152;
        const qint64 scores = 1122304;
        const qint64 passes = 2 * 45056 + 65536;
        const auto row = [](const char* name, Framework framework, Recompute recompute, qint64 expected) {
            QTest::newRow(name) << static_cast<int>(framework) << static_cast<int>(recompute) << expected;
        };
        row("nothing", Framework::megatron, Recompute::none, 0);
        row("all of it", Framework::megatron, Recompute::full, gemms + scores + passes);
        row("attention", Framework::megatron, Recompute::selective, scores);
        row("all but the last product", Framework::fsdp, Recompute::full, gemms - 2097152 + scores + passes);
        row("every second product", Framework::fsdp, Recompute::selective, gemms / 2 + passes);
    }
    void recomputationRepeatsWhatWasNotKept()
    {
        QFETCH(int, framework);
        QFETCH(int, recompute);
        QFETCH(qint64, expected);
        Scenario scenario = gpt();
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.training.recompute = static_cast<Recompute>(recompute);
        QCOMPARE(counts(layerOf(scenario).recompute_s), expected);
    }

    // 40 kernels forward, 36 backward, 20 beside them for a checkpoint; two more for a tensor group, whose
    // ranks wait for the slowest of those on a node.
    void theProcessorStartsEveryKernel()
    {
        Scenario scenario = gpt();
        scenario.cluster.compute.dispatch_us = 1.0;
        scenario.training.recompute = Recompute::full;
        ComputeTime layer = layerOf(scenario);
        QCOMPARE(layer.forward_dispatch_s, 40e-6);
        QCOMPARE(layer.backward_dispatch_s, 36e-6);
        QCOMPARE(layer.recompute_dispatch_s, 60e-6);
        scenario.parallel.tensor = 4;
        QCOMPARE(layerOf(scenario).forward_dispatch_s, 42e-6 * (1.0 + 3 * 0.055));
        scenario.cluster.gpus_per_node = 2;
        QCOMPARE(layerOf(scenario).forward_dispatch_s, 42e-6 * (1.0 + 0.055));
    }

    // The decoder's 64 tokens ask for keys and values of the encoder's 128, and see all of them.
    void crossAttentionReadsTheEncoder()
    {
        Scenario scenario = gpt();
        scenario.model.encoder_layers = 8;
        scenario.model.encoder_sequence_length = 64;
        scenario.training.flash_attention = true;
        const auto cross = [&] {
            const IterationFigures figures{scenario};
            const Machine machine{scenario.cluster};
            return LayerTime{figures, machine}.crossAttention();
        };
        const qint64 products = 2 * 64 * 64 * 64 + 2 * 128 * 128 * 64 + 2 * 64 * 64 * 64;
        const qint64 scores = 2 * 64 * 64 * 128;
        QCOMPARE(counts(cross().forward_s), products + scores + 45056);
        QCOMPARE(counts(cross().weight_gradient_s), products);
        QCOMPARE(counts(cross().input_gradient_s), products + scores * 5 / 2 + 69632);
        scenario.cluster.compute.dispatch_us = 1.0;
        QCOMPARE(cross().forward_dispatch_s, 20e-6); // half of a layer's kernels
        // A rank has at least one head of keys and values.
        scenario.model.kv_heads = 2;
        scenario.parallel.tensor = 4;
        QCOMPARE(counts(cross().forward_s),
                 (2 * 64 * 64 * 64 + 2 * 64 * 64 * 64) / 4 + 2 * 128 * 32 * 64 + scores / 4 + 45056);
    }

private:
    template<class Row>
    static void products(Row row)
    {
        const auto split = [](Scenario& scenario) { scenario.parallel.tensor = 4; };
        row("queries, keys and values", gpt(), "queries, keys, values", 1572864, 2 * 1572864);
        row("a quarter of them", changed(gpt(), split), "queries, keys, values", 393216, 2 * 393216);
        row("two heads of keys and values", llama(), "queries, keys, values", 1048576, 2 * 1048576);
        row("each rank has at least one", changed(llama(), split), "queries, keys, values", 393216,
            2 * 393216);
        row("output projection", gpt(), "output projection", 524288, 2 * 524288);
        row("first product", gpt(), "MLP, first product", 2097152, 2 * 2097152);
        row("gate and first product", llama(), "MLP, first product", 4194304, 2 * 4194304);
        row("second product", llama(), "MLP, second product", 2097152, 2 * 2097152);
        const Scenario latents = withLatents(gpt()); // ranks 24 and 16; heads of 8 + 4, and 8
        row("queries, down", latents, "queries, down", 2 * 64 * 24 * 64, 4 * 64 * 24 * 64);
        row("queries, up", latents, "queries, up", 2 * 64 * 48 * 24, 4 * 64 * 48 * 24);
        row("keys and values, down", latents, "keys and values, down", 2 * 64 * 20 * 64, 4 * 64 * 20 * 64);
        row("keys and values, up", latents, "keys and values, up", 2 * 64 * 64 * 16, 4 * 64 * 64 * 16);
        row("latent output", latents, "output projection", 2 * 64 * 64 * 32, 4 * 64 * 64 * 32);
    }

    // 64 tokens with 32 others: 2,048 pairs of 4 heads, 524,288 operations.
    template<class Row>
    static void attention(Row row)
    {
        const auto fused = [](Scenario& scenario) { scenario.training.flash_attention = true; };
        const Scenario flash = changed(gpt(), fused);
        row("half of the scores, two and a half times as much backward", flash, "attention", 262144, 655360);
        row("all of them, where later words count",
            changed(flash, [](Scenario& scenario) { scenario.model.output_head = OutputHead::bert; }),
            "attention", 524288, 1310720);
        row("slower with a bias",
            changed(flash,
                    [](Scenario& scenario) { scenario.model.position_embedding = PositionEmbedding::alibi; }),
            "attention", 4 * 262144, 4 * 655360);
        const auto windows = [](Scenario& scenario) {
            scenario.model.sliding_window = scenario.model.sequence_length / 4;
            scenario.model.full_attention_every = 2; // the others see 7 / 16 of the scores
        };
        row("windows in every second layer", changed(flash, windows), "attention", 262144 * 23 / 32,
            655360 * 23 / 32);
        row("stored scores: products at half speed, 9 and 11 bytes", gpt(), "attention",
            2 * 524288 + 9 * 8192, 4 * 524288 + 11 * 8192);
        row("in 4-byte numbers",
            changed(gpt(), [](Scenario& scenario) { scenario.training.precision = Precision::fp32; }),
            "attention", 2 * 524288 + 18 * 8192, 4 * 524288 + 22 * 8192);
        row("heads of 12 numbers, without matrix units",
            changed(gpt(), [](Scenario& scenario) { scenario.model.head_dim = 12; }), "attention",
            25 * 393216 + 9 * 8192, 50 * 393216 + 11 * 8192);
        row("products that wait for the scores",
            changed(gpt(), [](Scenario& scenario) { scenario.cluster.peak_tflops = 1e6; }), "attention",
            (4 + 9) * 8192, (8 + 11) * 8192);
        row("latent heads", changed(withLatents(gpt()), fused), "attention", 163840, 409600);
    }

    // 45 kernels of routing either way; two experts on a rank with two products forward and four backward.
    void expertsHaveKernelsOfTheirOwn_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("precision");
        QTest::addColumn<double>("forward");
        QTest::addColumn<double>("backward");
        const auto row = [](const char* name, Framework framework, Precision precision, double forward,
                            double backward) {
            QTest::newRow(name) << static_cast<int>(framework) << static_cast<int>(precision) << forward
                                << backward;
        };
        row("each expert's products by themselves", Framework::megatron, Precision::bf16, 4.0, 8.0);
        row("with casts", Framework::megatron, Precision::fp8, 10.0, 20.0);
        row("all experts' in one", Framework::fsdp, Precision::bf16, 2.0, 4.0);
    }
    void expertsHaveKernelsOfTheirOwn()
    {
        QFETCH(int, framework);
        QFETCH(int, precision);
        QFETCH(double, forward);
        QFETCH(double, backward);
        Scenario scenario = mixture(4);
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.training.precision = static_cast<Precision>(precision);
        scenario.cluster.compute.dispatch_us = 1.0;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        const ComputeTime layer = LayerTime(figures, machine).layer(LayerForm::attention_experts);
        QCOMPARE(layer.forward_dispatch_s, (40.0 + 45.0 + forward) * 1e-6);
        QCOMPARE(layer.backward_dispatch_s, (36.0 + 45.0 + backward) * 1e-6);
    }

    // A graph of either pass; what routing and experts start is not in it.
    void graphsAreStartedAsOneKernel()
    {
        Scenario scenario = mixture(4);
        scenario.conventions.cuda_graphs = true;
        scenario.cluster.compute.dispatch_us = 1.0;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        const ComputeTime dense = LayerTime(figures, machine).layer(LayerForm::attention_mlp);
        QCOMPARE(dense.forward_dispatch_s, 1e-6);
        QCOMPARE(dense.backward_dispatch_s, 1e-6);
        QCOMPARE(LayerTime(figures, machine).layer(LayerForm::attention_experts).forward_dispatch_s,
                 (1.0 + 45.0 + 4.0) * 1e-6);
    }

    // Megatron-LM's projections down work on a rank's own tokens, and what they made is gathered;
    // torchtitan's on all of the tensor group's.
    void projectionsDownWorkOnOwnTokens_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<bool>("split");
        QTest::addColumn<double>("rows");
        QTest::newRow("Megatron-LM") << static_cast<int>(Framework::megatron) << true << 0.25;
        QTest::newRow("Megatron-LM, whole tokens") << static_cast<int>(Framework::megatron) << false << 1.0;
        QTest::newRow("torchtitan") << static_cast<int>(Framework::fsdp) << true << 1.0;
    }
    void projectionsDownWorkOnOwnTokens()
    {
        QFETCH(int, framework);
        QFETCH(bool, split);
        QFETCH(double, rows);
        Scenario scenario = withLatents(gpt());
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.parallel.tensor = 4;
        scenario.parallel.sequence_parallel = split;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        int found = 0;
        for (const OperatorCost& cost :
             LayerTime(figures, machine).layerOperators(LayerForm::attention_mlp)) {
            const bool is_down = cost.what.ends_with("down");
            found += is_down ? 1 : 0;
            if (is_down || cost.what == "output projection")
                QCOMPARE(cost.shape.m, (is_down ? rows : 1.0) * static_cast<double>(figures.tokens));
        }
        QVERIFY(found > 0);
    }

    // 4,096 numbers at the layer's border.
    template<class Row>
    static void passes(Row row)
    {
        const auto split = [](Scenario& scenario) { scenario.parallel.tensor = 4; };
        const auto split_tokens = [](Scenario& scenario) {
            scenario.parallel.tensor = 4;
            scenario.parallel.sequence_parallel = true;
        };
        row("norms and dropout: 11 and 17 bytes, twice", gpt(), "norm, dropout, residual", 22 * 4096,
            34 * 4096);
        row("every tensor rank", changed(gpt(), split), "norm, dropout, residual", 22 * 4096, 34 * 4096);
        row("of its own tokens", changed(gpt(), split_tokens), "norm, dropout, residual", 22 * 1024,
            34 * 1024);
        row("without dropout: 10 and 12", llama(), "norm, residual", 20 * 4096, 24 * 4096);
        row("kernels that are not fused",
            changed(gpt(), [](Scenario& scenario) { scenario.conventions.operator_traffic = 2.0; }),
            "norm, dropout, residual", 44 * 4096, 68 * 4096);
        row("activation: 2 numbers of f, 3 backward", gpt(), "activation function", 4 * 256 * 64,
            6 * 256 * 64);
        row("gated: 3 numbers", llama(), "activation function", 6 * 256 * 64, 9 * 256 * 64);
        row("parts of latent heads", withLatents(gpt()), "activation function, parts of heads",
            (4 * 256 + 640) * 64, (6 * 256 + 640) * 64);
        row("Gemma's norms of outputs",
            changed(llama(), [](Scenario& scenario) { scenario.model.norms_per_layer = 4; }),
            "norms of the outputs", 8 * 4096, 12 * 4096);
        // The first of four micro-batches has nothing to be added to.
        row("DeepSpeed adds gradients up: 10 bytes of 12 h h + 13 h",
            changed(gpt(), [](Scenario& scenario) { scenario.conventions.framework = Framework::deepspeed; }),
            "gradients added up", 0, 10 * (12 * 64 * 64 + 13 * 64) * 3 / 4);
        Scenario reduced_each_time = gpt();
        reduced_each_time.conventions.framework = Framework::deepspeed;
        reduced_each_time.training.global_batch_size *= 8;
        reduced_each_time.parallel.data = 8;
        reduced_each_time.parallel.zero_stage = 2;
        row("a rank's part of those that are reduced in each micro-batch", reduced_each_time,
            "gradients added up", 0, 10 * (12 * 64 * 64 + 13 * 64) * 3 / 4 / 8);
    }

    // 64 tokens, two choices each.
    template<class Row>
    static void experts(Row row)
    {
        const auto fixed = [](Scenario& scenario) { scenario.model.experts.capacity_factor = 2.0; };
        row("as many rows as one rank's choices", mixture(4), "experts, first product", 2 * 128 * 128 * 64,
            4 * 128 * 128 * 64, true);
        row("second product", mixture(8), "experts, second product", 2 * 128 * 128 * 64, 4 * 128 * 128 * 64,
            true);
        row("every slot of a fixed capacity", changed(mixture(4), fixed), "experts, first product",
            2 * 256 * 128 * 64, 4 * 256 * 128 * 64, true);
        row("the shared expert sees all tokens", mixture(4), "shared experts, first product",
            2 * 64 * 128 * 64, 4 * 64 * 128 * 64, true);
        Scenario whole = mixture(2);
        whole.parallel.tensor = 2;
        whole.parallel.expert = 4;
        whole.parallel.sequence_parallel = true;
        whole.parallel.expert_tensor_parallel = false;
        row("half of the rows, the whole of the width", whole, "experts, first product", 2 * 64 * 128 * 64,
            4 * 64 * 128 * 64, true);
        row("a router of half of the tokens", whole, "router", 2 * 32 * 8 * 64, 4 * 32 * 8 * 64, true);
        row("router", mixture(4), "router", 2 * 64 * 8 * 64, 4 * 64 * 8 * 64, true);
        row("a rank with two experts orders twice", mixture(4), "tokens in the experts' order",
            7 * 2 * 128 * 64, 7 * 2 * 128 * 64, true);
        row("a rank with one does not", mixture(8), "tokens in the experts' order", 3 * 2 * 128 * 64,
            3 * 2 * 128 * 64, true);
        row("activations of two experts and the shared one", mixture(4), "activation function",
            4 * 3 * 128 * 64, 6 * 3 * 128 * 64, true);
    }
};

QTEST_APPLESS_MAIN(TestLayerTime)
#include "tst_layer_time.moc"
