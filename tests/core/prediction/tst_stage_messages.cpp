#include <QTest>

#include "core/prediction/prediction.h"
#include "core/scenario/defaults.h"

#include <algorithm>

using namespace shardscope;

namespace
{

// l 8, h 64, 4 heads, s 32, b 2, m 4, 1,000 words; float, so that an activation has 2 * 32 * 64 * 4 = 16,384
// bytes.
constexpr std::int64_t activation = 16384;

Scenario small(std::int64_t pipeline, std::int64_t tensor, std::int64_t data)
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = 8;
    model.hidden_size = 64;
    model.attention_heads = 4;
    model.kv_heads = 4;
    model.head_dim = 16;
    model.ffn_hidden_size = 256;
    model.vocab_size = 1000;
    model.sequence_length = 32;
    scenario.training.precision = Precision::fp32;
    scenario.training.micro_batch_size = 2;
    scenario.training.global_batch_size = 8 * data;
    scenario.parallel.pipeline = pipeline;
    scenario.parallel.tensor = tensor;
    scenario.parallel.data = data;
    return scenario;
}

Scenario withExperts(Scenario scenario, double capacity_factor)
{
    scenario.model.experts.count = 8;
    scenario.model.experts.ffn_hidden_size = 256;
    scenario.model.experts.every = 2;
    scenario.model.experts.first = 1;
    scenario.model.experts.capacity_factor = capacity_factor;
    scenario.parallel.expert = 4;
    return scenario;
}

Scenario withLatents(Scenario scenario)
{
    scenario.model.mla = {24, 16, 8, 4, 8};
    return scenario;
}

struct Calls {
    std::int64_t count = 0;
    std::int64_t bytes = 0; // of one call; of the last row where they differ
    int group_size = 0;
};

std::vector<Message> messagesOf(const Scenario& scenario, int stage)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return prediction.value().stages.at(static_cast<std::size_t>(stage)).messages;
}

Calls callsOf(const std::vector<Message>& messages, Kind kind, Op op, Phase phase,
              std::initializer_list<std::string_view> named = {})
{
    Calls calls;
    for (const Message& message : messages) {
        const bool is_named =
            named.size() == 0 || std::find(named.begin(), named.end(), message.what) != named.end();
        if (message.kind != kind || message.op != op || message.phase != phase || !is_named)
            continue;
        calls.count += message.count;
        calls.bytes = message.message_bytes;
        calls.group_size = message.group_size;
    }
    return calls;
}

#define COMPARE_CALLS(calls, expected_count, expected_bytes)                                                 \
    do {                                                                                                     \
        const Calls found = calls;                                                                           \
        QCOMPARE(found.count, std::int64_t{expected_count});                                                 \
        QCOMPARE(found.bytes, std::int64_t{expected_bytes});                                                 \
    } while (false)

} // namespace

