#include <QTest>

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/predict.h"
#include "core/prediction/time/task_order.h"
#include "core/prediction/time/time_model.h"
#include "core/scenario/scenario_json.h"
#include "small_gpt.h"
#include "tests/core/near.h"

#include <algorithm>

using namespace shardscope;

namespace
{

constexpr double rounding = 1e-9;

Parallel layoutOf(std::int64_t pipeline, std::int64_t tensor, std::int64_t data)
{
    Parallel parallel;
    parallel.pipeline = pipeline;
    parallel.tensor = tensor;
    parallel.data = data;
    return parallel;
}

Scenario read(const std::string& text)
{
    return readScenario(text, presets()).value().scenario;
}

TimePrediction timeOf(const Scenario& scenario)
{
    return predict(scenario).value().time;
}

// Mixtral-like layers over 8 ranks of experts.
Scenario withExperts()
{
    return read(R"({"model": {"preset": "mixtral-8x7b"}, "cluster": {"preset": "dgx-h100"},
        "training": {"global_batch_size": 64, "micro_batch_size": 1}, "parallel": {"data": 16, "expert": 8}})");
}

// As often forwards as backwards were begun before: the most that a stage has at once.
std::int64_t mostInFlight(const PipelineShape& shape, int stage)
{
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (TaskSequence tasks{shape, stage}; !tasks.atEnd(); tasks.toNext()) {
        if (tasks.task().kind == TaskKind::weight_gradient)
            continue;
        now += tasks.task().kind == TaskKind::forward ? 1 : -1;
        most = std::max(most, now);
    }
    return most;
}

} // namespace

// What a setting must do to time and memory, where they, messages and schedule have to agree.
class TestTimeEffects : public QObject
{
    Q_OBJECT
private slots:
    void unevenRoutingWaitsForTheFullestRank()
    {
        Scenario scenario = withExperts();
        const Prediction even = predict(scenario).value();
        scenario.model.experts.skew = 1.0;
        const Prediction skewed = predict(scenario).value();
        const double busiest = IterationFigures{scenario}.busiest_load;
        QVERIFY(busiest > 1.5);
        // There and back, all wait for it; latency and the experts' counts are those of even routing.
        QVERIFY(skewed.time.ep_s > even.time.ep_s);
        QVERIFY(skewed.time.ep_s < busiest * even.time.ep_s);
        QVERIFY(skewed.time.compute_s > 1.2 * even.time.compute_s);
        QVERIFY(skewed.memory.peak_bytes > even.memory.peak_bytes);
        QCOMPARE(skewed.flops.model, even.flops.model);
    }

    void slotsOfAFixedCapacityAreComputedAndKept()
    {
        Scenario scenario = withExperts();
        scenario.model.experts.capacity_factor = 1.0;
        const Prediction tight = predict(scenario).value();
        scenario.model.experts.capacity_factor = 2.0;
        const Prediction wide = predict(scenario).value();
        QVERIFY(wide.time.compute_s > 1.2 * tight.time.compute_s);
        QVERIFY(wide.memory.stages[0].activations_bytes > tight.memory.stages[0].activations_bytes);
    }

