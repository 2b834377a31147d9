#include <QtTest>

#include "core/trace/trace_builder.h"

#include <string>
#include <vector>

using namespace shardscope;

namespace
{

struct Drawn {
    TraceTime start;
    TraceTime duration;
};

// The depths of these events on one track, in the order of the store.
std::vector<int> depthsOf(const std::vector<Drawn>& events)
{
    TraceBuilder builder;
    const TrackIndex track = builder.addTrack("0", "7");
    for (const Drawn& event : events)
        builder.addEvent(track, event.start, event.duration, "e", "");
    const auto store = builder.finish();
    return {store->depths().begin(), store->depths().end()};
}

} // namespace

class TestTraceBuilder : public QObject
{
    Q_OBJECT

private slots:
    void anEmptyStoreHasNoTimes();
    void eventsAreGroupedByTrackAndSortedByStart();
    void tracksAreSortedByOrderThenNaturally();
    void tracksWithoutEventsAreLeftOut();
    void callsFollowTheirEvents();
    void theLastCallOfAnEventCounts();
    void launchesAndCopiesFollowTheirEvents();
    void rowsWithinATrack_data();
    void rowsWithinATrack();
    void thousandsOfOverlapsKeepTheirEvents();
};

void TestTraceBuilder::anEmptyStoreHasNoTimes()
{
    TraceBuilder builder;
    builder.addTrack("0", "7");
    const auto store = builder.finish();
    QCOMPARE(store->size(), std::size_t{0});
    QCOMPARE(store->tracks().size(), std::size_t{0});
    QCOMPARE(store->firstStart(), TraceTime{0});
    QCOMPARE(store->lastEnd(), TraceTime{0});
}

void TestTraceBuilder::eventsAreGroupedByTrackAndSortedByStart()
{
    TraceBuilder builder;
    const TrackIndex two = builder.addTrack("0", "2");
    const TrackIndex one = builder.addTrack("0", "1");
    builder.addEvent(two, 50, 5, "d", "kernel");
    builder.addEvent(one, 30, 1, "b", "kernel");
    builder.addEvent(two, 40, 5, "c", "gpu_memcpy");
    builder.addEvent(one, -10, 1, "a", "kernel");
    const auto store = builder.finish();
    QCOMPARE(store->size(), std::size_t{4});
    std::string names;
    for (std::uint32_t i = 0; i < 4; ++i)
        names += store->name(EventIndex{i});
    QCOMPARE(names, std::string("abcd"));
    QCOMPARE(std::string(store->category(EventIndex{2})), std::string("gpu_memcpy"));
    QCOMPARE(store->tracks()[0].tid, std::string("1"));
    QCOMPARE(store->tracks()[1].first, EventIndex{2});
    QCOMPARE(store->tracks()[1].count, 2U);
    QVERIFY(store->track(EventIndex{1}) == TrackIndex{0});
    QVERIFY(store->track(EventIndex{2}) == TrackIndex{1});
    QCOMPARE(store->firstStart(), TraceTime{-10});
    QCOMPARE(store->lastEnd(), TraceTime{55});
    QCOMPARE(store->sourceOffset(EventIndex{0}), std::int64_t{-1});
}

void TestTraceBuilder::tracksAreSortedByOrderThenNaturally()
{
    TraceBuilder builder;
    Track gpu;
    gpu.pid = "0";
    gpu.tid = "7";
    gpu.process_order = 5000000;
    for (const TrackIndex track :
         {builder.addTrack(gpu), builder.addTrack("9", "10"), builder.addTrack("9", "9")})
        builder.addEvent(track, 0, 1, "e", "");
    const auto store = builder.finish();
    std::string order;
    for (const Track& track : store->tracks())
        order += track.pid + ":" + track.tid + " ";
    QCOMPARE(order, std::string("9:9 9:10 0:7 "));
}

void TestTraceBuilder::tracksWithoutEventsAreLeftOut()
{
    TraceBuilder builder;
    builder.addTrack("0", "1");
    builder.addEvent(builder.addTrack("0", "2"), 0, 1, "e", "");
    const auto store = builder.finish();
    QCOMPARE(store->tracks().size(), std::size_t{1});
    QCOMPARE(store->tracks()[0].tid, std::string("2"));
}

