#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/model/parameter_tensors.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/small_scenario.h"
#include "tests/core/shipped_presets.h"

#include <cmath>
#include <numeric>

using namespace shardscope;

namespace
{

constexpr std::int64_t hidden = 64;  // h of small()
constexpr std::int64_t words = 1024; // its vocabulary, padded for one tensor rank
constexpr std::int64_t projection = 2 * hidden * hidden;
constexpr std::int64_t norms = 3 * 2 * hidden;
constexpr std::int64_t gpt_layer = 12 * hidden * hidden + 13 * hidden;

std::int64_t sumOf(const std::vector<std::int64_t>& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

} // namespace

// Modules behind the last layer that predict further tokens (DeepSeek-V3, section 2.2): in everything that is
// predicted.
class TestMultiTokenPrediction : public QObject
{
    Q_OBJECT
private slots:
    // DeepSeek-V3's README_WEIGHTS: 11.5 billion of its own in one module beside the main model's 671, 2.4
    // billion in use with embedding and head. Both are what is counted here without the projection of 2h x h.
    void deepSeekV3HasItsPublishedParameters()
    {
        Model model = shipped().model("deepseek-v3")->model;
        const ModelParameters main = countParameters(model);
        model.mtp_layers = 1;
        const ModelParameters all = countParameters(model);
        const std::int64_t of_projection = std::int64_t{2} * 7168 * 7168;
        const std::int64_t layer = layerParameters(model, LayerForm::attention_experts, {}).total();
        QCOMPARE(main.total, std::int64_t{671026419200});
        QCOMPARE(all.total - main.total, layer + of_projection + 3 * 7168);
        const auto billions = [](std::int64_t count) { return static_cast<double>(count) / 1e9; };
        QVERIFY(std::fabs(billions(all.total - main.total - of_projection) - 11.5) < 0.05);
        const std::int64_t tables = std::int64_t{2} * 129280 * 7168;
        QVERIFY(std::fabs(billions(all.active - main.active - of_projection + tables) - 2.4) < 0.05);
    }

    // A layer that follows a dense last one is dense; one that follows experts has some.
    void theirLayerIsLikeTheLast_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<bool>("moe");
        QTest::newRow("experts from layer 1 on, every other: the last has some") << 1 << true;
        QTest::newRow("experts from layer 0 on, every other: the last has none") << 0 << false;
    }
    void theirLayerIsLikeTheLast()
    {
        QFETCH(int, first);
        QFETCH(bool, moe);
        Scenario scenario = withModules(withExperts(small(1, 1, 4), 0.0), 2);
        scenario.model.experts.first = first;
        const IterationFigures figures{scenario};
        const StageShape shape = layOutStages(figures).back();
        QCOMPARE(shape.counts.mtp, std::int64_t{2});
        QCOMPARE(shape.layersWith(hasExperts), std::int64_t{moe ? 6 : 4});
        QCOMPARE(shape.layersWith(hasMlp), std::int64_t{moe ? 4 : 6});
        QCOMPARE(hasExperts(moduleSort(scenario.model).form), moe);
    }

    void theyStandOnTheLastStage()
    {
        const Prediction without = predicted(small(4, 1, 1));
        const Prediction with = predicted(withModules(small(4, 1, 1), 2));
        for (std::size_t stage = 0; stage < 3; ++stage) {
            QCOMPARE(with.stages[stage].layers, without.stages[stage].layers);
            QCOMPARE(with.stages[stage].parameters, without.stages[stage].parameters);
        }
        QCOMPARE(with.stages[3].layers, (std::vector<int>{6, 7, 8, 9}));
        // The tied head is the copy's table; the positions are the copy's own.
        QCOMPARE(with.stages[3].parameters - without.stages[3].parameters,
                 2 * (gpt_layer + projection + norms) + 32 * hidden);
    }

