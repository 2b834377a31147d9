#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/model/flops.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/words.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/small_scenario.h"

#include <QTest>

#include <set>

Q_DECLARE_METATYPE(shardscope::Scenario)

using namespace shardscope;

namespace
{

// Layers of DeepSeek-V3's kind on one rank, every second of them with experts; bf16, of the framework that
// knows modules.
Scenario latentWithExperts()
{
    Scenario scenario = withExperts(small(1, 1, 1), 0.0);
    scenario.conventions.framework = Framework::megatron;
    scenario.training.precision = Precision::bf16;
    scenario.training.flash_attention = true;
    Model& model = scenario.model;
    model.gated_mlp = true;
    model.position_embedding = PositionEmbedding::rope;
    model.linear_bias = false;
    model.experts.shared = 1;
    model.mla = {24, 16, 12, 4, 8};
    scenario.parallel.expert = 1;
    return scenario;
}

Scenario recomputing(Scenario scenario, std::vector<RecomputeModule> modules)
{
    scenario.training.recompute = Recompute::selective;
    scenario.training.recompute_modules = std::move(modules);
    return scenario;
}

Scenario recomputingLayers(Scenario scenario, std::int64_t layers)
{
    scenario.training.recompute = Recompute::full;
    scenario.training.recompute_layers = layers;
    return scenario;
}

// What a layer keeps less of one token than where nothing is computed again.
std::int64_t savedOfToken(const Scenario& scenario, bool moe)
{
    const LayerForm form = moe ? LayerForm::attention_experts : LayerForm::attention_mlp;
    const IterationFigures figures{scenario};
    return (layerActivationBytes(figures, form, no_repeats)
            - layerActivationBytes(figures, form, repeatsOf(scenario)))
           / figures.tokens;
}

} // namespace

// Some layers of each stage, or some modules of each layer: what is kept, sent, computed and waited for.
class TestPartialRecomputation : public QObject
{
    Q_OBJECT
private slots:
    void modulesKeepLess_data()
    {
        QTest::addColumn<QString>("module");
        QTest::addColumn<int>("of_dense");
        QTest::addColumn<int>("of_experts");
        const auto row = [](const char* module, std::int64_t of_dense, std::int64_t of_experts) {
            QTest::newRow(module) << module << static_cast<int>(of_dense) << static_cast<int>(of_experts);
        };
        const Model model = latentWithExperts().model;
        const std::int64_t h = model.hidden_size;
        const std::int64_t f = model.ffn_hidden_size;
        const std::int64_t of_expert = model.experts.ffn_hidden_size;
        const std::int64_t choices = model.experts.per_token;
        const std::int64_t heads = model.attention_heads;
        row("core_attn", 4 * heads, 4 * heads);
        // Before latent attention's products, and before experts.
        row("layernorm", 2 * h, 2 * 2 * h);
        // Queries and keys of 16 numbers each, values of 8.
        row("mla_up_proj", 2 * heads * (16 + 16 + 8), 2 * heads * (16 + 16 + 8));
        // The norm that is fused with it, and three hidden tensors.
        row("mlp", 2 * h + 3 * 2 * f, 0);
        row("moe_act", 0, 2 * choices * of_expert);
        row("shared_experts", 0, 3 * 2 * of_expert);
        // Hidden tensors, and tokens as they are sent and as they come back.
        row("moe", 0, 3 * 2 * (choices + 1) * of_expert + 2 * 2 * choices * h);
    }
    void modulesKeepLess()
    {
        QFETCH(QString, module);
        QFETCH(int, of_dense);
        QFETCH(int, of_experts);
        const auto which = fromWord<RecomputeModule>(module.toStdString());
        QVERIFY(which);
        const Scenario scenario = recomputing(latentWithExperts(), {*which});
        QCOMPARE(savedOfToken(scenario, false), std::int64_t{of_dense});
        QCOMPARE(savedOfToken(scenario, true), std::int64_t{of_experts});
    }

    void modulesTogetherKeepLessByTheSum()
    {
        using enum RecomputeModule;
        const Scenario base = latentWithExperts();
        for (const bool moe : {false, true})
            QCOMPARE(savedOfToken(recomputing(base, {layernorm, mla_up_proj, moe_act, shared_experts}), moe),
                     savedOfToken(recomputing(base, {layernorm}), moe)
                         + savedOfToken(recomputing(base, {mla_up_proj}), moe)
                         + savedOfToken(recomputing(base, {moe_act}), moe)
                         + savedOfToken(recomputing(base, {shared_experts}), moe));
    }

