#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

// Counts and sizes worked out by hand for a small model, switch by switch: tensor and pipeline parallelism.
class TestStageMessages : public QObject
{
    Q_OBJECT
private slots:
    // Korthikanti et al. 2022, and the backward gather of what was kept as a shard: 8 gathers and 6 scatters
    // a layer.
    void sequenceParallelRecomputationGathersEightTimes()
    {
        Scenario scenario = small(2, 4, 1);
        scenario.parallel.sequence_parallel = true;
        scenario.training.recompute = Recompute::full;
        const auto messages = messagesOf(scenario, 0);
        const auto layers = {std::string_view{"attention"}, std::string_view{"mlp"},
                             std::string_view{"regather"}};
        std::int64_t gathers = 0;
        std::int64_t scatters = 0;
        for (const Phase phase : {Phase::forward, Phase::recompute, Phase::backward}) {
            gathers += callsOf(messages, Kind::tp, Op::all_gather, phase, layers).count;
            scatters += callsOf(messages, Kind::tp, Op::reduce_scatter, phase, layers).count;
        }
        QCOMPARE(gathers, std::int64_t{4 * 4 * 8});
        QCOMPARE(scatters, std::int64_t{4 * 4 * 6});
        // Norms and row-parallel biases: 6h a layer, and the final norm on the last stage.
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::all_reduce, Phase::step), 1, 4 * 6 * 64 * 4);
        COMPARE_CALLS(callsOf(messagesOf(scenario, 1), Kind::tp, Op::all_reduce, Phase::step), 1,
                      (4 * 6 + 2) * 64 * 4);
        // Pipeline messages are shards.
        COMPARE_CALLS(callsOf(messages, Kind::pp, Op::send, Phase::forward), 4, activation / 4);
    }

    void withoutRegatheringTheVolumeIsThatOfPlainTensorParallelism()
    {
        Scenario scenario = small(1, 4, 1);
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.sp_regather = false;
        const auto messages = messagesOf(scenario, 0);
        const auto layers = {std::string_view{"attention"}, std::string_view{"mlp"}};
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::all_gather, Phase::backward, layers), 4 * 8 * 2,
                      activation);
        COMPARE_CALLS(
            callsOf(messages, Kind::tp, Op::all_gather, Phase::backward, {"regather", "head_regather"}), 0,
            0);
    }

    void partitionedMessagesAreGatheredByTheReceiver()
    {
        Scenario scenario = small(2, 2, 1);
        scenario.conventions.pp_partitioned = true;
        const auto first = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(first, Kind::pp, Op::send, Phase::forward), 4, activation / 2);
        COMPARE_CALLS(callsOf(first, Kind::tp, Op::all_gather, Phase::forward), 0, 0);
        COMPARE_CALLS(callsOf(first, Kind::tp, Op::all_gather, Phase::backward), 4, activation);
        COMPARE_CALLS(callsOf(messagesOf(scenario, 1), Kind::tp, Op::all_gather, Phase::forward), 4,
                      activation);
    }

    // Five sizes, then tokens and labels: s + 1 numbers for each sequence.
    void batchesAreHandedToTheTensorGroup()
    {
        Scenario scenario = small(1, 2, 1);
        scenario.conventions.tp_broadcast_batch = true;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::broadcast, Phase::forward, {"batch_sizes"}), 4, 40);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::broadcast, Phase::forward, {"batch"}), 4, 2 * 33 * 8);
    }

    // Narayanan et al. 2021: the first stage sends m (2v - 1) messages in both directions, those inside 2 m
    // v.
    void interleavedStagesSendMoreMessages()
    {
        Scenario scenario = small(4, 1, 1);
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.parallel.virtual_stages = 2;
        const auto sends = [&](int stage) {
            const auto messages = messagesOf(scenario, stage);
            return callsOf(messages, Kind::pp, Op::send, Phase::forward).count
                   + callsOf(messages, Kind::pp, Op::send, Phase::backward).count;
        };
        QCOMPARE(sends(0), std::int64_t{4 * 3});
        QCOMPARE(sends(1), std::int64_t{4 * 4});
        QCOMPARE(sends(3), std::int64_t{4 * 3});
    }

    // Qi et al. 2024b: what goes down to a stage comes back to it, and the first stage holds both ends.
    void aVSendsBothWaysOverEachBorder()
    {
        Scenario scenario = small(4, 2, 1);
        scenario.parallel.schedule = Schedule::v_half;
        scenario.parallel.virtual_stages = 2;
        const auto first = messagesOf(scenario, 0);
        const auto inner = messagesOf(scenario, 1);
        const auto last = messagesOf(scenario, 3);
        COMPARE_CALLS(callsOf(first, Kind::pp, Op::send, Phase::forward), 4, activation);
        COMPARE_CALLS(callsOf(first, Kind::pp, Op::send, Phase::backward, {"returning_gradient"}), 4,
                      activation);
        COMPARE_CALLS(callsOf(inner, Kind::pp, Op::send, Phase::forward), 2 * 4, activation);
        COMPARE_CALLS(callsOf(inner, Kind::pp, Op::recv, Phase::backward), 2 * 4, activation);
        COMPARE_CALLS(callsOf(last, Kind::pp, Op::send, Phase::forward, {"returning_activation"}), 4,
                      activation);
        COMPARE_CALLS(callsOf(last, Kind::pp, Op::send, Phase::backward, {"gradient"}), 4, activation);
        COMPARE_CALLS(callsOf(last, Kind::pp, Op::recv, Phase::forward, {"activation"}), 4, activation);
        const auto embeddings = {std::string_view{"embedding"}};
        COMPARE_CALLS(callsOf(first, Kind::tp, Op::all_reduce, Phase::forward, embeddings), 4, activation);
        COMPARE_CALLS(callsOf(first, Kind::emb, Op::all_reduce, Phase::step), 0, 0); // holds the table once
        QVERIFY(callsOf(first, Kind::tp, Op::all_reduce, Phase::forward, {"cross_entropy_maximum"}).count
                > 0);
        QCOMPARE(callsOf(last, Kind::tp, Op::all_reduce, Phase::forward, {"cross_entropy_maximum"}).count,
                 std::int64_t{0});
    }

    // DeepSeek-AI 2024, DualPipe: half of the micro-batches enter at each end, and each stage holds the
    // layers of two.
    void dualPipeFeedsBothEnds()
    {
        Scenario scenario = small(2, 2, 1);
        scenario.parallel.schedule = Schedule::dualpipe;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::pp, Op::send, Phase::forward), 2, activation);
        COMPARE_CALLS(callsOf(messages, Kind::pp, Op::send, Phase::backward, {"reversed_gradient"}), 2,
                      activation);
        COMPARE_CALLS(callsOf(messages, Kind::pp, Op::recv, Phase::forward, {"reversed_activation"}), 2,
                      activation);
        const auto layers = {std::string_view{"attention"}, std::string_view{"mlp"}};
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::all_reduce, Phase::forward, layers), 2 * 8 * 2,
                      activation);
        // Both copies of a layer sum their gradients; the tied embedding stands once on each end.
        const std::int64_t parameters = 8 * (49984 - 6 * 64) / 2 + 8 * 6 * 64 + 512 * 64 + 32 * 64 + 2 * 64;
        COMPARE_CALLS(callsOf(messages, Kind::dp, Op::all_reduce, Phase::step), 1, 4 * parameters);
        QCOMPARE(callsOf(messages, Kind::dp, Op::all_reduce, Phase::step).group_size, 2);
        COMPARE_CALLS(callsOf(messages, Kind::emb, Op::all_reduce, Phase::step), 0, 0);
    }

    // Activations travel in 16 bits, gradients as they are summed; the loss and the norm are floats.
    void sixteenBitsKeepFloatGradients()
    {
        Scenario scenario = small(2, 2, 2);
        scenario.training.precision = Precision::bf16;
        for (const Message& message : messagesOf(scenario, 1)) {
            const bool small_float = message.what.starts_with("cross_entropy") || message.what == "loss";
            const bool expected_float = message.phase == Phase::step || small_float;
            QCOMPARE(message.dtype, expected_float ? Dtype::fp32 : Dtype::bf16);
        }
    }
};

QTEST_APPLESS_MAIN(TestStageMessages)
#include "tst_stage_messages.moc"