    // The whole tensor from each rank of a tensor group, or parts that are gathered again; what Megatron-LM
    // did before fused attention is parts, whatever is listed.
    void pipelineMessagesTakeTheTimeOfTheirBytes()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel = layoutOf(4, 8, 2);
        scenario.cluster.inter_node.bandwidth_GBps *= 0.01;
        scenario.training.flash_attention = true;
        const double whole = timeOf(scenario).pp_s;
        scenario.conventions.pp_partitioned = true;
        const double parts = timeOf(scenario).pp_s;
        QVERIFY(parts < 0.3 * whole);
        scenario.training.flash_attention = false;
        const double early = timeOf(scenario).pp_s;
        scenario.conventions.pp_partitioned = false;
        QCOMPARE(timeOf(scenario).pp_s, early);
    }

    // BERT sees all tokens, GPT those before: fused attention alone makes use of it.
    void fusedAttentionComputesTheScoresThatAreSeen()
    {
        const auto fused_s = [](OutputHead head) {
            Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
            scenario.parallel = layoutOf(1, 1, 1);
            scenario.training.flash_attention = true;
            scenario.model.output_head = head;
            const double words = timeOf(scenario).compute_s;
            scenario.model.attention_heads = scenario.model.kv_heads = 48; // twice the attention
            return timeOf(scenario).compute_s - words;
        };
        QVERIFY(fused_s(OutputHead::bert) > 1.05 * fused_s(OutputHead::language_model));
    }

    // Both ends of the model stand on the first rank of DualPipe: each sends once.
    void dualPipeSendsForEachEndOnce()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel = layoutOf(2, 8, 1);
        const double one_way = timeOf(scenario).tp_s;
        scenario.parallel.schedule = Schedule::dualpipe;
        const double both_ways = timeOf(scenario).tp_s;
        scenario.model.layers = 48; // nearly all of it is of layers
        const double deep_both_ways = timeOf(scenario).tp_s;
        scenario.parallel.schedule = Schedule::one_f_one_b;
        QVERIFY(both_ways < 1.02 * one_way);
        QVERIFY(deep_both_ways < 1.01 * timeOf(scenario).tp_s);
    }

    // What is reduced last is ready when the backward pass is over: DDP begins with a small bucket, here the
    // head's, and the other one waits.
    void oneBucketForAllHidesNothing()
    {
        const auto exposed = [](std::int64_t bucket_bytes) {
            Scenario scenario = read(R"({"model": {"preset": "gpt-neox-1.3b"}, "parallel": {"data": 16},
                "training": {"global_batch_size": 64, "micro_batch_size": 4},
                "conventions": {"framework": "ddp"}, "cluster": {"preset": "dgx-h100"}})");
            scenario.conventions.dp_bucket_bytes = bucket_bytes;
            return timeOf(scenario);
        };
        const TimePrediction in_one = exposed(std::int64_t{1} << 40);
        QVERIFY(in_one.hidden_communication_s < 0.2 * in_one.dp_s);
        QVERIFY(exposed(1 << 26).hidden_communication_s > 0.5 * in_one.dp_s);
        QVERIFY(exposed(1 << 26).dp_s < 0.7 * in_one.dp_s);
    }

    // Within a node every rank has its own links; between nodes one adapter of four has to do.
    void gatheringByTensorSlowsDownBetweenNodes()
    {
        const auto slowdown = [](std::int64_t data) {
            Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
            scenario.parallel = layoutOf(1, 1, data);
            scenario.parallel.zero_stage = 3;
            scenario.conventions.zero3_by_tensor = false;
            const double by_unit = timeOf(scenario).dp_s;
            scenario.conventions.zero3_by_tensor = true;
            return timeOf(scenario).dp_s / by_unit;
        };
        QVERIFY(slowdown(8) > 1.0 && slowdown(8) < 2.0);
        QVERIFY(slowdown(32) > 4.0);
    }

    void tensorOverlapNeedsSequenceParallelism()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        const double plain = timeOf(scenario).tp_s;
        scenario.conventions.tp_overlap = true;
        QCOMPARE(timeOf(scenario).tp_s, plain);
        QVERIFY(!predict(scenario).value().warnings.empty());
        scenario.parallel.sequence_parallel = true;
        QVERIFY(timeOf(scenario).tp_s < 0.5 * plain);
    }

    // NVLink of a node, or of a rack, has to join them.
    void tensorOverlapEndsWithTheNode()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel.tensor = 8;
        scenario.parallel.sequence_parallel = true;
        const auto gain_s = [](Scenario of) {
            of.conventions.tp_overlap = false;
            const double plain_s = timeOf(of).tp_s;
            of.conventions.tp_overlap = true;
            return plain_s - timeOf(of).tp_s;
        };
        QVERIFY(gain_s(scenario) > 0.0);
        scenario.cluster.gpus_per_node = 4;
        QCOMPARE(gain_s(scenario), 0.0);
        scenario.cluster.scale_up_gpus = 8;
        QVERIFY(gain_s(scenario) > 0.0);
    }

    // Attention hides the messages of the ring, products those of tensor parallelism: on a faster GPU neither
    // has less to show for it.
    void fasterGpusNeverTakeLonger()
    {
        Scenario scenario = smallGpt(presets().cluster("aws-p6-b200")->cluster);
        scenario.model.sequence_length = 32768;
        scenario.parallel.tensor = 8;
        scenario.parallel.context = 2;
        scenario.parallel.data = 1;
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.tp_overlap = true;
        double before = timeOf(scenario).iteration_s;
        for (int i = 0; i < 4; ++i) {
            scenario.cluster.peak_tflops *= 2.0;
            const TimePrediction time = timeOf(scenario);
            QVERIFY(time.iteration_s <= before);
            QVERIFY(time.hidden_communication_s <= time.compute_s);
            before = time.iteration_s;
        }
    }

    // Interleaved stages that send beside their work, and zero-bubble schedules, hide what others wait for.
    void whatPipelinesHideIsTold()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel.pipeline = 4;
        scenario.parallel.tensor = scenario.parallel.data = 1; // nothing else is sent
        scenario.parallel.virtual_stages = 2;
        scenario.parallel.schedule = Schedule::interleaved;
        const TimePrediction waiting = timeOf(scenario);
        QCOMPARE(waiting.hidden_communication_s, 0.0);
        scenario.conventions.pp_overlap = true;
        const TimePrediction beside = timeOf(scenario);
        QVERIFY(beside.pp_s < waiting.pp_s);
        QVERIFY(beside.hidden_communication_s > 0.5 * (waiting.pp_s - beside.pp_s));
        QVERIFY(beside.hidden_communication_s <= waiting.pp_s);
        scenario.parallel.virtual_stages = 1;
        scenario.parallel.schedule = Schedule::zb_h1;
        QVERIFY(timeOf(scenario).hidden_communication_s > 0.0);
        // What is under way while its sender waits is not hidden.
        scenario.cluster.gpus_per_node = 1;
        scenario.cluster.inter_node.bandwidth_GBps = 0.01;
        const TimePrediction slow = timeOf(scenario);
        QVERIFY(slow.hidden_communication_s <= 2.0 * slow.compute_s); // to both neighbours at once
    }

    // Each stage's loader hands the tokens on, whether it embeds them or not.
    void batchesThatAreHandedOnTakeTimeOnEveryStage()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel.pipeline = 2;
        const auto forwards = [&] {
            const Prediction prediction = predict(scenario).value();
            const IterationTime time = predictTime(IterationFigures{scenario}, prediction);
            return std::pair{time.chunks[0].forward.tp_s, time.chunks[1].forward.tp_s};
        };
        const auto alone = forwards();
        scenario.conventions.tp_broadcast_batch = true;
        const auto handed = forwards();
        QVERIFY(handed.first > alone.first);
        QVERIFY(isNear(handed.second - alone.second, handed.first - alone.first));
    }

    void headsThatMissTheMatrixUnitsAreWarnedOf_data()
    {
        QTest::addColumn<qint64>("head_dim");
        QTest::addColumn<bool>("fused");
        QTest::addColumn<bool>("warns");
        QTest::newRow("whole steps of 16 bytes") << qint64{64} << false << false;
        QTest::newRow("86") << qint64{86} << false << true;
        QTest::newRow("86 with fused attention") << qint64{86} << true << false;
    }
    void headsThatMissTheMatrixUnitsAreWarnedOf()
    {
        QFETCH(const qint64, head_dim);
        QFETCH(const bool, fused);
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.model.head_dim = head_dim;
        scenario.training.flash_attention = fused;
        const std::vector<std::string> warnings = predict(scenario).value().warnings;
        QTEST(std::ranges::any_of(warnings,
                                  [](const std::string& warning) { return warning.find("head_dim") == 0; }),
              "warns");
    }

    // Megatron-LM has no stages 2 and 3, DeepSpeed refuses them beside a pipeline; PyTorch reduces what it
    // has summed.
    void reducingEveryMicroBatchOfAPipelineIsWarnedOf()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        const auto warned = [&](std::string_view words) {
            return std::ranges::any_of(predict(scenario).value().warnings, [&](const std::string& warning) {
                return warning.find(words) != std::string::npos;
            });
        };
        scenario.parallel.pipeline = 2;
        scenario.parallel.zero_stage = 3;
        QVERIFY(warned("Megatron-LM's distributed optimizer is stage 1"));
        scenario.conventions.framework = Framework::deepspeed;
        QVERIFY(warned("DeepSpeed runs pipelines only with ZeRO 0 and 1"));
        scenario.conventions.framework = Framework::fsdp;
        QVERIFY(warned("PyTorch's pipelines reduce summed gradients once"));
        scenario.conventions.reduce_each_micro_batch = false;
        QVERIFY(!warned("PyTorch's pipelines") && !warned("DeepSpeed"));
    }

    // Latent attention has heads of its own widths.
    void headDimMeansNothingToLatentAttention()
    {
        Scenario scenario = read(R"({"model": {"preset": "deepseek-v3"}, "cluster": {"preset": "dgx-h100"},
            "training": {"global_batch_size": 512, "micro_batch_size": 1},
            "parallel": {"pipeline": 4, "data": 64, "expert": 64, "schedule": "zb-h1"}})");
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            scenario.training.recompute = recompute;
            scenario.model.head_dim = 128;
            const Prediction wide = predict(scenario).value();
            scenario.model.head_dim = 16;
            const Prediction narrow = predict(scenario).value();
            QCOMPARE(narrow.memory.peak_bytes, wide.memory.peak_bytes);
            QVERIFY(isNear(narrow.time.iteration_s, wide.time.iteration_s));
        }
    }

    // Ring attention never stores the scores; Ulysses does, of its share of the heads.
    void contextParallelismByHeadsStoresScores()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel = layoutOf(1, 1, 4);
        scenario.parallel.context = 2;
        const auto activations = [&](ContextMethod method, bool fused) {
            scenario.parallel.context_method = method;
            scenario.training.flash_attention = fused;
            return predict(scenario).value().memory.stages[0].activations_bytes;
        };
        QVERIFY(activations(ContextMethod::ulysses, false) > 1.5 * activations(ContextMethod::ulysses, true));
        QCOMPARE(activations(ContextMethod::ring, false), activations(ContextMethod::ring, true));
    }

    void micro_batchesInFlightAreThoseOfTheSchedule_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("virtual_stages");
        QTest::addColumn<int>("micro_batches");
        for (const int m : {4, 8, 16}) {
            const auto row = [m](const char* name, Schedule schedule, int v) {
                QTest::addRow("%s, %d", name, m) << static_cast<int>(schedule) << v << m;
            };
            row("gpipe", Schedule::gpipe, 1);
            row("1f1b", Schedule::one_f_one_b, 1);
            row("interleaved", Schedule::interleaved, 2);
            row("interleaved, 3 chunks", Schedule::interleaved, 3);
            row("zb-h1", Schedule::zb_h1, 1);
            row("zb-h2", Schedule::zb_h2, 1);
        }
    }
    void micro_batchesInFlightAreThoseOfTheSchedule()
    {
        QFETCH(int, schedule);
        QFETCH(int, virtual_stages);
        QFETCH(int, micro_batches);
        Scenario scenario;
        scenario.parallel.pipeline = 4;
        scenario.parallel.schedule = static_cast<Schedule>(schedule);
        scenario.parallel.virtual_stages = virtual_stages;
        scenario.training.micro_batch_size = 1;
        scenario.training.global_batch_size = micro_batches;
        for (int stage = 0; stage < 4; ++stage)
            QCOMPARE(chunksInFlight(scenario, stage),
                     mostInFlight({scenario.parallel.schedule, 4, virtual_stages, micro_batches}, stage));
    }

    void aListOfParametersCountsSamples()
    {
        const Scenario scenario = read(R"({"model": {"preset": "resnet50"}, "parallel": {"data": 8},
            "training": {"global_batch_size": 256, "micro_batch_size": 32}})");
        const TimePrediction time = timeOf(scenario);
        QVERIFY(isNear(time.tokens_per_s, 256.0 / time.iteration_s));
    }

    // Every stage is at work, idle, or through for as long as the slowest one takes.
    void theUseOfEveryStageAddsUp()
    {
        const Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        const Prediction prediction = predict(scenario).value();
        const auto pipeline = [](const StageUse& use) {
            return use.forward_s + use.backward_s + use.idle_s();
        };
        const double first = pipeline(prediction.stages[0].use);
        QVERIFY(first > 0.0);
        for (const StagePrediction& stage : prediction.stages)
            QVERIFY(isNear(pipeline(stage.use), first));
    }
};

QTEST_APPLESS_MAIN(TestTimeEffects)
#include "tst_time_effects.moc"
