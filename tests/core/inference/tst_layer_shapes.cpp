#include <QTest>

#include "core/inference/layer_shapes.h"

using namespace shardscope;

namespace
{

OperatorShape linear(const Shape& input, std::int64_t out, std::int64_t in, std::int64_t count,
                     bool has_bias = false)
{
    return {"aten::linear", {input, {out, in}, has_bias ? Shape{out} : Shape{}}, "c10::BFloat16", count};
}

// GPT of width h on one of t tensor ranks, fused queries, keys and values: 3 layers, 2 micro-batches.
std::vector<OperatorShape> gpt(std::int64_t h, std::int64_t t)
{
    const std::int64_t w = h / t;
    const Shape x{128, 4, h};
    return {linear(x, 3 * w, h, 6, true),
            linear({128, 4, w}, h, w, 6),
            linear(x, 4 * w, h, 6, true),
            linear({128, 4, 4 * w}, h, 4 * w, 6),
            linear(x, 50304 / t, h, 2),
            {"aten::embedding", {{50304 / t, h}, {4, 128}}, "c10::BFloat16", 2},
            {"aten::layer_norm", {x}, "c10::BFloat16", 14},
            {"aten::native_layer_norm_backward", {x}, "c10::BFloat16", 14},
            {"aten::bmm", {{4 * w / 64, 128, 64}, {4 * w / 64, 64, 128}}, "c10::BFloat16", 6}};
}

// Llama's: eight heads of 128 over two of keys and values, a gate, no norm that shows as an operator.
std::vector<OperatorShape> llama()
{
    const Shape x{2, 512, 1024};
    return {linear(x, 1024, 1024, 8), // queries and output of four layers
            linear(x, 256, 1024, 8),
            linear(x, 2816, 1024, 8),
            linear({2, 512, 2816}, 1024, 2816, 4),
            linear(x, 32000, 1024, 1),
            {"aten::embedding", {{32000, 1024}, {2, 512}}, "c10::BFloat16", 1},
            {"aten::scaled_dot_product_attention", {{2, 8, 512, 128}, {2, 8, 512, 128}}, "c10::BFloat16", 4}};
}

// Megatron-Core's layers of Transformer Engine on one of t ranks that split the sequence: norms stand within
// the products that follow them, the others take their weights first.
std::vector<OperatorShape> transformerEngine(std::int64_t h, std::int64_t t, bool rms)
{
    const std::int64_t w = h / t;
    const auto norm_linear = [&](std::int64_t out, std::int64_t count) {
        return OperatorShape{
            "_LayerNormLinear",
            {{128 / t, 4, h}, {h}, rms ? Shape{} : Shape{h}, {out, h}, rms ? Shape{} : Shape{out}},
            "c10::BFloat16",
            count};
    };
    const auto te_linear = [&](std::int64_t in, std::int64_t count) {
        return OperatorShape{
            "_Linear", {{h, in}, {128, 4, in}, rms ? Shape{} : Shape{h}}, "c10::BFloat16", count};
    };
    return {norm_linear(3 * w, 6),
            norm_linear(4 * w, 6),
            te_linear(w, 6),
            te_linear(4 * w, 6),
            {"_LayerNormLinearBackward", {}, "", 12},
            {"aten::embedding", {{50304 / t, h}, {4, 128}}, "c10::BFloat16", 2},
            {"FusedAttnFunc", {{}, {}, {}, {5}, {5}, {128, 4, w / 64, 64}, {128, 4, w / 64, 64}}, "", 6}};
}

// The layers of gpt() with another operator for its scores.
std::vector<OperatorShape> gptWith(OperatorShape attention)
{
    std::vector<OperatorShape> operators = gpt(1024, 1);
    operators.back() = std::move(attention);
    return operators;
}

} // namespace

