#include <QTest>

#include "core/analysis/activity.h"
#include "core/analysis/analyze.h"
#include "tests/core/analysis/hand_made_run.h"

using namespace shardscope;

// The parts together, on two ranks made by hand.
class TestAnalyze : public QObject
{
    Q_OBJECT

    // A kernel [0, 100) and an all_reduce that ends at 150, on two streams.
    static TraceFile file(std::int64_t rank, TraceTime call_start)
    {
        TraceBuilder builder;
        const auto compute = builder.addTrack("0", "7", true);
        const auto network = builder.addTrack("0", "24", true);
        builder.addEvent(compute, 0, 100, "gemm", "kernel");
        CollectiveCall call;
        call.event =
            builder.addEvent(network, call_start, 150 - call_start, "ncclDevKernel_AllReduce", "kernel");
        call.name = builder.intern("allreduce");
        call.in_bytes = call.out_bytes = 64;
        call.group = builder.intern("3");
        call.group_description = builder.intern("TENSOR_MODEL_PARALLEL_GROUP");
        call.group_ranks = builder.intern("[0, 1]");
        call.sizes_from = SizesFrom::kernel;
        builder.addCollective(call);
        TraceFile made;
        made.format = "kineto";
        made.rank = rank;
        made.store = builder.finish();
        return made;
    }

private slots:
    void aCallIsExposedWhileNothingIsComputed()
    {
        const Measurement measurement = analyze({{file(0, 80), file(1, 120)}, {}});
        QCOMPARE(measurement.ranks.at(0).collectives.at(0).exposed_ns,
                 std::int64_t{50}); // [100, 150) of [80, 150)
        QCOMPARE(measurement.ranks.at(1).collectives.at(0).exposed_ns, std::int64_t{30});
        QCOMPARE(measurement.ranks.at(0).exposed_communication_ns, std::int64_t{50});
    }

    void callsKnowTheirMatchAndWait()
    {
        const Measurement measurement = analyze({{file(0, 80), file(1, 120)}, {}});
        QCOMPARE(measurement.calls.size(), std::size_t{2});
        QCOMPARE(measurement.calls[0].file, std::size_t{0});
        QCOMPARE(measurement.calls[0].kind, Kind::tp);
        QCOMPARE(measurement.calls[0].wait_ns, std::int64_t{40}); // 70 long, the other 30
        QCOMPARE(measurement.calls[1].wait_ns, std::int64_t{0});
        QCOMPARE(measurement.calls[0].match, 0);
        QCOMPARE(measurement.calls[1].match, 0);
        QCOMPARE(measurement.cross_rank.matched, std::int64_t{1});
    }

    void aRankAloneIsNotMatched()
    {
        const Measurement measurement = analyze({{file(0, 80)}, {}});
        QCOMPARE(measurement.calls.at(0).match, -1);
        QCOMPARE(measurement.calls.at(0).wait_ns, std::int64_t{-1});
        QCOMPARE(measurement.cross_rank.matched, std::int64_t{0});
    }

    void filesOfOneRankAddUp()
    {
        const Measurement measurement = analyze({{file(0, 80), file(0, 120)}, {}});
        QCOMPARE(measurement.ranks.size(), std::size_t{1});
        QCOMPARE(measurement.ranks[0].window_ns, std::int64_t{300});
        QCOMPARE(measurement.ranks[0].gpu_events, std::int64_t{4});
        QCOMPARE(measurement.ranks[0].collectives.at(0).count, std::int64_t{2});
        QCOMPARE(measurement.ranks[0].kernels.at(0).name, std::string{"gemm"});
        QCOMPARE(measurement.ranks[0].kernels.at(0).count, std::int64_t{2});
        QCOMPARE(measurement.notes.size(), std::size_t{1});
    }

    // PyTorch's profiler writes a file for each of its cycles.
    void stepsOfSeveralFilesStandTogether()
    {
        const auto cycle = [](std::int64_t number, TraceTime start) {
            TraceBuilder builder;
            const TrackIndex stream = builder.addTrack("0", "7", true);
            const TrackIndex thread = builder.addTrack("9", "9");
            builder.addEvent(thread, start, 100, "ProfilerStep#" + std::to_string(number), "user_annotation");
            builder.addEvent(stream, start + 10, 50, "gemm", "kernel");
            TraceFile file;
            file.path = std::to_string(number);
            file.rank_is_known = true;
            file.store = builder.finish();
            return file;
        };
        const TraceSet traces{{cycle(12, 900), cycle(2, 100), cycle(2, 5000)}, {}};
        const Measurement measurement = analyze(traces);
        const std::vector<StepMeasurement>& steps = measurement.ranks.at(0).steps;
        QCOMPARE(steps.size(), std::size_t{2}); // of one step twice the first holds
        QCOMPARE(steps[0].number, std::int64_t{2});
        QCOMPARE(steps[0].start_ns, TraceTime{100});
        QCOMPARE(steps[1].number, std::int64_t{12});
        QCOMPARE(steps[1].times.compute_ns, std::int64_t{50});
        AnalysisOptions one_step;
        one_step.step = 2;
        const std::vector<RankActivity> of_step = measureActivity(traces, one_step);
        QCOMPARE(of_step.size(), std::size_t{1});
        QCOMPARE(of_step[0].distribution.window_ns, std::int64_t{50});
    }

