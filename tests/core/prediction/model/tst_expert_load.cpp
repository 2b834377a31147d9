#include <QTest>

#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/model/expert_load.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/predict.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "tests/core/prediction/predicted.h"

using namespace shardscope;

namespace
{

Scenario fourExperts(double skew)
{
    Scenario scenario;
    scenario.model.layers = 2;
    scenario.model.sequence_length = 1024;
    scenario.model.experts.count = 4;
    scenario.model.experts.per_token = 1;
    scenario.model.experts.skew = skew;
    scenario.parallel.data = 4;
    scenario.parallel.expert = 4;
    scenario.training.micro_batch_size = 1;
    scenario.training.global_batch_size = 4;
    return scenario;
}

double cellOf(const TrafficMatrix& matrix, std::int64_t sender, std::int64_t receiver)
{
    std::vector<TrafficCell> row;
    matrix.appendRow(Kind::ep, sender, row);
    for (const TrafficCell& cell : row)
        if (cell.receiver == receiver)
            return cell.bytes;
    return 0.0;
}

} // namespace

class TestExpertLoad : public QObject
{
    Q_OBJECT
private slots:
    // Half of the tokens go to one expert alone: 1.5 choices for each of 1,024 tokens, of 2 * h bytes.
    void aShareOfTheTokensMayPickOneExpertOnly()
    {
        Scenario scenario = fourExperts(0.0);
        scenario.model.experts.per_token = 2;
        scenario.model.experts.single_choice = 0.5;
        const Prediction prediction = predicted(scenario);
        std::int64_t dispatched = 0;
        for (const Message& message : prediction.stages.front().messages)
            if (message.kind == Kind::ep && message.what == "dispatch" && message.phase == Phase::forward)
                dispatched = message.message_bytes;
        QCOMPARE(dispatched, 1536 * 2 * scenario.model.hidden_size);
    }

    // Zipf over four experts: 12/25, 6/25, 4/25, 3/25.
    void fullSkewIsZipfsLaw()
    {
        Experts experts = fourExperts(1.0).model.experts;
        const std::vector<double> shares = expertShares(experts);
        const double expected[]{0.48, 0.24, 0.16, 0.12};
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(shares[i], expected[i]);
        experts.skew = 0.0;
        for (const double share : expertShares(experts))
            QCOMPARE(share, 0.25);
    }

    // Each token picks three different experts, so none receives more than a third of the choices. The rest
    // goes to the others as 1/2 : 1/3 : 1/4.
    void noExpertIsPickedTwiceByAToken()
    {
        Experts experts = fourExperts(1.0).model.experts;
        experts.per_token = 3;
        const std::vector<double> shares = expertShares(experts);
        const double expected[]{13.0 / 39.0, 12.0 / 39.0, 8.0 / 39.0, 6.0 / 39.0};
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(shares[i], expected[i]);
    }

    void loadsAreWholeTokens()
    {
        const std::vector<double> loads = expertLoads(fourExperts(1.0));
        // 4 * 1,024 tokens: 1,966.08, 983.04, 655.36 and 491.52 of them; the last is rounded up.
        const double expected[]{1966.0, 983.0, 655.0, 492.0};
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(loads[i] * 1024.0, expected[i]);
    }

    void evenRoutingAndFixedSlotsLoadAllAlike()
    {
        QVERIFY(expertLoads(fourExperts(0.0)).empty());
        Scenario scenario = fourExperts(1.0);
        scenario.model.experts.capacity_factor = 1.25;
        QVERIFY(expertLoads(scenario).empty());
        QCOMPARE(RankParts{scenario}.size(), std::size_t{1});
    }

    // Two MoE layers, one micro-batch. To the fullest rank go the tokens of its experts (twice: tokens, then
    // gradients of what came back), from it as many results and gradients.
    void tokensGoToTheFullExperts()
    {
        const Scenario scenario = fourExperts(1.0);
        const Prediction prediction = predicted(scenario);
        const TrafficMatrix matrix{scenario, prediction};
        const double token = 2048.0 * 2.0;
        const double counts = 2.0 * 4.0 * 8.0 / 4.0;
        const double to_0 = 1966.0 / 4.0 * token;
        const double to_3 = 492.0 / 4.0 * token;
        QCOMPARE(cellOf(matrix, 3, 0), counts + 4.0 * (to_0 + to_3));
        QCOMPARE(cellOf(matrix, 0, 3), counts + 4.0 * (to_3 + to_0));
        QCOMPARE(cellOf(matrix, 0, 1), counts + 4.0 * (983.0 / 4.0 * token + to_0));
    }

    void ranksSendWhatTheirExpertsReceived()
    {
        const Scenario scenario = fourExperts(1.0);
        const Prediction prediction = predicted(scenario);
        const RankParts parts{scenario};
        QCOMPARE(parts.size(), std::size_t{4});
        for (std::size_t part = 0; part < 4; ++part)
            QCOMPARE(parts.part(parts.firstPlace(part)), part);
        for (const Message& message : parts.messages(prediction, 0)) {
            if (message.what == "combine" && message.phase == Phase::forward)
                QCOMPARE(message.message_bytes, std::int64_t{1966 * 4096});
            if (message.what == "dispatch" && message.phase == Phase::forward)
                QCOMPARE(message.message_bytes, std::int64_t{1024 * 4096});
        }
    }

    void chainsEndAtTheLastRank()
    {
        Scenario scenario;
        scenario.parallel.tensor = 4;
        scenario.conventions.tp_broadcast_batch = true;
        const Prediction prediction = predicted(scenario);
        const RankParts parts{scenario};
        QCOMPARE(parts.size(), std::size_t{2});
        QCOMPARE(parts.firstPlace(1).tp, 3);
        for (const Message& message : parts.messages(prediction, 1))
            if (message.op == Op::broadcast)
                QCOMPARE(message.wire_bytes, 0.0);
    }

    // DeepSeek-V3 without its multi-token prediction layer: 671,026,419,200 parameters, 37,552,297,472 in
    // use.
    void deepSeekV3IsCountedToTheUnit()
    {
        Model model;
        model.layers = 61;
        model.hidden_size = 7168;
        model.attention_heads = 128;
        model.ffn_hidden_size = 18432;
        model.gated_mlp = true;
        model.vocab_size = 129280;
        model.tied_embeddings = false;
        model.position_embedding = PositionEmbedding::rope;
        model.linear_bias = false;
        model.norm = Norm::rmsnorm;
        model.mla = {1536, 512, 128, 64, 128};
        model.experts = {256, 8, 2048, 1, 3, 1, 0.0, 0.0, true};
        QCOMPARE(countParameters(model).total, std::int64_t{671026419200});
        QCOMPARE(countParameters(model).active, std::int64_t{37552297472});
    }
};

QTEST_APPLESS_MAIN(TestExpertLoad)
#include "tst_expert_load.moc"
