#include <QTest>

#include "core/analysis/activity.h"
#include "core/analysis/gpu_time/breakdown.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

namespace
{

// A host thread, two streams, and kernels with their launches; times in nanoseconds from the start.
struct HandMadeRank {
    TraceBuilder builder;
    TrackIndex host = builder.addTrack("1", "1");
    TrackIndex compute = builder.addTrack("0", "7", true);
    TrackIndex network = builder.addTrack("0", "24", true);

    void launch(TraceTime call, TraceTime call_ns, TrackIndex stream, TraceTime start, TraceTime duration,
                std::string_view name, std::string_view category = "kernel")
    {
        const EventIndex gpu = builder.addEvent(stream, start, duration, name, category);
        builder.addLaunch({gpu, builder.addEvent(host, call, call_ns, "cudaLaunchKernel", "cuda_runtime")});
    }

    TraceSet set()
    {
        TraceFile file;
        file.rank = 3;
        file.store = builder.finish();
        return {{file}};
    }
};

// The host is late before the second kernel, one launch after another takes 2 us before the third, the fourth
// waits for the other stream.
HandMadeRank fourGaps()
{
    HandMadeRank rank;
    rank.launch(1'000, 500, rank.compute, 10'000, 40'000, "gemm");
    rank.launch(60'000, 4'000, rank.compute, 70'000, 10'000, "gemm");
    rank.launch(65'000, 1'000, rank.compute, 82'000, 18'000, "softmax");
    rank.launch(66'000, 1'000, rank.network, 100'000, 50'000, "ncclDevKernel_AllReduce_Sum");
    rank.launch(67'000, 1'000, rank.compute, 150'000, 10'000, "gemm");
    return rank;
}

} // namespace

class TestActivity : public QObject
{
    Q_OBJECT

private slots:
    void idleTimeHasItsCause()
    {
        const RankActivity rank = measureActivity(fourGaps().set()).front();
        QCOMPARE(rank.rank, std::int64_t{3});
        // Over both streams: [50,70) us, the host; [80,82) us, the launch. The all_reduce fills the rest.
        QCOMPARE(rank.idle.host_wait_ns, std::int64_t{20'000});
        QCOMPARE(rank.idle.kernel_wait_ns, std::int64_t{2'000});
        QCOMPARE(rank.idle.other_ns, std::int64_t{0});
        QCOMPARE(rank.streams.size(), std::size_t{2});
        // The stream alone waits 50 us more for the other one.
        QCOMPARE(rank.streams[0].stream, std::string{"7"});
        QCOMPARE(rank.streams[0].idle.host_wait_ns, std::int64_t{20'000});
        QCOMPARE(rank.streams[0].idle.kernel_wait_ns, std::int64_t{2'000});
        QCOMPARE(rank.streams[0].idle.other_ns, std::int64_t{50'000});
        QCOMPARE(rank.streams[0].busy_ns, std::int64_t{78'000});
        QCOMPARE(rank.streams[1].idle.total_ns(), std::int64_t{0});
    }

    // Launches at 1, 60, 65, 67; starts at 10, 70, 82, 150: lengths 1 0 1 2 3 2 1 0 at 1 10 60 65 67 70 82
    // 150.
    void queueLengthCountsWhatHasNotStarted()
    {
        const QueueLength queue = measureActivity(fourGaps().set()).front().streams[0].queue;
        QCOMPARE(queue.points, std::int64_t{8});
        QCOMPARE(queue.mean, 10.0 / 8.0);
        QCOMPARE(queue.max, std::int64_t{3});
        QCOMPARE(queue.median, std::int64_t{1});
        // 9 * 1 + 50 * 0 + 5 * 1 + 2 * 2 + 3 * 3 + 12 * 2 + 68 * 1 over 149 us
        QCOMPARE(queue.mean_of_time, 119.0 / 149.0);
    }

    void launchesTellTheirDelay()
    {
        const std::vector<LaunchFigures> launches = measureActivity(fourGaps().set()).front().launches;
        QCOMPARE(launches.size(), std::size_t{1});
        QCOMPARE(launches[0].call, std::string{"cudaLaunchKernel"});
        QCOMPARE(launches[0].count, std::int64_t{5});
        QCOMPARE(launches[0].call_ns, std::int64_t{7'500});
        QCOMPARE(launches[0].gpu_ns, std::int64_t{128'000});
        // 8.5 + 6 + 16 + 33 + 82 us
        QCOMPARE(launches[0].delay_ns, std::int64_t{145'500});
        QCOMPARE(launches[0].delay_median_ns, std::int64_t{16'000});
        QCOMPARE(launches[0].delay_max_ns, std::int64_t{82'000});
        QCOMPARE(launches[0].short_count, std::int64_t{0});
    }

    void aGpuFasterThanItsCallHasNoNegativeDelay()
    {
        HandMadeRank rank;
        rank.launch(0, 9'000, rank.compute, 5'000, 2'000, "gemm");
        const LaunchFigures launch = measureActivity(rank.set()).front().launches.front();
        QCOMPARE(launch.delay_ns, std::int64_t{0});
        QCOMPARE(launch.short_count, std::int64_t{1});
    }

    void copiesTellTheirBandwidth()
    {
        HandMadeRank rank;
        const auto move = [&](TraceTime start, std::string_view name, std::int64_t bytes, double told) {
            rank.builder.addMemoryMove(
                {rank.builder.addEvent(rank.compute, start, 1'000, name, "gpu_memcpy"), bytes, told});
        };
        move(0, "Memcpy HtoD (Pageable -> Device)", 4'000, -1.0);
        move(2'000, "Memcpy HtoD (Pinned -> Device)", 12'000, -1.0);
        move(4'000, "Memcpy HtoD (Pinned -> Device)", 20'000, 25.0); // the file knows the time better
        move(6'000, "Memcpy DtoH (Device -> Pinned)", -1, -1.0);     // nothing is told
        const std::vector<MemoryMoveRow> moves = measureActivity(rank.set()).front().memory_moves;
        QCOMPARE(moves.size(), std::size_t{1});
        QCOMPARE(moves[0].name, std::string{"Memcpy HtoD"});
        QCOMPARE(moves[0].count, std::int64_t{3});
        QCOMPARE(moves[0].bytes, std::int64_t{36'000});
        QCOMPARE(moves[0].time_ns, std::int64_t{3'000});
        QCOMPARE(moves[0].min_GBps, 4.0);
        QCOMPARE(moves[0].median_GBps, 12.0);
        QCOMPARE(moves[0].max_GBps, 25.0);
        QCOMPARE(moves[0].mean_GBps, 41.0 / 3.0);
    }

    // The GPU works in [10,50), [70,80), [82,150) + [150,160) us of the window [10,160) us; of the idle 22 us
    // the first operator covers [50,58), the second [60,70) and [80,82).
    void dispatchIsSplitByOperators()
    {
        HandMadeRank rank = fourGaps();
        rank.builder.addEvent(rank.host, 0, 58'000, "aten::linear", "cpu_op");
        rank.builder.addEvent(rank.host, 500, 2'000, "aten::addmm", "cpu_op");
        rank.builder.addEvent(rank.host, 60'000, 30'000, "aten::softmax", "cpu_op");
        rank.builder.addEvent(rank.host, 0, 200'000, "ProfilerStep#7", "Operator"); // as in 2021: a mark
        const RankActivity activity = measureActivity(rank.set()).front();
        const TimeDistribution& times = activity.distribution;
        QCOMPARE(times.window_ns, std::int64_t{150'000});
        QCOMPARE(times.communication_ns, std::int64_t{50'000});
        QCOMPARE(times.kernel_ns, std::int64_t{78'000});
        QCOMPARE(times.memory_ns, std::int64_t{0});
        QCOMPARE(times.intra_operator_ns, std::int64_t{20'000});
        QCOMPARE(times.inter_operator_ns, std::int64_t{2'000});
        QCOMPARE(times.kernelShare(), 0.78);

        QCOMPARE(activity.operators.size(), std::size_t{3});
        const OperatorRow& linear = activity.operators[0];
        QCOMPARE(linear.name, std::string{"aten::linear"});
        QCOMPARE(linear.total_ns, std::int64_t{58'000});
        QCOMPARE(linear.self_ns, std::int64_t{56'000});
        QCOMPARE(linear.gpu_idle_ns, std::int64_t{8'000});
        QCOMPARE(linear.launches, std::int64_t{0});
        const OperatorRow& softmax = activity.operators[1];
        QCOMPARE(softmax.launches, std::int64_t{4});
        QCOMPARE(softmax.gpu_ns, std::int64_t{88'000});
        QCOMPARE(softmax.gpu_idle_ns, std::int64_t{12'000});
        const OperatorRow& addmm = activity.operators[2];
        QCOMPARE(addmm.launches, std::int64_t{1});
        QCOMPARE(addmm.gpu_ns, std::int64_t{40'000});
        QCOMPARE(addmm.gpu_idle_ns, std::int64_t{0});
    }

    void anOperatorWithinItselfCountsOnce()
    {
        HandMadeRank rank;
        rank.launch(1'000, 10, rank.compute, 50'000, 10, "gemm");
        rank.builder.addEvent(rank.host, 0, 10'000, "checkpoint", "cpu_op");
        rank.builder.addEvent(rank.host, 2'000, 5'000, "checkpoint", "cpu_op");
        const OperatorRow row = measureActivity(rank.set()).front().operators.front();
        QCOMPARE(row.calls, std::int64_t{2});
        QCOMPARE(row.total_ns, std::int64_t{10'000});
        QCOMPARE(row.self_ns, std::int64_t{10'000});
    }

    void eventsBelongToTheStepThatLaunchedThem()
    {
        HandMadeRank rank;
        rank.builder.addEvent(rank.host, 0, 100, "ProfilerStep#4", "user_annotation");
        rank.builder.addEvent(rank.host, 100, 100, "ProfilerStep#5", "user_annotation");
        rank.builder.addEvent(rank.network, 0, 900, "ProfilerStep#4", "gpu_user_annotation");
        rank.launch(10, 1, rank.compute, 20, 30, "gemm");
        rank.launch(99, 1, rank.compute, 120, 30, "gemm");              // runs in step 5, belongs to 4
        rank.launch(100, 1, rank.compute, 160, 30, "gemm");             // starts as step 5 does
        rank.launch(200, 1, rank.compute, 210, 30, "gemm");             // after the last
        rank.builder.addEvent(rank.compute, 250, 10, "gemm", "kernel"); // of an unknown launch
        const TraceSet set = rank.set();
        const auto& store = *set.files.front().store;
        QCOMPARE(profilerSteps(store), (std::vector<ProfilerStep>{{4, 0, 100}, {5, 100, 200}}));
        QCOMPARE(stepNumbers(set), (std::vector<std::int64_t>{4, 5}));

        const Measurement whole = analyze(set);
        const std::vector<StepMeasurement>& steps = whole.ranks.front().steps;
        QCOMPARE(whole.ranks.front().gpu_events, std::int64_t{5});
        QCOMPARE(steps.size(), std::size_t{2});
        QCOMPARE(steps[0].times.window_ns, std::int64_t{130});
        QCOMPARE(steps[0].times.compute_ns, std::int64_t{60});
        QCOMPARE(steps[0].times.gpu_events, std::int64_t{2});
        QCOMPARE(steps[1].times.window_ns, std::int64_t{30});

        AnalysisOptions options;
        options.step = 4;
        const RankMeasurement chosen = analyze(set, options).ranks.front();
        QCOMPARE(chosen.window_ns, std::int64_t{130});
        QCOMPARE(chosen.gpu_events, std::int64_t{2});
        QCOMPARE(measureActivity(set, options).front().idle.total_ns(), std::int64_t{70});
    }

    void aTraceWithoutGpuHasNoActivity()
    {
        TraceFile file;
        TraceBuilder builder;
        builder.addEvent(builder.addTrack("1", "1"), 0, 10, "aten::mm", "cpu_op");
        file.store = builder.finish();
        QVERIFY(measureActivity({{file}}).empty());
        QVERIFY(profilerSteps(*file.store).empty());
    }
};

QTEST_APPLESS_MAIN(TestActivity)
#include "tst_activity.moc"
