#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/time/task_order.h"
#include "core/prediction/time/time_model.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/prediction/random_scenario.h"
#include "tests/core/prediction/small_gpt.h"

#include <array>
#include <cmath>

using namespace shardscope;

namespace
{

constexpr std::uint64_t seed = 20260414;
constexpr int scenarios = 1500;
// Rounding alone may make the faster of two machines slower.
constexpr double rounding = 1e-9;

constexpr std::array schedules{Schedule::gpipe,  Schedule::one_f_one_b, Schedule::interleaved,
                               Schedule::zb_h1,  Schedule::zb_h2,       Schedule::zb_v,
                               Schedule::v_half, Schedule::v_min,       Schedule::dualpipe};
constexpr std::array precisions{Precision::fp32, Precision::fp16, Precision::bf16, Precision::fp8};

double seconds(const Scenario& scenario)
{
    return predict(scenario).value().time.iteration_s;
}

bool notSlower(double fast, double slow)
{
    return fast <= slow * (1.0 + rounding);
}

// Schedules that put off weight gradients follow how a backward pass divides, which shifts too.
double tolerance(const Scenario& scenario)
{
    return splitsBackward(scenario.parallel.schedule) ? 1.1 : 1.0;
}

double sumOfParts(const TimePrediction& time)
{
    return time.compute_s + time.tp_s + time.cp_s + time.ep_s + time.pp_s + time.dp_s + time.emb_s + time.mp_s
           + time.bubble_s;
}

// Of the bytes of all buckets, those that are ready when backward is over.
double shareThatEndsThePass(const StagePrediction& stage)
{
    double last = 0.0;
    double all = 0.0;
    for (const GradientBucket& bucket : stage.buckets) {
        const double bytes =
            static_cast<double>(stage.messages[static_cast<std::size_t>(bucket.reduced)].message_bytes);
        all += bytes;
        last += bucket.ready < 1.0 ? 0.0 : bytes;
    }
    return last / all;
}

} // namespace