void TestTraceBuilder::callsFollowTheirEvents()
{
    TraceBuilder builder;
    const TrackIndex two = builder.addTrack("0", "2");
    const TrackIndex one = builder.addTrack("0", "1");
    const auto addSized = [&](TrackIndex track, TraceTime start, std::int64_t bytes) {
        CollectiveCall call;
        call.event = builder.addEvent(track, start, 5, "nccl", "kernel");
        call.in_bytes = bytes;
        builder.addCollective(call);
    };
    addSized(two, 200, 200);
    addSized(one, 90, 90);
    builder.addEvent(two, 150, 5, "gemm", "kernel");
    addSized(two, 100, 100);
    addSized(one, 10, 10);
    const auto store = builder.finish();
    QCOMPARE(store->collectives().size(), std::size_t{4});
    for (const CollectiveCall& call : store->collectives())
        QCOMPARE(call.in_bytes, store->start(call.event));
    QVERIFY(store->collective(EventIndex{3}) == nullptr); // gemm
    QCOMPARE(store->collective(EventIndex{4})->in_bytes, std::int64_t{200});
}

void TestTraceBuilder::theLastCallOfAnEventCounts()
{
    TraceBuilder builder;
    CollectiveCall call;
    call.event = builder.addEvent(builder.addTrack("0", "1"), 0, 1, "nccl", "kernel");
    builder.addCollective(call);
    call.in_bytes = 4;
    builder.addCollective(call);
    const auto store = builder.finish();
    QCOMPARE(store->collectives().size(), std::size_t{1});
    QCOMPARE(store->collectives()[0].in_bytes, std::int64_t{4});
}

void TestTraceBuilder::launchesAndCopiesFollowTheirEvents()
{
    TraceBuilder builder;
    const TrackIndex gpu = builder.addTrack("9", "7", true); // comes last in the store
    const TrackIndex host = builder.addTrack("1", "1");
    for (int i = 0; i < 3; ++i) { // latest first
        const EventIndex copy = builder.addEvent(gpu, 300 - 100 * i, 10, "Memcpy HtoD", "gpu_memcpy");
        const EventIndex call = builder.addEvent(host, 30 - 10 * i, 1, "cudaMemcpyAsync", "cuda_runtime");
        builder.addMemoryMove({copy, 300 - 100 * i, -1.0});
        if (i != 1)
            builder.addLaunch({copy, call});
    }
    const auto store = builder.finish();
    QCOMPARE(store->launches().size(), std::size_t{2});
    QCOMPARE(store->memoryMoves().size(), std::size_t{3});
    for (std::uint32_t i = 0; i < 3; ++i) {
        const MemoryMove& move = store->memoryMoves()[i];
        QCOMPARE(move.event, EventIndex{3 + i});
        QCOMPARE(move.bytes, store->start(move.event));
        QCOMPARE(store->launchOf(move.event).has_value(), i != 1);
    }
    QCOMPARE(*store->launchOf(EventIndex{3}), EventIndex{0});
    QCOMPARE(*store->launchOf(EventIndex{5}), EventIndex{2});
}

void TestTraceBuilder::rowsWithinATrack_data()
{
    QTest::addColumn<std::vector<Drawn>>("events");
    QTest::addColumn<std::vector<int>>("depths");
    using Events = std::vector<Drawn>;
    using Depths = std::vector<int>;
    QTest::newRow("one after the other") << Events{{0, 10}, {10, 10}, {20, 10}} << Depths{0, 0, 0};
    QTest::newRow("nested") << Events{{0, 100}, {10, 50}, {20, 10}, {70, 10}} << Depths{0, 1, 2, 1};
    QTest::newRow("same start, longer first") << Events{{0, 10}, {0, 100}} << Depths{0, 1};
    QTest::newRow("overlapping take turns")
        << Events{{0, 10}, {9, 11}, {19, 11}, {29, 11}} << Depths{0, 1, 0, 1};
    QTest::newRow("inside a spilled one") << Events{{0, 100}, {50, 100}, {110, 10}} << Depths{0, 1, 2};
    QTest::newRow("zero-length ones in a row")
        << Events{{0, 10}, {5, 0}, {5, 0}, {10, 0}} << Depths{0, 1, 1, 0};
    QTest::newRow("identical") << Events{{0, 10}, {0, 10}} << Depths{0, 1};
}

void TestTraceBuilder::rowsWithinATrack()
{
    QFETCH(std::vector<Drawn>, events);
    QTEST(depthsOf(events), "depths");
}

void TestTraceBuilder::thousandsOfOverlapsKeepTheirEvents()
{
    std::vector<Drawn> events;
    for (int i = 0; i < 5000; ++i)
        events.push_back({i, 10000});
    const std::vector<int> depths = depthsOf(events);
    QCOMPARE(depths.size(), std::size_t{5000});
    QCOMPARE(depths[1000], 1000);
    QCOMPARE(depths[4999], depths[4998]); // beyond the last row they share it
}

QTEST_APPLESS_MAIN(TestTraceBuilder)
#include "tst_trace_builder.moc"
