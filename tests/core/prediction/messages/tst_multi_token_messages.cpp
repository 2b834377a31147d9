#include "tests/core/prediction/small_scenario.h"

#include <QMap>

using namespace shardscope;

namespace
{

constexpr std::int64_t hidden = 64; // h of small()
constexpr std::int64_t module_beside_layer = 2 * hidden * hidden + 3 * 2 * hidden;
constexpr std::int64_t gpt_layer = 12 * hidden * hidden + 13 * hidden;
constexpr std::int64_t batches = 4; // its micro-batches

// What a stage sends of a phase, by kind and what it is.
QMap<QString, std::int64_t> callsByContent(const std::vector<Message>& messages, Phase phase)
{
    QMap<QString, std::int64_t> counts;
    for (const Message& message : messages)
        if (message.phase == phase)
            counts[QString::fromLatin1(message.what.data(), static_cast<qsizetype>(message.what.size()))] +=
                message.count;
    return counts;
}

} // namespace

// What modules of multi-token prediction send, counted by hand for a small model.
class TestMultiTokenMessages : public QObject
{
    Q_OBJECT
private slots:
    // Forward: the words' sum, the projection's gathered output, two sums of the layer, and the head once
    // more. Backward: the gradient of the projection's 2h inputs.
    void tensorRanksSumAndGather()
    {
        const auto messages = messagesOf(withModules(small(1, 2, 1), 2), 0);
        const auto calls = [&](Op op, Phase phase, std::string_view what) {
            return callsOf(messages, Kind::tp, op, phase, {what});
        };
        COMPARE_CALLS(calls(Op::all_reduce, Phase::forward, "mtp_embedding"), 2 * batches, activation);
        COMPARE_CALLS(calls(Op::all_gather, Phase::forward, "mtp_projected"), 2 * batches, activation);
        COMPARE_CALLS(calls(Op::all_reduce, Phase::backward, "mtp_projection"), 2 * batches, 2 * activation);
        COMPARE_CALLS(calls(Op::all_gather, Phase::forward, "mtp_projection"), 0, 0);
        COMPARE_CALLS(calls(Op::all_reduce, Phase::forward, "attention"), 10 * batches, activation);
        COMPARE_CALLS(calls(Op::all_reduce, Phase::forward, "embedding"), batches, activation);
        COMPARE_CALLS(calls(Op::all_reduce, Phase::forward, "cross_entropy_sum"), 3 * batches, 2 * 32 * 4);
        COMPARE_CALLS(calls(Op::all_reduce, Phase::backward, "head"), 3 * batches, activation);
    }

    void splitTokensAreGathered_data()
    {
        QTest::addColumn<bool>("regathers");
        QTest::newRow("inputs are gathered again") << true;
        QTest::newRow("inputs are kept whole") << false;
    }
    void splitTokensAreGathered()
    {
        QFETCH(bool, regathers);
        Scenario scenario = withModules(small(1, 2, 1), 1);
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.sp_regather = regathers;
        const auto messages = messagesOf(scenario, 0);
        const auto calls = [&](Op op, Phase phase, std::string_view what) {
            return callsOf(messages, Kind::tp, op, phase, {what});
        };
        COMPARE_CALLS(calls(Op::all_gather, Phase::forward, "mtp_projection"), batches, 2 * activation);
        COMPARE_CALLS(calls(Op::all_gather, Phase::forward, "mtp_projected"), batches, activation);
        COMPARE_CALLS(calls(Op::all_gather, Phase::backward, "mtp_projected"), batches, activation);
        COMPARE_CALLS(calls(Op::reduce_scatter, Phase::backward, "mtp_projection"), batches, 2 * activation);
        COMPARE_CALLS(calls(Op::all_gather, Phase::backward, "mtp_projection_regather"),
                      regathers ? batches : 0, regathers ? 2 * activation : 0);
        COMPARE_CALLS(calls(Op::all_gather, Phase::backward, "mtp_embedding"), batches, activation);
        // Norms and row-parallel biases of nine layers, three norms of the module, and the final one.
        COMPARE_CALLS(calls(Op::all_reduce, Phase::step, "replicated_gradients"), 1,
                      4 * hidden * (9 * 6 + 6 + 2));
    }

    // A full recomputation repeats the projection and the layer, not the look-up.
    void theProjectionIsRecomputed()
    {
        Scenario scenario = withModules(small(1, 2, 1), 1);
        scenario.training.recompute = Recompute::full;
        const auto again = callsByContent(messagesOf(scenario, 0), Phase::recompute);
        QCOMPARE(again.value("mtp_projected"), batches);
        QVERIFY(!again.contains("mtp_embedding"));
        QCOMPARE(again.value("attention"), 9 * batches);
    }

    void theirExpertsExchangeTokens()
    {
        const Scenario base = withExperts(small(2, 1, 4), 0.0);
        const auto calls = [](const Scenario& scenario, int stage) {
            return callsOf(messagesOf(scenario, stage), Kind::ep, Op::all_to_all, Phase::forward,
                           {"dispatch"})
                .count;
        };
        QCOMPARE(calls(base, 1), 2 * batches);
        QCOMPARE(calls(withModules(base, 1), 1), 3 * batches);
        QCOMPARE(calls(withModules(base, 1), 0), 2 * batches);
    }

    // A module is a unit of ZeRO with its layer.
    void zeroGathersThemAsLayers()
    {
        Scenario scenario = small(1, 1, 2);
        scenario.parallel.zero_stage = 3;
        scenario.conventions =
            defaultConventions(Framework::fsdp, scenario.model, scenario.training, scenario.parallel);
        const auto gathered = [](const Scenario& one) {
            QMap<std::int64_t, std::int64_t> calls;
            for (const Message& message : messagesOf(one, 0))
                if (message.kind == Kind::dp && message.op == Op::all_gather
                    && message.phase == Phase::forward)
                    calls[message.message_bytes] += message.count;
            return calls;
        };
        const auto with = gathered(withModules(scenario, 2));
        QCOMPARE(with.value(4 * gpt_layer), 8 * batches);
        QCOMPARE(with.value(4 * (gpt_layer + module_beside_layer)), 2 * batches);
        QCOMPARE(with.size(), gathered(scenario).size() + 1);
    }
};

QTEST_APPLESS_MAIN(TestMultiTokenMessages)
#include "tst_multi_token_messages.moc"
