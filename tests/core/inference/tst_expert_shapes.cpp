#include <QTest>

#include "core/inference/expert_shapes.h"
#include "core/inference/layer_shapes.h"

using namespace shardscope;

namespace
{

constexpr std::int64_t h = 1024;
constexpr std::int64_t f = 512;    // of an expert
constexpr std::int64_t passes = 6; // through layers with experts
constexpr std::int64_t tokens = 4 * 128;

OperatorShape linear(const Shape& input, std::int64_t out, std::int64_t in, std::int64_t count)
{
    return {"aten::linear", {input, {out, in}, {}}, "c10::BFloat16", count};
}

OperatorShape router(std::int64_t experts)
{
    return {"aten::topk", {{tokens, experts}}, "float", passes};
}

// One after the other, as Hugging Face's Mixtral runs them: a gate, its partner and the way back.
std::vector<OperatorShape> oneByOne(std::int64_t on_rank, std::int64_t rows)
{
    std::vector<OperatorShape> operators;
    for (std::int64_t expert = 0; expert < on_rank; ++expert) {
        const Shape x{rows + expert, h};
        operators.push_back(linear(x, f, h, 2 * passes));
        operators.push_back(linear({rows + expert, f}, h, f, passes));
    }
    return operators;
}

std::vector<OperatorShape> grouped(std::int64_t on_rank, std::int64_t rows)
{
    OperatorShape up{"_GroupedLinear", {{rows, h}, {}}, "", passes};
    OperatorShape down{"_GroupedLinear", {{rows, f}, {}}, "", passes};
    for (std::int64_t expert = 0; expert < on_rank; ++expert) {
        up.inputs.push_back({2 * f, h});
        down.inputs.push_back({h, f});
    }
    return {up, down};
}

std::vector<OperatorShape> grouped_gemm(std::int64_t on_rank, std::int64_t rows)
{
    return {{"GroupedGemm", {{rows, h}, {on_rank, h, f}}, "", passes},
            {"GroupedGemm", {{rows, f}, {on_rank, f, h}}, "", passes}};
}

std::vector<OperatorShape> with(std::vector<OperatorShape> operators, const std::vector<OperatorShape>& more)
{
    operators.insert(operators.end(), more.begin(), more.end());
    return operators;
}

// Layers whose queries, keys and values stand in one product: 2 sequences of 256.
std::vector<OperatorShape> attention(std::int64_t layer_passes)
{
    const Shape x{256, 2, h};
    return {linear(x, 3 * h, h, layer_passes),
            linear(x, h, h, layer_passes),
            linear(x, 32000, h, 3),
            {"aten::embedding", {{32000, h}, {2, 256}}, "", 3},
            {"aten::index", {{2 * tokens * 40, h}}, "", 9}, // tokens for experts: more than there are words
            {"aten::layer_norm", {x}, "", 2 * layer_passes},
            {"FlashAttnFunc", {{2, 256, 16, 64}}, "", layer_passes}};
}

std::vector<OperatorShape> mlp(std::int64_t width, std::int64_t count)
{
    const Shape x{256, 2, h};
    return {linear(x, width, h, 2 * count), linear({256, 2, width}, h, width, count)};
}

} // namespace

class TestExpertShapes : public QObject
{
    Q_OBJECT
private slots:
    void productsBehindARouterAreThoseOfExperts_data()
    {
        QTest::addColumn<std::vector<OperatorShape>>("operators");
        QTest::addColumn<bool>("gated");
        QTest::addColumn<double>("rows_per_token");
        QTest::addColumn<bool>("even");
        QTest::newRow("one by one") << oneByOne(4, 2 * tokens / 4) << true << 2.0 + 6.0 / tokens << false;
        QTest::newRow("grouped, the gate with its partner") << grouped(4, 3 * tokens) << true << 3.0 << true;
        QTest::newRow("grouped_gemm's without a gate") << grouped_gemm(4, 2 * tokens) << false << 2.0 << true;
        QTest::newRow("passes with other rows")
            << with(grouped(4, tokens), grouped(4, 3 * tokens)) << true << 4.0 << false;
    }
    void productsBehindARouterAreThoseOfExperts()
    {
        QFETCH(std::vector<OperatorShape>, operators);
        QFETCH(bool, gated);
        QFETCH(double, rows_per_token);
        QFETCH(bool, even);
        operators.push_back(router(16));
        operators.push_back(linear({tokens, h}, 16, h, passes)); // the router's own
        const auto found = expertShapes(operators, h);
        QVERIFY(found);
        QCOMPARE(found->count, 16);
        QCOMPARE(found->ffn_hidden_size, f);
        QCOMPARE(found->passes, passes);
        QCOMPARE(found->gated_mlp, gated);
        QCOMPARE(found->rows_per_token, rows_per_token);
        QCOMPARE(found->even, even);
    }

    void anExpertWithoutTokensIsCountedAllTheSame()
    {
        std::vector<OperatorShape> operators = oneByOne(4, 100);
        operators.back().count -= 2;
        operators.push_back(router(16));
        QCOMPARE(expertShapes(operators, h)->on_rank, 4);
    }

    void aRouterWithoutTokensTellsNoShares()
    {
        std::vector<OperatorShape> operators = grouped(4, tokens);
        operators.push_back({"aten::topk", {{0, 16}}, "float", passes});
        QCOMPARE(expertShapes(operators, h)->on_rank, 0);
        QCOMPARE(expertShapes(operators, h)->rows_per_token, 0.0);
    }

    void withoutARouterThereAreNone()
    {
        QVERIFY(!expertShapes(grouped(4, tokens), h));
        QVERIFY(!expertShapes({{"aten::topk", {{tokens, 50'000}}, "", 3}}, h)); // the likeliest words
    }

    void layersWithExpertsAreFound_data()
    {
        QTest::addColumn<std::vector<OperatorShape>>("operators");
        QTest::addColumn<int>("layer_passes");
        QTest::addColumn<int>("mlp_width");
        QTest::addColumn<int>("mlp_passes");
        const std::vector<OperatorShape> experts = with(grouped(4, 2 * tokens), {router(16)});
        QTest::newRow("in every layer") << with(attention(6), experts) << 6 << 0 << 0;
        QTest::newRow("a dense layer before them")
            << with(with(attention(7), mlp(4096, 1)), experts) << 7 << 4096 << 1;
        QTest::newRow("shared ones beside them")
            << with(with(attention(6), mlp(768, 6)), experts) << 6 << 768 << 6;
    }
    void layersWithExpertsAreFound()
    {
        QFETCH(std::vector<OperatorShape>, operators);
        QFETCH(int, layer_passes);
        QFETCH(int, mlp_width);
        QFETCH(int, mlp_passes);
        const auto found = layerShapes(operators);
        QVERIFY(found);
        QCOMPARE(found->hidden_size, h);
        QCOMPARE(found->attention_width, h);
        QCOMPARE(found->kv_width, h);
        QCOMPARE(found->layer_passes, layer_passes);
        QCOMPARE(found->ffn_hidden_size, mlp_width);
        QCOMPARE(found->mlp_passes, mlp_passes);
        QCOMPARE(found->vocabulary, 32000);
        QCOMPARE(found->sequence_length, 256);
        QCOMPARE(found->micro_batch_size, 2);
        QVERIFY(found->gated_mlp);
        QVERIFY(found->experts && found->experts->on_rank == 4);
    }
};

QTEST_APPLESS_MAIN(TestExpertShapes)
#include "tst_expert_shapes.moc"
