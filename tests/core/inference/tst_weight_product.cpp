#include <QTest>

#include "core/inference/weight_product.h"

using namespace shardscope;

namespace
{

// What a product of activations [64, 2, 32] or rows [128, 32] with weights to 96 should be read as.
WeightProduct product(const Shape& input, std::int64_t matrices, bool grouped, bool bias)
{
    return {input, 32, 96, matrices, grouped, bias, 5};
}

} // namespace

class TestWeightProduct : public QObject
{
    Q_OBJECT
private slots:
    void theirInputsTellTheWeights_data()
    {
        QTest::addColumn<OperatorShape>("one");
        QTest::addColumn<WeightProduct>("expected");
        const Shape x{64, 2, 32};
        const Shape rows{128, 32};
        const Shape weight{96, 32};
        QTest::newRow("PyTorch's") << OperatorShape{"aten::linear", {x, weight, {96}}, "", 5}
                                   << product(x, 1, false, true);
        QTest::newRow("Megatron-LM's, without a bias")
            << OperatorShape{"LinearWithGradAccumulationAndAsyncCommunication", {x, weight, {}, {}}, "", 5}
            << product(x, 1, false, false);
        QTest::newRow("Transformer Engine's after its norm")
            << OperatorShape{"_LayerNormLinear", {x, {32}, {32}, weight, {96}}, "", 5}
            << product(x, 1, false, true);
        QTest::newRow("Transformer Engine's, weight first")
            << OperatorShape{"_Linear", {weight, x, {96}}, "", 5} << product(x, 1, false, true);
        QTest::newRow("of one expert, weight first")
            << OperatorShape{"_Linear", {weight, rows, {}}, "", 5} << product(rows, 1, false, false);
        QTest::newRow("Transformer Engine's of three experts")
            << OperatorShape{"_GroupedLinear", {rows, {}, weight, weight, weight, {}, {}, {}}, "", 5}
            << product(rows, 3, true, false);
        QTest::newRow("with their biases")
            << OperatorShape{"_GroupedLinear", {rows, {}, weight, weight, {96}, {96}}, "", 5}
            << product(rows, 2, true, true);
        QTest::newRow("grouped_gemm's")
            << OperatorShape{"GroupedGemm", {rows, {4, 32, 96}, {4}}, "", 5} << product(rows, 4, true, false);
        QTest::newRow("grouped_gemm's, weights the other way round")
            << OperatorShape{"GroupedGemm", {rows, {4, 96, 32}, {4}}, "", 5} << product(rows, 4, true, false);
    }
    void theirInputsTellTheWeights()
    {
        QFETCH(OperatorShape, one);
        QFETCH(WeightProduct, expected);
        const auto found = weightProduct(one);
        QVERIFY(found);
        QCOMPARE(found->input, expected.input);
        QCOMPARE(found->in, expected.in);
        QCOMPARE(found->out, expected.out);
        QCOMPARE(found->matrices, expected.matrices);
        QCOMPARE(found->grouped, expected.grouped);
        QCOMPARE(found->bias, expected.bias);
        QCOMPARE(found->count, expected.count);
        QCOMPARE(found->rows(), 128);
    }

    void whatDoesNotFitIsNone_data()
    {
        QTest::addColumn<OperatorShape>("one");
        QTest::newRow("another operator") << OperatorShape{"aten::mm", {{128, 32}, {32, 96}}, "", 1};
        QTest::newRow("no input") << OperatorShape{"aten::linear", {}, "", 1};
        QTest::newRow("a vector") << OperatorShape{"aten::linear", {{32}, {96, 32}}, "", 1};
        QTest::newRow("a weight of another width")
            << OperatorShape{"aten::linear", {{128, 32}, {96, 16}}, "", 1};
        QTest::newRow("a weight of no width") << OperatorShape{"aten::linear", {{128, 0}, {96, 0}}, "", 1};
        QTest::newRow("experts without weights") << OperatorShape{"_GroupedLinear", {{128, 32}, {}}, "", 1};
        QTest::newRow("experts of another width")
            << OperatorShape{"GroupedGemm", {{128, 32}, {4, 8, 8}}, "", 1};
    }
    void whatDoesNotFitIsNone()
    {
        QFETCH(OperatorShape, one);
        QVERIFY(!weightProduct(one));
    }
};

QTEST_APPLESS_MAIN(TestWeightProduct)
#include "tst_weight_product.moc"