class TestLayerShapes : public QObject
{
    Q_OBJECT
private slots:
    void layersOfGptAreFound_data()
    {
        QTest::addColumn<int>("tensor");
        QTest::newRow("one rank") << 1;
        QTest::newRow("two ranks") << 2;
        QTest::newRow("four: the MLP is as wide as the layer") << 4;
        QTest::newRow("eight") << 8;
    }
    void layersOfGptAreFound()
    {
        QFETCH(int, tensor);
        const auto found = layerShapes(gpt(1024, tensor));
        QVERIFY(found);
        QCOMPARE(found->hidden_size, 1024);
        QCOMPARE(found->attention_width * tensor, 1024);
        QCOMPARE(found->kv_width, found->attention_width);
        QCOMPARE(found->ffn_hidden_size * tensor, 4096);
        QCOMPARE(found->vocabulary * tensor, 50304);
        QCOMPARE(found->head_dim, 64);
        QCOMPARE(found->sequence_length, 128);
        QCOMPARE(found->micro_batch_size, 4);
        QCOMPARE(found->layer_passes, 6);
        QCOMPARE(found->embeddings, 2);
        QCOMPARE(found->heads, 2);
        QVERIFY(!found->gated_mlp);
        QVERIFY(found->linear_bias);
        QCOMPARE(found->precision, Precision::bf16);
        QCOMPARE(found->norm, Norm::layernorm);
    }

    void layersOfLlamaAreFound()
    {
        const auto found = layerShapes(llama());
        QVERIFY(found);
        QCOMPARE(found->hidden_size, 1024);
        QCOMPARE(found->attention_width, 1024);
        QCOMPARE(found->kv_width, 256);
        QCOMPARE(found->ffn_hidden_size, 2816);
        QCOMPARE(found->head_dim, 128);
        QCOMPARE(found->sequence_length, 512);
        QCOMPARE(found->micro_batch_size, 2);
        QCOMPARE(found->layer_passes, 4);
        QCOMPARE(found->vocabulary, 32000);
        QVERIFY(found->gated_mlp);
        QVERIFY(!found->linear_bias);
    }

    void layersOfTransformerEngineAreFound_data()
    {
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("rms");
        QTest::newRow("one rank") << 1 << false;
        QTest::newRow("four ranks split the sequence") << 4 << false;
        QTest::newRow("norms and products without shifts") << 2 << true;
    }
    void layersOfTransformerEngineAreFound()
    {
        QFETCH(int, tensor);
        QFETCH(bool, rms);
        const auto found = layerShapes(transformerEngine(1024, tensor, rms));
        QVERIFY(found);
        QCOMPARE(found->hidden_size, 1024);
        QCOMPARE(found->attention_width * tensor, 1024);
        QCOMPARE(found->ffn_hidden_size * tensor, 4096);
        QCOMPARE(found->head_dim, 64);
        QCOMPARE(found->sequence_length, 128);
        QCOMPARE(found->micro_batch_size, 4);
        QCOMPARE(found->layer_passes, 6);
        QCOMPARE(found->norm_tokens * tensor, 128 * 4);
        QCOMPARE(found->norms_backward, found->norms);
        QCOMPARE(found->linear_bias, !rms);
        QCOMPARE(found->norm, rms ? Norm::rmsnorm : Norm::layernorm);
        QVERIFY(found->fused_attention);
    }

    void fusedAttentionTellsHeadsAndSequence_data()
    {
        QTest::addColumn<OperatorShape>("attention");
        const Shape queries{4, 128, 16, 64};
        QTest::newRow("flash-attn") << OperatorShape{"FlashAttnFunc", {queries, queries, queries}, "", 6};
        QTest::newRow("flash-attn, one tensor for all three")
            << OperatorShape{"FlashAttnQKVPackedFunc", {{4, 128, 3, 16, 64}}, "", 6};
        QTest::newRow("flash-attn, sequences in a row") << OperatorShape{
            "FlashAttnVarlenFunc", {{512, 16, 64}, {512, 16, 64}, {512, 16, 64}, {5}, {5}}, "", 6};
        QTest::newRow("Transformer Engine, tokens first")
            << OperatorShape{"FusedAttnFunc", {{}, {}, {5}, {5}, {128, 4, 16, 64}}, "", 6};
    }
    void fusedAttentionTellsHeadsAndSequence()
    {
        QFETCH(OperatorShape, attention);
        const auto found = layerShapes(gptWith(attention));
        QVERIFY(found);
        QCOMPARE(found->head_dim, 64);
        QCOMPARE(found->sequence_length, 128);
        QCOMPARE(found->micro_batch_size, 4);
        QVERIFY(found->fused_attention);
        QVERIFY(!layerShapes(gpt(1024, 1))->fused_attention);
    }