// Counts and sizes worked out by hand for a small model, switch by switch.
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

    // Keys and values of a quarter of the sequence go three steps; their gradients travel with them on the
    // way back.
    void ringAttentionPassesKeysAndValuesOn()
    {
        Scenario scenario = small(1, 2, 1);
        scenario.parallel.context = 4;
        scenario.model.kv_heads = 2;
        scenario.training.recompute = Recompute::selective;
        const auto messages = messagesOf(scenario, 0);
        const std::int64_t part = 2 * (2 * 32 / 4) * 1 * 16 * 4;
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::send, Phase::forward), 4 * 8 * 3, part);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::recv, Phase::recompute), 4 * 8 * 3, part);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::send, Phase::backward), 4 * 8 * 3, 2 * part);
        // Gradients are summed over the parts of the sequence too.
        QCOMPARE(callsOf(messages, Kind::dp, Op::all_reduce, Phase::step).group_size, 4);
        // An activation is a quarter.
        QCOMPARE(callsOf(messages, Kind::tp, Op::all_reduce, Phase::backward).bytes, activation / 4);
    }

    // Jacobs et al. 2023: four all_to_all forward, four backward.
    void ulyssesExchangesHeads()
    {
        Scenario scenario = small(1, 1, 1);
        scenario.parallel.context = 2;
        scenario.parallel.context_method = ContextMethod::ulysses;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_to_all, Phase::forward), 4 * 8 * 4, activation / 2);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_to_all, Phase::backward), 4 * 8 * 4,
                      activation / 2);
    }

    // UlyssesSPAttentionHF: two heads of keys and values for four ranks, each has a copy.
    void ulyssesCopiesHeadsOfKeysThatAreTooFew()
    {
        Scenario scenario = small(1, 1, 1);
        scenario.parallel.context = 4;
        scenario.parallel.context_method = ContextMethod::ulysses;
        scenario.model.kv_heads = 2;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_to_all, Phase::forward, {"key"}), 4 * 8,
                      16 * 4 * 16 * 4);
    }

    // 64 tokens of 4 bytes; latents of 24 for queries and 16 for keys and values, 4 numbers of a key rotate.
    // Projections down stand on every rank, for its own tokens where they are split.
    void latentAttentionExchangesLatents()
    {
        Scenario scenario = withLatents(small(1, 2, 1));
        scenario.parallel.sequence_parallel = true;
        const auto messages = messagesOf(scenario, 0);
        const auto gathered = [&](Phase phase, std::string_view what) {
            return callsOf(messages, Kind::tp, Op::all_gather, phase, {what});
        };
        COMPARE_CALLS(gathered(Phase::forward, "query_latent"), 32, 64 * 24 * 4);
        COMPARE_CALLS(gathered(Phase::forward, "key_value_latent"), 32, 64 * 16 * 4);
        COMPARE_CALLS(gathered(Phase::forward, "rotary_key"), 32, 64 * 4 * 4);
        COMPARE_CALLS(gathered(Phase::backward, "attention"), 32, activation);
        // Of attention's latents and of the MLP's input.
        QCOMPARE(gathered(Phase::backward, "regather").count, std::int64_t{3 * 32});
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::reduce_scatter, Phase::backward, {"rotary_key"}), 32,
                      64 * 4 * 4);
        COMPARE_CALLS(callsOf(messages, Kind::tp, Op::reduce_scatter, Phase::forward, {"attention"}), 32,
                      activation);
    }

    void latentAttentionSumsTheGradientsOfLatents()
    {
        Scenario scenario = withLatents(small(1, 2, 1));
        const auto summed = [&](Phase phase, std::string_view what) {
            return callsOf(messagesOf(scenario, 0), Kind::tp, Op::all_reduce, phase, {what});
        };
        COMPARE_CALLS(summed(Phase::forward, "attention"), 32, activation);
        COMPARE_CALLS(summed(Phase::backward, "query_latent"), 32, 64 * 24 * 4);
        COMPARE_CALLS(summed(Phase::backward, "key_value_latent"), 32, 64 * 16 * 4);
        QCOMPARE(summed(Phase::backward, "attention").count, std::int64_t{0});
        scenario.model.mla.q_lora_rank = 0;
        COMPARE_CALLS(summed(Phase::backward, "query_latent"), 32, activation);
        scenario.conventions.framework = Framework::fsdp;
        COMPARE_CALLS(summed(Phase::backward, "attention"), 32, activation);
    }

    // Keys of 8 + 4 numbers and values of 8 for each of 4 heads go round; 32 tokens on a rank.
    void latentKeysAreWiderThanValues()
    {
        Scenario scenario = withLatents(small(1, 1, 1));
        scenario.parallel.context = 2;
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::cp, Op::send, Phase::forward), 32,
                      32 * 4 * (12 + 8) * 4);
        scenario.parallel.context_method = ContextMethod::ulysses;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_to_all, Phase::forward, {"query"}), 32,
                      32 * 4 * 12 * 4);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_to_all, Phase::forward, {"value"}), 32,
                      32 * 4 * 8 * 4);
    }

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
        scenario.conventions = defaultConventions(Framework::fsdp, scenario.training, scenario.parallel);
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::all_gather, Phase::backward), 4 * 7,
                      4 * 49984);
        // A stage that holds the head alone has no such layer, and the last layer's stage is not its end.
        scenario.parallel.pipeline = 2;
        scenario.parallel.stage_layers = {8, 0};
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::dp, Op::all_gather, Phase::backward), 4 * 8,
                      4 * 49984);
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
