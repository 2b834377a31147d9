#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

// Reduced gradients and gathered parameters of ZeRO, FSDP and Megatron-LM, counted by hand for a small model.
class TestDataParallelMessages : public QObject
{
    Q_OBJECT
private slots:
    void zeroUnitsArePadded_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("phase");
        QTest::addColumn<int>("count");
        QTest::addColumn<qint64>("bytes");
        const auto row = [](const char* name, int stage, Op op, Phase phase, int count, qint64 bytes) {
            QTest::newRow(name) << stage << static_cast<int>(op) << static_cast<int>(phase) << count << bytes;
        };
        // Three ranks. A layer has 12 h^2 + 13 h = 49,984 parameters, padded to 49,986; the ends
        // 1,024 h + 32 h + 2 h = 67,712, padded to 67,713; all 467,584 to 467,586.
        row("stage 1 scatters one buffer", 1, Op::reduce_scatter, Phase::step, 1, 4 * 467586);
        row("stage 1 gathers it", 1, Op::all_gather, Phase::step, 1, 4 * 467586);
        row("stage 2 scatters each layer of each micro-batch", 2, Op::reduce_scatter, Phase::backward, 4 * 9,
            4 * 67713);
        row("stage 2 gathers once", 2, Op::all_gather, Phase::step, 9, 4 * 49986);
        row("stage 3 gathers for forward", 3, Op::all_gather, Phase::forward, 4 * 9, 4 * 49986);
        row("stage 3 gathers layers again", 3, Op::all_gather, Phase::backward, 4 * 8, 4 * 49986);
        row("stage 3 scatters", 3, Op::reduce_scatter, Phase::backward, 4 * 9, 4 * 67713);
    }

    void zeroUnitsArePadded()
    {
        QFETCH(int, stage);
        QFETCH(int, op);
        QFETCH(int, phase);
        QFETCH(int, count);
        QFETCH(qint64, bytes);
        Scenario scenario = small(1, 1, 3);
        scenario.parallel.zero_stage = stage;
        COMPARE_CALLS(
            callsOf(messagesOf(scenario, 0), Kind::dp, static_cast<Op>(op), static_cast<Phase>(phase)), count,
            bytes);
        QCOMPARE(callsOf(messagesOf(scenario, 0), Kind::mp, Op::all_reduce, Phase::step).group_size, 3);
    }

    // PyTorch's no_sync leaves out all reductions but the last micro-batch's; weights are gathered all the
    // same.
    void gradientsMayBeSummedBeforeTheyAreReduced()
    {
        Scenario scenario = small(1, 1, 3);
        scenario.conventions.reduce_each_micro_batch = false;
        for (const int stage : {2, 3}) {
            scenario.parallel.zero_stage = stage;
            COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::reduce_scatter, Phase::backward), 9,
                          4 * 67713);
        }
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::all_gather, Phase::forward), 4 * 9,
                      4 * 49986);
    }

    // Cheng et al. 2024, Fig. 13: ZeRO-2 as one reduce for each owner of a part.
    void eachOwnerMayReceiveItsPart()
    {
        Scenario scenario = small(1, 1, 4);
        scenario.parallel.zero_stage = 1;
        scenario.conventions.zero_reduction = ZeroReduction::reduce;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::dp, Op::reduce, Phase::step), 4, 467584);
        // Each rank sends three of the four parts.
        for (const Message& message : messages)
            if (message.op == Op::reduce)
                QCOMPARE(message.wire_bytes, 3.0 * 467584.0);
        scenario.parallel.zero_stage = 3;
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::reduce_scatter, Phase::backward), 4 * 9,
                      4 * 67712);
    }

    // Megatron-LM's distributed optimizer with overlap: buckets that reach 100,000 elements, last layer
    // first. Two layers of 49,984 and the final norm make the first; three more follow, the last with the
    // positions; the words are left.
    void theDistributedOptimizerMayCutItsBuffer()
    {
        Scenario scenario = small(1, 1, 4);
        scenario.parallel.zero_stage = 1;
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 400000;
        const auto messages = messagesOf(scenario, 0);
        std::int64_t scattered = 0;
        for (const Message& message : messages)
            scattered += message.op == Op::reduce_scatter ? message.total_bytes : 0;
        // The final norm and two layers, 128 + 2 * 49,984; two more and a bias, 100,032, padded to a multiple
        // of 128; 116,352 up to a weight; the rest with positions and words, 151,104, padded too.
        QCOMPARE(scattered, std::int64_t{4 * (2 * 100096 + 116352 + 151168)});
        COMPARE_CALLS(callsOf(messages, Kind::dp, Op::reduce_scatter, Phase::backward), 4, 4 * 151168);
        // The words are gathered first.
        COMPARE_CALLS(callsOf(messages, Kind::dp, Op::all_gather, Phase::step), 4, 4 * 100096);
    }

    // Two stages of two chunks, two layers each: the first chunk of the first stage alone is cut, here layer
    // by layer; its second chunk and both of the other stage are one buffer each.
    void megatronCutsTheFirstChunkAlone()
    {
        Scenario scenario = small(2, 1, 2);
        scenario.parallel.virtual_stages = 2;
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 4 * 49984;
        // 2 * 49,984; 49,984 twice; positions and words, 67,584.
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::all_reduce, Phase::backward), 4,
                      4 * 67584);
        COMPARE_CALLS(callsOf(messagesOf(scenario, 1), Kind::dp, Op::all_reduce, Phase::backward), 2,
                      4 * 2 * 49984);
    }

    // DeepSpeed's default: buckets to everyone, parameters back: 3 Psi in all.
    void bucketsMayBeReducedToEveryone()
    {
        Scenario scenario = small(1, 1, 4);
        scenario.parallel.zero_stage = 2;
        scenario.conventions.zero_reduction = ZeroReduction::all_reduce;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::dp, Op::all_reduce, Phase::backward), 4, 4 * 467584);
        COMPARE_CALLS(callsOf(messages, Kind::dp, Op::all_gather, Phase::step), 1, 4 * 467584);
    }

    // PyTorch FSDP keeps the last layer gathered, which backward needs first.
    void fsdpDoesNotGatherTheLastLayerAgain()
    {
        Scenario scenario = small(1, 1, 4);
        scenario.parallel.zero_stage = 3;
        scenario.conventions =
            defaultConventions(Framework::fsdp, scenario.model, scenario.training, scenario.parallel);
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::all_gather, Phase::backward), 4 * 7,
                      4 * 49984);
        // A stage that holds the head alone has no such layer, and the last layer's stage is not its end.
        scenario.parallel.pipeline = 2;
        scenario.parallel.stage_layers = {8, 0};
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::all_gather, Phase::backward), 4 * 8,
                      4 * 49984);
    }
};

QTEST_APPLESS_MAIN(TestDataParallelMessages)
#include "tst_data_parallel_messages.moc"