    // What one layer computes again is there while its backward pass runs. Few words, so that the stage is
    // not fullest at the loss.
    void thePeakHoldsOneLayersModules()
    {
        Scenario scenario = latentWithExperts();
        scenario.model.vocab_size = 8;
        scenario.model.vocab_padding = 1;
        const std::int64_t before = memoryOf(scenario).stages.front().activations_bytes;
        const Scenario some = recomputing(scenario, {RecomputeModule::moe_act});
        const std::int64_t of_layer = savedOfToken(some, true) * IterationFigures{some}.tokens;
        const std::int64_t moe_layers = 4;
        QCOMPARE(before - memoryOf(some).stages.front().activations_bytes, (moe_layers - 1) * of_layer);
    }

    void layersOfEachVirtualStageKeepTheirInput()
    {
        Scenario scenario = small(2, 1, 1);
        const Scenario full = recomputingLayers(scenario, std::int64_t{0});
        const IterationFigures whole{full};
        const std::int64_t input = layerActivationBytes(whole, LayerForm::attention_mlp, whole_layer);
        const std::int64_t all = layerActivationBytes(whole, LayerForm::attention_mlp, no_repeats);
        for (const std::int64_t layers : {1, 2, 3}) {
            const Scenario some = recomputingLayers(scenario, layers);
            const IterationFigures figures{some};
            const std::vector<StageShape> shapes = layOutStages(figures);
            QCOMPARE(shapes.front().recomputed.decoder[LayerForm::attention_mlp], layers);
            QCOMPARE(stageActivationBytes(figures, shapes.front()), layers * input + (4 - layers) * all);
        }
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.parallel.virtual_stages = 2;
        const Scenario some = recomputingLayers(scenario, std::int64_t{1});
        const IterationFigures figures{some};
        QCOMPARE(layOutStages(figures).front().recomputed.decoder[LayerForm::attention_mlp], std::int64_t{2});
    }

