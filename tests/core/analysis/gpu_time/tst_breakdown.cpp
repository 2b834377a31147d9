#include <QTest>

#include "core/analysis/gpu_time/breakdown.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

class TestBreakdown : public QObject
{
    Q_OBJECT

    static RankMeasurement measured(TraceBuilder& builder)
    {
        const auto store = builder.finish();
        RankMeasurement rank;
        const EventClasses classes{*store, ClassificationRules::shipped()};
        addBreakdown(busyTimes(*store, classes), rank);
        return rank;
    }

private slots:
    void touchingIntervalsMerge()
    {
        const IntervalUnion merged{{{30, 40}, {0, 10}, {10, 20}, {35, 50}, {60, 60}}};
        QCOMPARE(merged.spans().size(), std::size_t{3});
        QCOMPARE(merged.length_ns(), std::int64_t{40});
        QCOMPARE(merged.covered_ns(5, 45), std::int64_t{30});
        QCOMPARE(merged.covered_ns(21, 29), std::int64_t{0});
    }

    void overlapIsWhatBothCover()
    {
        const IntervalUnion a{{{0, 10}, {20, 30}, {40, 50}}};
        const IntervalUnion b{{{5, 25}, {45, 60}}};
        QCOMPARE(IntervalUnion::overlap_ns(a, b), std::int64_t{15});
        QCOMPARE(IntervalUnion::both(a, b).length_ns(), std::int64_t{50});
        QCOMPARE(IntervalUnion::overlap_ns(a, IntervalUnion{}), std::int64_t{0});
    }

    // compute [0,100) and [250,350), communication [200,300), a copy [90,120): busy 120 + 150, overlap 50.
    void aHandWorkedTimeline()
    {
        TraceBuilder builder;
        const auto compute = builder.addTrack("0", "7", true);
        const auto network = builder.addTrack("0", "24", true);
        builder.addEvent(compute, 1000, 100, "gemm", "kernel");
        builder.addEvent(compute, 1250, 100, "gemm", "kernel");
        builder.addEvent(compute, 1090, 30, "Memcpy DtoD", "gpu_memcpy");
        builder.addEvent(network, 1200, 100, "ncclDevKernel_AllReduce", "kernel");
        const auto host = builder.addTrack("1", "1");
        builder.addEvent(host, 0, 5000, "aten::mm", "cpu_op"); // the host does not count
        const RankMeasurement rank = measured(builder);
        QCOMPARE(rank.window_ns, std::int64_t{350});
        QCOMPARE(rank.busy_ns, std::int64_t{270});
        QCOMPARE(rank.idle_ns, std::int64_t{80});
        QCOMPARE(rank.compute_ns, std::int64_t{200});
        QCOMPARE(rank.communication_ns, std::int64_t{100});
        QCOMPARE(rank.memory_ns, std::int64_t{30});
        QCOMPARE(rank.non_compute_ns, std::int64_t{70});
        QCOMPARE(rank.overlap_ns, std::int64_t{50});
        QCOMPARE(rank.exposed_communication_ns, std::int64_t{50});
        QCOMPARE(rank.gpu_events, std::int64_t{4});
        QCOMPARE(rank.compute_count, std::int64_t{2});
        QCOMPARE(rank.communication_count, std::int64_t{1});
        QCOMPARE(rank.memory_count, std::int64_t{1});
    }

    // One call of a collective launched two kernels: the second copies from the flat buffer.
    void whatACollectiveLaunchesBesideItIsCompute()
    {
        TraceBuilder builder;
        const auto stream = builder.addTrack("0", "20", true);
        CollectiveCall call;
        call.sizes_from = SizesFrom::record_param_comms;
        call.is_of_launch = true;
        call.event = builder.addEvent(stream, 200, 100, "ncclKernel_AllGather_RING_LL_Sum_int8_t", "kernel");
        builder.addCollective(call);
        call.event = builder.addEvent(stream, 310, 50, "elementwise_kernel", "kernel");
        builder.addCollective(call);
        call.is_of_launch = false; // its own arguments name a collective
        call.event = builder.addEvent(stream, 400, 30, "my_fast_reduction", "kernel");
        builder.addCollective(call);
        const RankMeasurement rank = measured(builder);
        QCOMPARE(rank.communication_ns, std::int64_t{130});
        QCOMPARE(rank.compute_ns, std::int64_t{50});
        QCOMPARE(rank.communication_count, std::int64_t{2});
    }

    void eventsWithoutLengthStretchTheWindow()
    {
        TraceBuilder builder;
        const auto stream = builder.addTrack("0", "7", true);
        builder.addEvent(stream, 0, 0, "start", "kernel");
        builder.addEvent(stream, 50, 10, "gemm", "kernel");
        const RankMeasurement rank = measured(builder);
        QCOMPARE(rank.window_ns, std::int64_t{60});
        QCOMPARE(rank.busy_ns, std::int64_t{10});
        QCOMPARE(rank.gpu_events, std::int64_t{2});
    }

    void aCpuTraceIsMeasuredOverItsOwnEvents()
    {
        TraceBuilder builder;
        const auto main_thread = builder.addTrack("9", "1");
        const auto gloo = builder.addTrack("9", "4");
        builder.addEvent(main_thread, 0, 1000, "ProfilerStep#1", "user_annotation");
        builder.addEvent(main_thread, 100, 50, "aten::mm", "cpu_op");
        builder.addEvent(gloo, 140, 60, "gloo:all_reduce", "user_annotation");
        const RankMeasurement rank = measured(builder);
        QCOMPARE(rank.window_ns, std::int64_t{100});
        QCOMPARE(rank.compute_ns, std::int64_t{50});
        QCOMPARE(rank.communication_ns, std::int64_t{60});
        QCOMPARE(rank.overlap_ns, std::int64_t{10});
        QCOMPARE(rank.gpu_events, std::int64_t{0});
    }

    void nothingCountedIsZero()
    {
        TraceBuilder builder;
        const RankMeasurement rank = measured(builder);
        QCOMPARE(rank.window_ns, std::int64_t{0});
        QCOMPARE(rank.idle_ns, std::int64_t{0});
    }
};

QTEST_APPLESS_MAIN(TestBreakdown)
#include "tst_breakdown.moc"
