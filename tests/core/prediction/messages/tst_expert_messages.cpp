#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

// What is sent to experts, counted by hand for a small model.
class TestExpertMessages : public QObject
{
    Q_OBJECT
private slots:
    // 64 tokens with 2 experts each: ceil(1.25 * 128 / 8) = 20 slots for each of 8 experts.
    void fixedCapacitySendsEverySlot()
    {
        const auto messages = messagesOf(withExperts(small(1, 1, 8), 1.25), 0);
        const std::int64_t sent = 8 * 20 * 64 * 4;
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward), 4 * 4 * 2, sent);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::backward), 4 * 4 * 2, sent);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward, {"expert_counts"}), 0, 0);
        // Two experts of every second layer on each rank, summed over the two ranks that hold them.
        const std::int64_t expert = 2 * 64 * 256 + 256 + 64;
        COMPARE_CALLS(callsOf(messages, Kind::edp, Op::all_reduce, Phase::step), 1, 4 * 2 * expert * 4);
        QCOMPARE(callsOf(messages, Kind::edp, Op::all_reduce, Phase::step).group_size, 2);
        QCOMPARE(callsOf(messages, Kind::mp, Op::all_reduce, Phase::step).group_size, 4);
    }

    void freeRoutingSendsCountsFirst()
    {
        Scenario scenario = withExperts(small(1, 1, 4), 0.0);
        scenario.training.recompute = Recompute::full;
        const auto messages = messagesOf(scenario, 0);
        for (const Phase phase : {Phase::forward, Phase::recompute}) {
            COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, phase, {"expert_counts"}), 4 * 4,
                          8 * 8);
            COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, phase, {"dispatch", "combine"}),
                          4 * 4 * 2, 64 * 2 * 64 * 4);
        }
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::backward), 4 * 4 * 2,
                      64 * 2 * 64 * 4);
    }

    // 64 tokens, 2 of 8 experts each, on 4 ranks: 4 * (1 - 6 * 5 / (8 * 7)) = 13 / 7 of these.
    void aTokenGoesOnceToEachRankThatHoldsItsExperts()
    {
        Scenario scenario = withExperts(small(1, 1, 4), 0.0);
        scenario.conventions.token_dispatcher = TokenDispatcher::deepep;
        const auto messages = messagesOf(scenario, 0);
        const std::int64_t copies = 119; // 64 * 13 / 7 = 118.9
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward, {"expert_counts"}), 0, 0);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward), 4 * 4 * 2,
                      copies * 64 * 4);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::backward), 4 * 4 * 2,
                      copies * 64 * 4);
    }

    // Two ranks on each of two nodes: 3 / 4 of what goes to the ranks of a node stays there or crosses as
    // one.
    void whatOtherNodesNeedCrossesOnceAndIsHandedOn()
    {
        Scenario scenario = withExperts(small(1, 1, 4), 0.0);
        scenario.cluster.gpus_per_node = 2;
        const auto sent = [&] {
            double bytes = 0.0;
            for (const Message& message : messagesOf(scenario, 0))
                bytes += message.kind == Kind::ep && message.what == "combine" ? message.wire_bytes : 0.0;
            return bytes / (4 * 4 * 2);
        };
        scenario.conventions.token_dispatcher = TokenDispatcher::deepep;
        // Nodes of a token: 2 * (1 - 4 * 3 / (8 * 7)) = 11 / 7, over its 13 / 7 ranks.
        const double crossing = 11.0 / 13.0 / 2.0;
        const double inside = 1.0 / 2.0;
        QCOMPARE(sent(), 119 * 64 * 4 * (crossing + inside));
        scenario.cluster.gpus_per_node = 4;
        QCOMPARE(sent(), 119 * 64 * 4 * 3.0 / 4.0);
    }

    // A byte a number and a float for 128 of them, on the way to the experts alone.
    void fp8GoesToTheExpertsAndComesBackInSixteenBits()
    {
        Scenario scenario = withExperts(small(1, 1, 4), 0.0);
        scenario.conventions.fp8_dispatch = true;
        const auto messages = messagesOf(scenario, 0);
        const std::int64_t to_experts = 64 * 2 * (64 + 4);
        const std::int64_t back = 64 * 2 * 64 * 4;
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward, {"dispatch"}), 4 * 4,
                      to_experts);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward, {"combine"}), 4 * 4, back);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::backward, {"combine"}), 4 * 4,
                      to_experts);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::backward, {"dispatch"}), 4 * 4,
                      back);
    }

    // With split tokens each tensor rank dispatches its own, and an expert's tensor group gathers what it
    // received.
    void expertsOfATensorGroupGatherTheirTokens()
    {
        Scenario scenario = withExperts(small(1, 2, 4), 0.0);
        scenario.parallel.sequence_parallel = true;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward, {"dispatch"}), 4 * 4,
                      32 * 2 * 64 * 4);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::all_gather, Phase::forward, {"experts"}), 4 * 4,
                      64 * 2 * 64 * 4);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::reduce_scatter, Phase::backward, {"experts"}), 4 * 4,
                      64 * 2 * 64 * 4);
    }

    // torchtitan's tensor group gathers what goes into the block, once, and scatters what comes out of it.
    void routersThatSeeAllTokensHaveThemGathered()
    {
        Scenario scenario = withExperts(small(1, 2, 4), 0.0);
        scenario.parallel.sequence_parallel = true;
        scenario.parallel.expert_tensor_parallel = false;
        scenario.conventions.framework = Framework::fsdp;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::all_gather, Phase::forward, {"experts"}), 4 * 4,
                      activation);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::reduce_scatter, Phase::backward, {"experts"}), 4 * 4,
                      activation);
    }

    // The same ranks with whole experts: 8 of them share out 8 experts, nobody gathers, and an expert has one
    // replica in each half of the eight.
    void wholeExpertsTakeTheTokensAsTheyCome()
    {
        Scenario scenario = withExperts(small(1, 2, 4), 0.0);
        scenario.parallel.sequence_parallel = true;
        scenario.parallel.expert_tensor_parallel = false;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::ep, Op::all_to_all, Phase::forward, {"dispatch"}), 4 * 4,
                      32 * 2 * 64 * 4);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::all_gather, Phase::forward, {"experts"}), 0, 0);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::reduce_scatter, Phase::backward, {"experts"}), 0, 0);
        const std::int64_t expert = 2 * 64 * 256 + 256 + 64;
        COMPARE_CALLS(callsOf(messages, Kind::edp, Op::all_reduce, Phase::step), 1, 4 * 2 * expert * 4);
        QCOMPARE(callsOf(messages, Kind::edp, Op::all_reduce, Phase::step).group_size, 2);
        QCOMPARE(callsOf(messages, Kind::mp, Op::all_reduce, Phase::step).group_size, 4);
        scenario.parallel.expert = 8;
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::edp, Op::all_reduce, Phase::step), 0, 0);
        scenario.parallel.expert = 1; // all of them on each rank: eight replicas
        const Calls replicas = callsOf(messagesOf(scenario, 0), Kind::edp, Op::all_reduce, Phase::step);
        QCOMPARE(replicas.group_size, 8);
        QCOMPARE(replicas.bytes, 4 * 8 * expert * 4);
    }
};

QTEST_APPLESS_MAIN(TestExpertMessages)
#include "tst_expert_messages.moc"
