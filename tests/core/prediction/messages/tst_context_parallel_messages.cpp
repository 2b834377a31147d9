#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

// Ring attention, Ulysses and latent attention, counted by hand for a small model.
class TestContextParallelMessages : public QObject
{
    Q_OBJECT
private slots:
    // Keys and values of a quarter of the sequence go three steps; in the backward pass once more, and their
    // gradients a step behind them.
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
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::send, Phase::backward, {"key_value"}), 4 * 8, part);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::send, Phase::backward, {"key_value_and_gradient"}),
                      4 * 8 * 2, 2 * part);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::recv, Phase::backward, {"key_value_gradient"}), 4 * 8,
                      part);
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

    // Transformer Engine gathers keys and values by themselves and scatters the sums of their gradients;
    // PyTorch gathers them in one, and lets the gradients go round.
    void keysAndValuesOfTheWholeSequenceAreGathered()
    {
        Scenario scenario = small(1, 1, 1);
        scenario.parallel.context = 4;
        scenario.parallel.context_method = ContextMethod::all_gather;
        scenario.training.recompute = Recompute::full;
        auto messages = messagesOf(scenario, 0);
        for (const Phase phase : {Phase::forward, Phase::recompute, Phase::backward}) {
            COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_gather, phase, {"key"}), 4 * 8, activation);
            COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_gather, phase, {"value"}), 4 * 8, activation);
        }
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::reduce_scatter, Phase::backward, {"key_gradient"}),
                      4 * 8, activation);
        scenario.conventions.framework = Framework::fsdp;
        messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_gather, Phase::backward, {"key_value"}), 4 * 8,
                      2 * activation);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::send, Phase::backward, {"key_value_gradient"}),
                      4 * 8 * 4, 2 * activation / 4);
        scenario.training.precision = Precision::bf16; // gradients stay in fp32
        COMPARE_CALLS(
            callsOf(messagesOf(scenario, 0), Kind::cp, Op::send, Phase::backward, {"key_value_gradient"}),
            4 * 8 * 4, 2 * activation / 4);
        QCOMPARE(callsOf(messages, Kind::cp, Op::send, Phase::forward).count, std::int64_t{0});
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
};

QTEST_APPLESS_MAIN(TestContextParallelMessages)
#include "tst_context_parallel_messages.moc"