    // Both ends of dualpipe hold the head, and so the modules; neither needs a copy.
    void bothEndsOfDualPipeHoldThem()
    {
        Scenario scenario = small(4, 1, 1);
        scenario.parallel.schedule = Schedule::dualpipe;
        scenario.training.global_batch_size = 16;
        const Prediction without = predicted(scenario);
        const Prediction with = predicted(withModules(scenario, 1));
        for (const std::size_t stage : {0, 3}) {
            QCOMPARE(with.stages[stage].layers.back(), 8);
            QCOMPARE(with.stages[stage].parameters - without.stages[stage].parameters,
                     gpt_layer + projection + norms);
        }
        QCOMPARE(with.stages[1].parameters, without.stages[1].parameters);
        QCOMPARE(callsOf(with.stages[3].messages, Kind::emb, Op::all_reduce, Phase::step).count,
                 std::int64_t{0});
        QVERIFY(with.time.iteration_s > without.time.iteration_s);
    }

    // Without pipeline there is one table, with it the last stage has one more whose gradient is summed with
    // the first one's.
    void theLastStageHoldsACopyOfTheEmbedding_data()
    {
        QTest::addColumn<bool>("tied");
        QTest::addColumn<int>("tables");
        QTest::newRow("tied") << true << 1;
        QTest::newRow("a head of its own") << false << 2;
    }
    void theLastStageHoldsACopyOfTheEmbedding()
    {
        QFETCH(bool, tied);
        QFETCH(int, tables);
        Scenario scenario = withModules(small(2, 1, 1), 1);
        scenario.model.tied_embeddings = tied;
        scenario.model.position_embedding = PositionEmbedding::rope;
        const IterationFigures figures{scenario};
        QCOMPARE(layOutStages(figures).back().end_parameters, tables * words * hidden + 2 * hidden);
        for (const int stage : {0, 1})
            COMPARE_CALLS(callsOf(messagesOf(scenario, stage), Kind::emb, Op::all_reduce, Phase::step), 1,
                          words * hidden * 4);
        scenario.parallel.pipeline = 1;
        COMPARE_CALLS(callsOf(messagesOf(scenario, 0), Kind::emb, Op::all_reduce, Phase::step), 0, 0);
    }

    void bucketsHoldEveryParameter_data()
    {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<bool>("tied");
        for (const bool tied : {true, false}) {
            const char* end = tied ? ", tied" : "";
            QTest::addRow("one stage%s", end) << 1 << 1 << tied;
            QTest::addRow("two stages%s", end) << 2 << 1 << tied;
            QTest::addRow("virtual stages%s", end) << 2 << 2 << tied;
        }
    }
    void bucketsHoldEveryParameter()
    {
        QFETCH(int, pipeline);
        QFETCH(int, chunks);
        QFETCH(bool, tied);
        Scenario scenario = withModules(withExperts(small(pipeline, 2, 4), 0.0), 2);
        scenario.model.tied_embeddings = tied;
        scenario.parallel.virtual_stages = chunks;
        const IterationFigures figures{scenario};
        for (const StageShape& shape : layOutStages(figures)) {
            const GradientTensors tensors = gradientTensors(figures, shape);
            QCOMPARE(sumOf(tensors.dense), shape.dense_parameters);
            QCOMPARE(sumOf(tensors.routed), shape.routed_parameters);
            if (tensors.shared_embedding)
                QCOMPARE(tensors.dense[*tensors.shared_embedding], figures.word_embedding);
            QCOMPARE(tensors.shared_embedding.has_value(), pipeline > 1 && (shape.first || shape.last));
        }
    }

    // The copy is of the last chunk, which backward goes through first.
    void theCopyIsInTheLastChunk()
    {
        Scenario scenario = withModules(small(2, 1, 1), 1);
        scenario.parallel.virtual_stages = 2;
        const IterationFigures figures{scenario};
        const GradientTensors tensors = gradientTensors(figures, layOutStages(figures).back());
        QCOMPARE(tensors.dense_chunks.size(), std::size_t{1});
        QCOMPARE(*tensors.shared_embedding + 1, tensors.dense_chunks.front());
    }