// The detailed model on every machine, number format and schedule, and in the directions in which nobody
// doubts what must happen.
class TestTimeDetailed : public QObject
{
    Q_OBJECT
private slots:
    // Half of the layers with experts send half as much in all.
    void expertsInEverySecondLayerTakeHalfOfTheirTime()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel.pipeline = 1;
        scenario.parallel.tensor = 1;
        scenario.parallel.data = 8;
        scenario.parallel.expert = 8;
        Experts& experts = scenario.model.experts;
        experts.count = 8;
        experts.ffn_hidden_size = scenario.model.ffn_hidden_size;
        experts.first = 0;
        experts.every = 1;
        const double in_all_s = predict(scenario).value().time.ep_s;
        experts.every = 2;
        const double in_half_s = predict(scenario).value().time.ep_s;
        QVERIFY(in_all_s > 0.0);
        QVERIFY2(std::fabs(in_half_s / in_all_s - 0.5) < 1e-6,
                 qPrintable(QString::number(in_half_s / in_all_s)));
    }

    // Eight replicas share out what is dense; with experts on eight ranks each is held once.
    void theOptimizerStepsEveryExpertThatOnlyThisRankHolds()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel = {};
        scenario.parallel.data = 8;
        scenario.parallel.zero_stage = 1;
        scenario.model.experts = {64, 2, 4096, 1, 0, 0};
        scenario.parallel.expert = 8;
        const StagePrediction alone = predict(scenario).value().stages.front();
        scenario.parallel.expert = 4;
        const StagePrediction twice = predict(scenario).value().stages.front();
        QVERIFY(alone.owned_parameters > alone.parameters / 8);
        // Twice as many experts on a rank, of which two ranks own half each.
        QVERIFY(twice.parameters > alone.parameters);
        QCOMPARE(twice.owned_parameters, alone.owned_parameters);
    }

    // With ranks on one node tokens travel faster than a micro-batch is computed: what stays is the slowing
    // down. DualPipe always has a micro-batch of the other direction at hand.
    void tokensTravelWhileAnotherMicroBatchIsComputed()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel.pipeline = 2;
        scenario.parallel.tensor = 1;
        scenario.parallel.data = 4;
        scenario.parallel.expert = 4;
        scenario.model.experts = {8, 2, 8192, 1, 0, 0};
        const TimePrediction plain = predict(scenario).value().time;
        scenario.conventions.ep_overlap = true;
        const TimePrediction overlapped = predict(scenario).value().time;
        const double contention = scenario.cluster.compute.overlap_contention;
        QVERIFY(plain.ep_s > 0.0 && plain.ep_s < plain.compute_s);
        QVERIFY(std::abs(overlapped.ep_s - contention * plain.ep_s) <= rounding * plain.ep_s);
        const double hidden = overlapped.hidden_communication_s - plain.hidden_communication_s;
        QVERIFY2(std::abs(hidden - (1.0 - contention) * plain.ep_s) <= rounding * plain.ep_s,
                 qPrintable(QString::number(hidden / plain.ep_s)));
        QVERIFY(overlapped.iteration_s < plain.iteration_s);

        scenario.parallel.schedule = Schedule::dualpipe;
        const double with_switch = seconds(scenario);
        scenario.conventions.ep_overlap = false;
        QCOMPARE(seconds(scenario), with_switch);
    }

    void everyMachineGivesPlausibleTimes_data()
    {
        QTest::addColumn<QString>("cluster");
        for (const ClusterPreset& preset : presets().clusters())
            QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
    }
    void everyMachineGivesPlausibleTimes()
    {
        QFETCH(QString, cluster);
        for (const Precision precision : precisions)
            for (const Schedule schedule : schedules) {
                Scenario scenario = smallGpt(presets().cluster(cluster.toStdString())->cluster);
                scenario.training.precision = precision;
                setSchedule(scenario.parallel, schedule);
                const Result<Prediction> prediction = predict(scenario);
                QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
                const TimePrediction& time = prediction.value().time;
                QVERIFY(std::isfinite(time.iteration_s) && time.iteration_s > 0.0);
                QVERIFY(time.mfu > 0.0 && time.mfu <= 1.0);
                QVERIFY(time.hfu > 0.0 && time.hfu <= 1.0);
            }
    }

    void fp8IsNotSlowerThan16BitsAnd32BitsNotFaster()
    {
        for (const ClusterPreset& preset : presets().clusters()) {
            Scenario scenario = smallGpt(preset.cluster);
            scenario.training.precision = Precision::bf16;
            const double half = seconds(scenario);
            scenario.training.precision = Precision::fp8;
            QVERIFY2(notSlower(seconds(scenario), half), preset.name.c_str());
            scenario.training.precision = Precision::fp32;
            QVERIFY2(notSlower(half, seconds(scenario)), preset.name.c_str());
        }
    }

    // k1 and k2 are shares; mu put into Li et al.'s formula (m 6 P b s / (p t μ F)) gives the same compute.
    void computeIsSeenAsThePapersConstants()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        const TimePrediction time = predict(scenario).value().time;
        QVERIFY(time.kernel_share > 0.95 && time.kernel_share <= 1.0);
        QVERIFY(time.transformer_share > 0.8 && time.transformer_share < 1.0);
        scenario.cluster.mu = time.mu;
        scenario.time_model = TimeModel::li;
        const TimePrediction by_formula = predict(scenario).value().time;
        QCOMPARE(by_formula.compute_s, time.compute_s - time.step_s);
        QCOMPARE(by_formula.kernel_share, 0.0);
    }

    // Cheng et al. 2024: starting kernels takes most of a small model's compute time, and none of a large
    // one's.
    void smallModelsWaitForTheProcessor()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.model.hidden_size = 768;
        scenario.model.head_dim = 32;
        scenario.model.ffn_hidden_size = 3072;
        scenario.model.sequence_length = 128;
        scenario.training.micro_batch_size = 1;
        QVERIFY(predict(scenario).value().time.kernel_share < 0.2);
        scenario.cluster.compute.dispatch_us = 0.0;
        QCOMPARE(predict(scenario).value().time.kernel_share, 1.0);
    }

    void moreWorkTakesLonger()
    {
        forEachScenario([](const Scenario& scenario, double before) {
            Scenario more = scenario;
            more.model.layers *= 2;
            for (std::int64_t& layers : more.parallel.stage_layers)
                layers *= 2;
            if (more.parallel.stage_balance != StageBalance::layers || !validate(more).empty())
                return;
            QVERIFY(seconds(more) > before);
            more = scenario;
            more.training.global_batch_size *= 2;
            // With one micro-batch ZeRO 2 and 3 reduce gradients in its pass whatever they do with several.
            const bool is_alike = scenario.microBatches() > 1 || scenario.parallel.zero_stage < 2
                                  || scenario.conventions.reduce_each_micro_batch;
            if (is_alike && validate(more).empty())
                QVERIFY(seconds(more) > before);
        });
    }

    void recomputingTakesLonger()
    {
        forEachScenario([](const Scenario& scenario, double) {
            const auto taken = [scenario](Recompute recompute, std::int64_t layers) {
                Scenario other = scenario;
                other.training.recompute = recompute;
                other.training.recompute_layers = layers;
                return seconds(other);
            };
            const double most = tolerance(scenario);
            const double none = taken(Recompute::none, 0);
            const double full = taken(Recompute::full, 0);
            QVERIFY(notSlower(none, most * taken(Recompute::selective, 0)));
            QVERIFY(notSlower(taken(Recompute::selective, 0), most * full));
            QVERIFY(notSlower(none, most * taken(Recompute::full, 1)));
            QVERIFY(notSlower(taken(Recompute::full, 1), most * taken(Recompute::full, 2)));
            QVERIFY(notSlower(taken(Recompute::full, 2), most * full));
            const std::int64_t all = scenario.model.layers + scenario.model.encoder_layers;
            if (scenario.model.mtp_layers == 0) // whose modules are among all layers alone
                QCOMPARE(taken(Recompute::full, all), full);
        });
    }

    void fasterMachinesAreNotSlower_data()
    {
        QTest::addColumn<int>("part");
        QTest::newRow("links inside a node") << 0;
        QTest::newRow("links between nodes") << 1;
        QTest::newRow("latency") << 2;
        QTest::newRow("peak") << 3;
        QTest::newRow("memory") << 4;
        QTest::newRow("dispatch") << 5;
    }
    void fasterMachinesAreNotSlower()
    {
        QFETCH(int, part);
        forEachScenario([part](const Scenario& scenario, double before) {
            Scenario faster = scenario;
            Cluster& cluster = faster.cluster;
            switch (part) {
            case 0:
                cluster.intra_node.bandwidth_GBps *= 2.0;
                break;
            case 1:
                cluster.inter_node.bandwidth_GBps *= 2.0;
                break;
            case 2:
                cluster.intra_node.latency_us *= 0.5;
                cluster.inter_node.latency_us *= 0.5;
                cluster.collectives.ring_step_us *= 0.5;
                break;
            case 3:
                cluster.peak_tflops *= 2.0;
                break;
            case 4:
                cluster.memory_bandwidth_GBps *= 2.0;
                break;
            default:
                cluster.compute.dispatch_us *= 0.5;
            }
            QVERIFY(notSlower(seconds(faster), tolerance(scenario) * before));
        });
    }

    void overlapIsNotSlower()
    {
        forEachScenario([](const Scenario& scenario, double) {
            Scenario other = scenario;
            other.conventions.tp_overlap = false;
            const double plain = seconds(other);
            other.conventions.tp_overlap = true;
            QVERIFY(notSlower(seconds(other), tolerance(scenario) * plain));
            const double with_tensor = seconds(other);
            other.conventions.ep_overlap = true;
            QVERIFY(notSlower(seconds(other), tolerance(scenario) * with_tensor));
        });
    }

    // What travels while a stage works is hidden, and the rest stands in dp_s: never more than without
    // overlap.
    void overlappedGradientsCostWhatDoesNotFit()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel.pipeline = 1;
        scenario.parallel.data = 8;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1 << 26;
        scenario.conventions.report_loss = false; // losses are in sight
        scenario.conventions.dp_overlap = false;
        const TimePrediction plain = predict(scenario).value().time;
        scenario.conventions.dp_overlap = true;
        const TimePrediction overlapped = predict(scenario).value().time;
        // Of the others a share slows the pass down.
        const double last = shareThatEndsThePass(predict(scenario).value().stages.front());
        const double exposed = last + (1.0 - last) * scenario.cluster.compute.dp_overlap_exposed;
        QVERIFY(last > 0.0 && last < 0.5);
        QVERIFY2(std::abs(overlapped.dp_s / plain.dp_s - exposed) < 0.01,
                 qPrintable(QStringLiteral("%1 %2").arg(overlapped.dp_s / plain.dp_s).arg(exposed)));
        QVERIFY(std::abs(plain.iteration_s - overlapped.iteration_s - (plain.dp_s - overlapped.dp_s))
                <= rounding * plain.iteration_s);
        // Links so slow that the backward pass is over first.
        scenario.cluster.intra_node.bandwidth_GBps *= 1e-3;
        scenario.cluster.inter_node.bandwidth_GBps *= 1e-3;
        scenario.parallel.tensor = 1;
        scenario.parallel.data = 16;
        const TimePrediction slow = predict(scenario).value().time;
        scenario.conventions.dp_overlap = false;
        const TimePrediction alone = predict(scenario).value().time;
        QVERIFY(slow.dp_s > 0.9 * alone.dp_s && slow.dp_s < alone.dp_s);
    }

    // Whatever gradients do.
    void interleavedStagesWaitForTheirMessagesUnlessTheyOverlap()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel.virtual_stages = 2;
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.conventions.dp_overlap = true;
        const double waiting_s = predict(scenario).value().time.iteration_s;
        scenario.conventions.pp_overlap = true;
        const double working_on_s = predict(scenario).value().time.iteration_s;
        QVERIFY(working_on_s < waiting_s);
        scenario.parallel.virtual_stages = 1;
        scenario.parallel.schedule = Schedule::one_f_one_b;
        const double plain_s = predict(scenario).value().time.iteration_s;
        scenario.conventions.pp_overlap = false;
        QCOMPARE(predict(scenario).value().time.iteration_s, plain_s);
    }

    void partsOfTheSlowestStageAddUp()
    {
        forEachScenario([](const Scenario& scenario, double iteration) {
            const TimePrediction time = predict(scenario).value().time;
            QVERIFY(sumOfParts(time) <= iteration * (1.0 + 1e-6));
            QVERIFY(time.exposed_communication_s <= iteration * (1.0 + 1e-6));
            if (scenario.parallel.pipeline == 1)
                QVERIFY(std::abs(sumOfParts(time) - iteration) <= 1e-6 * iteration);
        });
    }

private:
    template<class Check>
    static void forEachScenario(Check check)
    {
        test::RandomScenarios random{seed};
        const std::vector<ClusterPreset>& clusters = presets().clusters();
        for (int i = 0; i < scenarios && !QTest::currentTestFailed(); ++i) {
            Scenario scenario = random.next();
            scenario.time_model = TimeModel::detailed;
            scenario.cluster = clusters[static_cast<std::size_t>(i) % clusters.size()].cluster;
            if (!validate(scenario).empty())
                continue;
            check(scenario, seconds(scenario));
            if (QTest::currentTestFailed())
                qWarning("failed at scenario %d, cluster %s, schedule %d, (p, t, d) = (%d, %d, %d)", i,
                         scenario.cluster.preset.c_str(), static_cast<int>(scenario.parallel.schedule),
                         static_cast<int>(scenario.parallel.pipeline),
                         static_cast<int>(scenario.parallel.tensor),
                         static_cast<int>(scenario.parallel.data));
        }
    }
};

QTEST_APPLESS_MAIN(TestTimeDetailed)
#include "tst_time_detailed.moc"