    void normsTellRecomputation_data()
    {
        QTest::addColumn<int>("norms_repeated");
        QTest::addColumn<int>("norms_backward");
        QTest::addColumn<bool>("repeated");
        QTest::newRow("a stage of layers alone, once") << 0 << 16 << false;
        QTest::newRow("twice") << 16 << 16 << true;
        QTest::newRow("twice, and the last norm once") << 16 << 2 * 9 << true;
        QTest::newRow("one layer and the last norm") << 2 << 3 << true;
        QTest::newRow("a step that is cut in the middle of its backward passes") << 0 << 11 << false;
        QTest::newRow("forward alone") << 0 << 0 << false;
    }
    void normsTellRecomputation()
    {
        QFETCH(int, norms_repeated);
        QFETCH(int, norms_backward);
        LayerShapes shapes;
        shapes.norms = 18;
        shapes.norms_repeated = norms_repeated;
        shapes.norms_backward = norms_backward;
        QTEST(shapes.repeatsLayers(), "repeated");
    }

    // What is recomputed adds to no pass.
    void passesAreThoseOutsideOfTheBackwardPass()
    {
        std::vector<OperatorShape> operators = gpt(1024, 1);
        for (OperatorShape& one : operators)
            one.repeated = one.count;
        const auto found = layerShapes(operators);
        QVERIFY(found);
        QCOMPARE(found->layer_passes, 6);
        QCOMPARE(found->norms, 14);
        QCOMPARE(found->norms_repeated, 14);
        QCOMPARE(found->someLayersAgain(1), 0); // but all
    }

    // Six passes through layers: of two micro-batches through three layers, or of one through six.
    void someLayersMayRunAgain()
    {
        std::vector<OperatorShape> operators = gpt(1024, 1);
        for (OperatorShape& one : operators)
            one.repeated = one.count * 2 / 3;
        const auto found = layerShapes(operators);
        QVERIFY(found);
        QCOMPARE(found->someLayersAgain(1), 4);
        QCOMPARE(found->someLayersAgain(2), 2);
        QCOMPARE(layerShapes(gpt(1024, 1))->someLayersAgain(1), 0);
    }

    void pytorchsAttentionIsFusedWhereAKernelForItRuns()
    {
        std::vector<OperatorShape> operators = llama();
        QVERIFY(!layerShapes(operators)->fused_attention);
        operators.push_back({"aten::_scaled_dot_product_flash_attention", {{2, 8, 512, 128}}, "", 4});
        QVERIFY(layerShapes(operators)->fused_attention);
    }

    void whatHasNoSuchLayersIsNone_data()
    {
        QTest::addColumn<std::vector<OperatorShape>>("operators");
        QTest::newRow("nothing") << std::vector<OperatorShape>{};
        QTest::newRow("a classifier") << std::vector<OperatorShape>{linear({32, 2048}, 1000, 2048, 10)};
        QTest::newRow("a tower of products")
            << std::vector<OperatorShape>{linear({32, 512}, 512, 256, 5), linear({32, 256}, 512, 150'000, 5),
                                          linear({32, 512}, 256, 512, 5)};
        std::vector<OperatorShape> without_scores = gpt(1024, 1);
        without_scores.pop_back();
        QTest::newRow("no scores: neither sequence nor heads are told") << without_scores;
        std::vector<OperatorShape> without_keys = gpt(1024, 1);
        without_keys.erase(without_keys.begin());
        QTest::newRow("no keys") << without_keys;
    }
    void whatHasNoSuchLayersIsNone()
    {
        QFETCH(std::vector<OperatorShape>, operators);
        QVERIFY(!layerShapes(operators));
    }
};

QTEST_APPLESS_MAIN(TestLayerShapes)
#include "tst_layer_shapes.moc"