    // Two operations for each weight and token: a layer, a projection and the words once more for each
    // module, as Megatron-LM counts.
    void operationsHaveAClosedForm()
    {
        const double h = hidden;
        const double s = 32.0;
        Model model = small(1, 1, 1).model;
        model.mtp_layers = 2;
        const ForwardFlops flops = forwardFlops(model, false);
        QCOMPARE(flops.layers, 2.0 * s * (10.0 * 12.0 * h * h + 2.0 * 2.0 * h * h));
        QCOMPARE(flops.attention, 4.0 * s * s * 10.0 * h);
        QCOMPARE(flops.logits, 3.0 * 2.0 * s * h * 1000.0);
        Scenario scenario = small(1, 1, 1);
        scenario.model = model;
        QCOMPARE(countFlops(scenario).model, 3.0 * 8.0 * (flops.layers + flops.attention + flops.logits));
    }

    // Layers, inputs of norms and projection, of the further heads, and their logits, which wait together.
    void activationsOfEachDepthAreKept()
    {
        Scenario scenario = small(1, 1, 1);
        const auto kept = [&](std::int64_t modules) {
            scenario.model.mtp_layers = modules;
            const IterationFigures figures{scenario};
            return keptActivations(figures, layOutStages(figures).back()).bytes();
        };
        const IterationFigures figures{scenario};
        const std::int64_t layer = layerActivationBytes(figures, LayerForm::attention_mlp, no_repeats);
        QCOMPARE(kept(1) - kept(0), layer + 4 * activation + 2 * activation);
        QCOMPARE(kept(3) - kept(0), 3 * (layer + 6 * activation));
        scenario.training.recompute = Recompute::full;
        QCOMPARE(kept(1) - kept(0), activation + activation + 2 * activation);
    }

    void logitsOfAllDepthsWaitTogether()
    {
        Scenario scenario = small(1, 1, 1);
        scenario.model.vocab_size = 100'000; // so that the head is the fullest moment
        scenario.model.layers = 1;
        scenario.training.recompute = Recompute::full;
        const auto held = [&](std::int64_t modules) {
            return memoryOf(withModules(scenario, modules)).stages.front().activations_bytes;
        };
        const IterationFigures figures{scenario};
        QCOMPARE(held(2) - held(1), logitsBytes(figures) + 4 * activation);
        QCOMPARE(held(1) - held(0), logitsBytes(figures) + 4 * activation);
    }

    // States of the modules and of the copy are the last stage's.
    void theirStatesAreTheLastStages()
    {
        const Scenario scenario = small(2, 1, 1);
        const MemoryPrediction without = memoryOf(scenario);
        const MemoryPrediction with = memoryOf(withModules(scenario, 1));
        const std::int64_t own = gpt_layer + projection + norms + 32 * hidden;
        QCOMPARE(with.stages[0].weights_bytes, without.stages[0].weights_bytes);
        QCOMPARE(with.stages[1].weights_bytes - without.stages[1].weights_bytes, 4 * own);
        QCOMPARE(with.stages[1].optimizer_bytes - without.stages[1].optimizer_bytes, 8 * own);
    }

    void whereTheyMakeNoSenseASentenceSaysSo_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("word");
        QTest::newRow("a list of parameters") << "list"
                                              << "parameter_list";
        QTest::newRow("an encoder") << "encoder"
                                    << "encoder_layers";
        QTest::newRow("BERT") << "bert"
                              << "BERT";
        QTest::newRow("too many") << "many"
                                  << "choose 0 to 64";
    }
    void whereTheyMakeNoSenseASentenceSaysSo()
    {
        QFETCH(QString, what);
        QFETCH(QString, word);
        Scenario scenario = withModules(small(1, 1, 1), 1);
        if (what == "list") {
            scenario.model.kind = ModelKind::parameter_list;
            scenario.model.tensors = {{"w", 1000}};
        } else if (what == "encoder") {
            scenario.model.encoder_layers = 2;
        } else if (what == "bert") {
            scenario.model.output_head = OutputHead::bert;
        } else {
            scenario.model.mtp_layers = 65;
        }
        const std::vector<Problem> problems = validate(scenario);
        QVERIFY(!problems.empty());
        QCOMPARE(problems.front().field, "model.mtp_layers");
        QVERIFY2(problems.front().sentence.find(word.toStdString()) != std::string::npos,
                 problems.front().sentence.c_str());
    }
};

QTEST_APPLESS_MAIN(TestMultiTokenPrediction)
#include "tst_multi_token_prediction.moc"
