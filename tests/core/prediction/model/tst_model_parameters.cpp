#include "core/prediction/predict.h"
#include "tests/core/prediction/small_scenario.h"

#include <functional>

using namespace shardscope;

namespace
{

using Change = std::function<void(Model&)>;

std::int64_t parametersOf(const Scenario& scenario)
{
    return predict(scenario).value().parameters.total;
}

// Every second layer has 8 experts, and one that all tokens go to.
void addExperts(Model& model)
{
    model = withExperts(small(1, 1, 1), 0.0).model;
    model.experts.shared = 1;
}

} // namespace

// What each choice adds to the parameters of a model that is small enough to count by hand: l 8, h 64, 4
// heads of 16, ffn 256, s 32, 1,000 words.
class TestModelParameters : public QObject
{
    Q_OBJECT
private slots:
    void aChoiceAddsItsOwnParameters_data();
    void aChoiceAddsItsOwnParameters();
};

void TestModelParameters::aChoiceAddsItsOwnParameters_data()
{
    QTest::addColumn<Change>("before");
    QTest::addColumn<qint64>("more");
    QTest::addColumn<Change>("change");
    const auto row = [](const char* name, qint64 more, const Change& change) {
        QTest::newRow(name) << Change{[](Model&) {}} << more << change;
    };
    const auto with_experts = [](const char* name, qint64 more, const Change& change) {
        QTest::newRow(name) << Change{addExperts} << more << change;
    };
    row("a gated MLP: a third product and its bias", 8 * (64 * 256 + 256),
        [](Model& model) { model.gated_mlp = true; });
    row("a head of its own", 1000 * 64, [](Model& model) { model.tied_embeddings = false; });
    row("rotated positions, none learned", -32 * 64,
        [](Model& model) { model.position_embedding = PositionEmbedding::rope; });
    row("norms without a bias", -(2 * 8 + 1) * 64, [](Model& model) { model.norm = Norm::rmsnorm; });
    row("products without a bias", -8 * (3 * 64 + 64 + 256 + 64),
        [](Model& model) { model.linear_bias = false; });
    row("of them queries, keys and values with one", -8 * (64 + 256 + 64), [](Model& model) {
        model.linear_bias = false;
        model.qkv_bias = true;
    });
    row("queries and keys normalised, weight and bias", 8 * 2 * 2 * 16,
        [](Model& model) { model.qk_norm = true; });
    row("the outputs of attention and MLP normalised", 8 * 2 * 2 * 64,
        [](Model& model) { model.norms_per_layer = 4; });
    row("no final norm", -2 * 64, [](Model& model) { model.final_norm = false; });
    row("embeddings normalised", 2 * 64, [](Model& model) { model.embedding_norm = true; });
    row("two types of tokens", 2 * 64, [](Model& model) { model.token_types = 2; });
    row("a bias of the head", 1000, [](Model& model) { model.head_bias = true; });
    row("two heads of keys and values", -8 * 2 * 2 * 16 * (64 + 1), [](Model& model) { model.kv_heads = 2; });
    with_experts("a gate of the shared expert", 4 * 64,
                 [](Model& model) { model.experts.shared_gate = true; });
    with_experts("a bias of the routing", 4 * 8, [](Model& model) { model.experts.routing_bias = true; });
    with_experts("a ninth expert and its row of the router", 4 * (2 * 64 * 256 + 256 + 64 + 64),
                 [](Model& model) { model.experts.count = 9; });
}

void TestModelParameters::aChoiceAddsItsOwnParameters()
{
    QFETCH(Change, before);
    QFETCH(qint64, more);
    QFETCH(Change, change);
    Scenario scenario = small(1, 1, 1);
    before(scenario.model);
    const std::int64_t without = parametersOf(scenario);
    change(scenario.model);
    QCOMPARE(parametersOf(scenario) - without, std::int64_t{more});
}

QTEST_GUILESS_MAIN(TestModelParameters)
#include "tst_model_parameters.moc"