    void whateverIsRecomputedTakesNoMoreMemoryThanLess_data()
    {
        QTest::addColumn<int>("schedule");
        for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::zb_h1, Schedule::zb_h2,
                                        Schedule::zb_v, Schedule::v_half, Schedule::v_min})
            QTest::newRow(std::string{word(schedule)}.c_str()) << static_cast<int>(schedule);
    }
    // With zero-bubble schedules full recomputation may take more than some: only from none to all it falls.
    void whateverIsRecomputedTakesNoMoreMemoryThanLess()
    {
        QFETCH(int, schedule);
        Scenario scenario = small(2, 2, 2);
        scenario.model.layers = 16;
        scenario.training.global_batch_size = 32;
        setSchedule(scenario.parallel, static_cast<Schedule>(schedule));
        const bool puts_off = scenario.parallel.schedule != Schedule::one_f_one_b;
        Scenario none = scenario;
        none.training.recompute = Recompute::none;
        const auto bytes = [](const Scenario& of) { return memoryOf(of).peak_bytes; };
        const std::int64_t full = bytes(recomputingLayers(scenario, 0));
        for (const std::int64_t layers : {1, 2, 3})
            QVERIFY(bytes(recomputingLayers(scenario, layers)) <= bytes(none));
        for (const std::int64_t layers : {1, 2, 3})
            QVERIFY(puts_off
                    || bytes(recomputingLayers(scenario, layers))
                           >= bytes(recomputingLayers(scenario, layers + 1)));
        // Of one module never less than of all there is.
        QVERIFY(bytes(recomputing(scenario, {RecomputeModule::mlp})) <= bytes(none));
        QVERIFY(bytes(recomputing(scenario, {RecomputeModule::mlp})) >= full);
    }

    void normsAreThoseThatALayerHas_data()
    {
        QTest::addColumn<int>("norms");
        QTest::addColumn<int>("of_mlp");
        QTest::addColumn<int>("alone");
        QTest::newRow("none") << 0 << 0 << 0;
        QTest::newRow("one for attention and MLP") << 1 << 0 << 0;
        QTest::newRow("one for each") << 2 << 1 << 1;
        QTest::newRow("of their outputs too") << 4 << 1 << 1;
    }
    // Of a dense layer with latent attention.
    void normsAreThoseThatALayerHas()
    {
        QFETCH(int, norms);
        QFETCH(int, of_mlp);
        QFETCH(int, alone);
        Scenario scenario = latentWithExperts();
        scenario.model.norms_per_layer = norms;
        const std::int64_t norm = 2 * scenario.model.hidden_size;
        const std::int64_t hidden = 3 * 2 * scenario.model.ffn_hidden_size;
        QCOMPARE(savedOfToken(recomputing(scenario, {RecomputeModule::mlp}), false), of_mlp * norm + hidden);
        const Scenario layernorm = recomputing(scenario, {RecomputeModule::layernorm});
        QCOMPARE(savedOfToken(layernorm, false), alone * norm);
        Scenario none = scenario;
        none.training.recompute = Recompute::none;
        QCOMPARE(predicted(layernorm).time.iteration_s > predicted(none).time.iteration_s,
                 alone > 0 || norms == 1); // of experts' layers with one norm, which no product is fused with
    }

    // Four layers a stage, four micro-batches.
    void recomputedLayersSendTheirMessagesAgain()
    {
        const auto messages = messagesOf(recomputingLayers(small(2, 2, 1), std::int64_t{3}), 0);
        QCOMPARE(callsOf(messages, Kind::tp, Op::all_reduce, Phase::recompute).count,
                 std::int64_t{4 * 3 * 2});
        const auto experts =
            messagesOf(recomputingLayers(withExperts(small(1, 1, 4), 1.25), std::int64_t{3}), 0);
        // Layers 1, 3, 5, 7 of eight have some: one of the first three.
        QCOMPARE(callsOf(experts, Kind::ep, Op::all_to_all, Phase::recompute).count, std::int64_t{4 * 1 * 2});
    }

    void modulesSendTheirMessagesAgain()
    {
        Scenario scenario = latentWithExperts();
        scenario.parallel.tensor = 2;
        scenario.parallel.sequence_parallel = true;
        scenario.parallel.data = 2;
        scenario.parallel.expert = 2;
        scenario.training.global_batch_size = 16;
        const std::int64_t m = scenario.microBatches();
        const auto calls = [&](RecomputeModule module, Kind kind, Op op) {
            return callsOf(messagesOf(recomputing(scenario, {module}), 0), kind, op, Phase::recompute).count;
        };
        QCOMPARE(calls(RecomputeModule::mlp, Kind::tp, Op::all_gather), m * 4);
        QCOMPARE(calls(RecomputeModule::mlp, Kind::tp, Op::reduce_scatter), m * 4);
        QCOMPARE(calls(RecomputeModule::mlp, Kind::ep, Op::all_to_all), std::int64_t{0});
        // Queries, and keys with values, of all eight layers; what attention returns is not summed again.
        QCOMPARE(calls(RecomputeModule::mla_up_proj, Kind::tp, Op::all_gather), m * 8 * 2);
        QCOMPARE(calls(RecomputeModule::mla_up_proj, Kind::tp, Op::reduce_scatter), std::int64_t{0});
        // Counts, tokens to their experts, and back.
        QCOMPARE(calls(RecomputeModule::moe, Kind::ep, Op::all_to_all), m * 4 * 3);
        // Routed and shared experts.
        QCOMPARE(calls(RecomputeModule::moe, Kind::tp, Op::reduce_scatter), m * 4 * 2);
        QCOMPARE(calls(RecomputeModule::shared_experts, Kind::tp, Op::reduce_scatter), m * 4);
        for (const RecomputeModule module :
             {RecomputeModule::moe_act, RecomputeModule::layernorm, RecomputeModule::core_attn})
            QCOMPARE(calls(module, Kind::tp, Op::all_gather), std::int64_t{0});
    }

    void operationsAreCountedAgain()
    {
        const Scenario plain = small(2, 1, 1);
        const ForwardFlops forward = forwardFlops(plain.model, false);
        QCOMPARE(repeatedFlops(recomputingLayers(plain, std::int64_t{0})),
                 forward.layers + forward.attention);
        QCOMPARE(repeatedFlops(recomputingLayers(plain, std::int64_t{1})),
                 (forward.layers + forward.attention) / 4.0);
        QCOMPARE(repeatedFlops(recomputing(plain, std::vector<RecomputeModule>{})), forward.attention);
        const double tokens = 32.0;
        const double h = 64.0;
        QCOMPARE(repeatedFlops(recomputing(plain, {RecomputeModule::mlp})), 2.0 * tokens * 8 * 8 * h * h);
        QCOMPARE(repeatedFlops(recomputing(plain, {RecomputeModule::layernorm})), 0.0);
    }

    // Nothing is faster for being computed again, and all of it is no faster than its parts.
    void modulesTakeTheirTime()
    {
        const Scenario base = latentWithExperts();
        Scenario none = base;
        none.training.recompute = Recompute::none;
        const double least = predicted(none).time.iteration_s;
        const double most = predicted(recomputingLayers(base, std::int64_t{0})).time.iteration_s;
        using enum RecomputeModule;
        double before = least;
        std::vector<RecomputeModule> modules;
        for (const RecomputeModule module : {core_attn, layernorm, mla_up_proj, mlp, moe}) {
            modules.push_back(module);
            const double seconds = predicted(recomputing(base, modules)).time.iteration_s;
            QVERIFY(seconds >= before);
            before = seconds;
        }
        QVERIFY(before > least && before < most);
    }

    void thePassOfAStageIsItsLayersThatAreComputedAgain()
    {
        const auto timeline = [](std::int64_t layers) {
            return timelineOf(recomputingLayers(small(2, 1, 1), layers));
        };
        const auto recomputed = [](const PredictedTimeline& of) {
            std::set<int> layers;
            for (const PassParts& pass : of.passes)
                for (const PassPart& part : pass.in_turn)
                    if (part.phase == Phase::recompute)
                        layers.insert(part.layer);
            return layers;
        };
        QCOMPARE(recomputed(timeline(1)), (std::set<int>{0, 4}));
        QCOMPARE(recomputed(timeline(3)), (std::set<int>{0, 1, 2, 4, 5, 6}));
    }

    void whatCountsForNothingIsSaid_data()
    {
        QTest::addColumn<Scenario>("scenario");
        QTest::addColumn<QString>("sentence");
        const Scenario base = small(1, 1, 1);
        Scenario none = recomputingLayers(base, std::int64_t{2});
        none.training.recompute = Recompute::none;
        QTest::newRow("layers") << none << "recompute_layers counts with full recomputation alone";
        Scenario full = recomputing(base, {RecomputeModule::mlp});
        full.training.recompute = Recompute::full;
        QTest::newRow("modules") << full << "recompute_modules count with selective recomputation alone";
        Scenario fsdp = recomputing(base, {RecomputeModule::mlp});
        fsdp.conventions.framework = Framework::fsdp;
        QTest::newRow("modules of FSDP") << fsdp << "recompute_modules are Megatron-Core's";
        QTest::newRow("of no layer") << recomputing(base, {RecomputeModule::moe_act})
                                     << "no layer of this model has what moe_act is of";
    }
    void whatCountsForNothingIsSaid()
    {
        QFETCH(Scenario, scenario);
        QFETCH(QString, sentence);
        const std::vector<std::string> warnings = predicted(scenario).warnings;
        QVERIFY(std::ranges::any_of(warnings, [&](const std::string& warning) {
            return QString::fromStdString(warning).contains(sentence);
        }));
    }

    void itIsNamed()
    {
        const Scenario base = small(1, 1, 1);
        const auto named = [](const Scenario& scenario) {
            return QString::fromStdString(recomputationWords(scenario) + " | "
                                          + recomputationBrief(scenario));
        };
        QCOMPARE(named(base), QString{"no recomputation | none"});
        QCOMPARE(named(recomputingLayers(base, std::int64_t{0})), QString{"full recomputation | full"});
        QCOMPARE(named(recomputingLayers(base, std::int64_t{1})),
                 QString{"recomputation of 1 layer a stage | full 1"});
        QCOMPARE(named(recomputing(base, {RecomputeModule::mlp, RecomputeModule::moe})),
                 QString{"recomputation of mlp, moe | mlp, moe"});
    }
};

QTEST_APPLESS_MAIN(TestPartialRecomputation)
#include "tst_partial_recomputation.moc"