    // One all_reduce starts before the first mark.
    void callsOfNoMarkedStepAreCountedApart()
    {
        TraceBuilder builder;
        const TrackIndex stream = builder.addTrack("0", "24", true);
        const TrackIndex thread = builder.addTrack("9", "9");
        builder.addEvent(thread, 100, 100, "ProfilerStep#4", "user_annotation");
        for (const TraceTime start : {50, 110, 150}) {
            CollectiveCall call;
            call.event = builder.addEvent(stream, start, 10, "ncclDevKernel_AllReduce", "kernel");
            call.name = builder.intern("allreduce");
            call.in_bytes = call.out_bytes = 64;
            call.sizes_from = SizesFrom::kernel;
            builder.addCollective(call);
        }
        TraceFile marked;
        marked.store = builder.finish();
        const Measurement measurement = analyze({{marked}, {}});
        const MeasuredCollective& row = measurement.ranks.at(0).collectives.at(0);
        QCOMPARE(row.count, std::int64_t{3});
        QCOMPARE(row.countInSteps(), std::int64_t{2});
    }

    void rejectedFilesAreLeftOut()
    {
        TraceFile rejected;
        rejected.rank = 5;
        rejected.status = FileStatus::rejected;
        const Measurement measurement = analyze({{file(0, 80), rejected}, {}});
        QCOMPARE(measurement.ranks.size(), std::size_t{1});
    }

    // A log's calls stand on no timeline: sizes and counts, no times of the rank.
    void callsWithoutATimelineAreCounted()
    {
        TraceFile dump;
        dump.format = "flight_recorder";
        dump.rank = 2;
        dump.groups = {{"7", "PIPELINE_MODEL_PARALLEL_GROUP", {2, 6, 10}, 3}};
        SizedCall send;
        send.name = "send";
        send.in_bytes = 64;
        send.count = 3;
        send.group = "7";
        send.group_description = "PIPELINE_MODEL_PARALLEL_GROUP";
        send.peer = 6;
        dump.calls = {send};
        dump.store = TraceBuilder{}.finish();
        const Measurement measurement = analyze({{dump}, {}});
        QVERIFY(!measurement.ranks.at(0).has_timeline);
        QCOMPARE(measurement.ranks.at(0).collectives.at(0).count, std::int64_t{3});
        QCOMPARE(measurement.matrix.size(), std::size_t{1});
        QCOMPARE(measurement.matrix[0].kind, Kind::pp);
        QCOMPARE(measurement.matrix[0].receiver, std::int64_t{6});
        QCOMPARE(measurement.matrix[0].bytes, 192.0);
        QVERIFY(measurement.calls.empty());
    }

    // Such a log claims no rank: beside traces it is none of them.
    void logsWithoutTimersAreNoTimelines_data()
    {
        QTest::addColumn<TraceFile>("log");
        TraceFile log;
        log.format = "megatron_log";
        log.store = TraceBuilder{}.finish();
        TraceFile memory = log;
        memory.memory = {{0, 1024, -1}};
        QTest::newRow("memory") << memory;
        TraceFile arguments = log;
        arguments.arguments = {{"hidden_size", "6144"}};
        QTest::newRow("arguments") << arguments;
        TraceFile parameters = log;
        parameters.parameters = {{0, 0, 1'217'086'464}};
        QTest::newRow("counts of parameters") << parameters;
    }
    void logsWithoutTimersAreNoTimelines()
    {
        QFETCH(TraceFile, log);
        QVERIFY(analyze({{log}, {}}).ranks.empty());
    }

    void timersAndSchedulesAreSummed()
    {
        TraceFile log;
        log.format = "megatron_log";
        log.store = TraceBuilder{}.finish();
        log.timers = {{"forward", {0.3, 0.1, 0.2}}, {"optimizer", {1.0, 3.0}}};
        // Two stages, two micro-batches: 8 s in all, each busy for 6.
        std::vector<TraceFile> files{log};
        for (const std::int64_t rank : {0, 1}) {
            TraceFile stage;
            stage.format = "primus";
            stage.rank = rank;
            stage.store = TraceBuilder{}.finish();
            const double late = rank == 0 ? 1.0 : 0.0;
            stage.schedule = {{true, 1, 0.0, 1.0},
                              {true, 1, 1.0, 2.0},
                              {false, 1, 2.0 + late, 4.0 + late},
                              {false, 1, 4.0 + 2 * late, 6.0 + 2 * late}};
            files.push_back(stage);
        }
        const Measurement measurement = analyze({files, {}});
        QVERIFY(measurement.ranks.empty());
        QCOMPARE(measurement.timers.size(), std::size_t{2});
        QCOMPARE(measurement.timers[0].median_s, 0.2);
        QCOMPARE(measurement.timers[1].median_s, 2.0);
        QVERIFY(measurement.bubble.has_value());
        QCOMPARE(measurement.bubble->measured_ratio, 0.25);
        QCOMPARE(measurement.bubble->ideal_ratio, 1.0 / 3.0);
        QCOMPARE(measurement.bubble->iterations, std::int64_t{1});
        QCOMPARE(measurement.bubble->iteration_s, 8.0);
        QCOMPARE(measurement.bubble->ranks.size(), std::size_t{2});
        QCOMPARE(measurement.bubble->ranks[0].busy_s, 6.0);
    }
};

QTEST_APPLESS_MAIN(TestAnalyze)
#include "tst_analyze.moc"
