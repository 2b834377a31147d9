#include <QTest>

#include "core/prediction/predict.h"
#include "small_gpt.h"
#include "tests/core/near.h"

using namespace shardscope;

namespace
{

TimePrediction timeOf(const Scenario& scenario)
{
    return predict(scenario).value().time;
}

// Without pipeline, tensor or data parallelism, each kernel dispatched in a microsecond.
Scenario gpt3(std::int64_t layers, std::int64_t micro_batches)
{
    Scenario scenario;
    scenario.model = presets().model("gpt3-175b")->model;
    scenario.model.layers = layers;
    scenario.training.global_batch_size = micro_batches;
    scenario.training.micro_batch_size = 1;
    scenario.cluster.compute.dispatch_us = 1.0;
    return scenario;
}

} // namespace

// What kernels that are started one by one cost (CUDA_LAUNCH_BLOCKING=1).
class TestLaunchBlocking : public QObject
{
    Q_OBJECT
private slots:
    // Large kernels hide the processor's work, unless it waits for each: then all of it adds up, that of six
    // layers forward, recomputed and backward for each of 8 micro-batches.
    void kernelsStartedOneByOneTakeTheirDispatchBesides()
    {
        Scenario scenario = gpt3(6, 8);
        scenario.training.recompute = Recompute::full;
        const TimePrediction queued = timeOf(scenario);
        scenario.cluster.launch_blocking = true;
        const TimePrediction blocking = timeOf(scenario);
        constexpr double kernels_of_layer = 40.0 + 60.0 + 36.0;
        QVERIFY(isNear(blocking.iteration_s - queued.iteration_s, 8 * 6 * kernels_of_layer * 1e-6));
        QVERIFY(isNear(blocking.compute_s - queued.compute_s, 8 * 6 * kernels_of_layer * 1e-6));
        QVERIFY(blocking.kernel_share < queued.kernel_share);
    }

    // Megatron-LM waits for the ends' kernels in any case, FSDP only then: 50 of them in either pass.
    void theEndsStartOneByOneToo()
    {
        Scenario scenario = gpt3(1, 1);
        scenario.conventions.framework = Framework::fsdp;
        const double queued_s = timeOf(scenario).compute_s;
        scenario.cluster.launch_blocking = true;
        constexpr double kernels = 40.0 + 36.0 + 2.0 * 50.0;
        QVERIFY(isNear(timeOf(scenario).compute_s - queued_s, kernels * 1e-6));
    }

    // Attention hides no messages of a ring, nor backward passes gradients.
    void nothingTravelsBesideKernelsStartedOneByOne()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.parallel = Parallel{};
        scenario.parallel.context = 2;
        scenario.parallel.data = 2;
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1 << 26;
        scenario.cluster.compute.dispatch_us = 0.0;
        const TimePrediction queued = timeOf(scenario);
        scenario.cluster.launch_blocking = true;
        const TimePrediction blocking = timeOf(scenario);
        QVERIFY(queued.hidden_communication_s > 0.0);
        QVERIFY(blocking.hidden_communication_s < 1e-9 * blocking.iteration_s);
        QVERIFY(blocking.cp_s > queued.cp_s && blocking.dp_s > queued.dp_s);
        const std::vector<std::string> warnings = predict(scenario).value().warnings;
        QVERIFY(std::ranges::any_of(
            warnings, [](const std::string& one) { return one.starts_with("launch_blocking starts"); }));
    }

    // The stages of zero-bubble schedules wait for their messages, those of 1F1B do in any case.
    void stagesWaitForTheirMessages()
    {
        Scenario scenario = smallGpt(presets().cluster("dgx-a100")->cluster);
        scenario.cluster.compute.dispatch_us = 0.0;
        const auto more_s = [&](Schedule schedule) {
            scenario.parallel.schedule = schedule;
            scenario.cluster.launch_blocking = false;
            const double queued_s = timeOf(scenario).pp_s;
            scenario.cluster.launch_blocking = true;
            return timeOf(scenario).pp_s - queued_s;
        };
        QVERIFY(more_s(Schedule::zb_h1) > 0.0);
        QCOMPARE(more_s(Schedule::one_f_one_b), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestLaunchBlocking)
#include "tst_launch_blocking.moc"
