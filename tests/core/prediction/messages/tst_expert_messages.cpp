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
};

QTEST_APPLESS_MAIN(TestExpertMessages)
#include "tst_expert_messages.moc"
