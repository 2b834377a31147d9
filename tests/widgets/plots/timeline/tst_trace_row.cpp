#include <QTest>

#include "core/trace/trace_builder.h"
#include "widgets/plots/timeline/trace_row.h"

#include <array>
#include <cmath>
#include <map>
#include <random>

using namespace shardscope;

namespace
{

LanePaint paintByName(const TraceStore& store, EventIndex event)
{
    return store.name(event) == "tp" ? paintOf(Kind::tp) : LanePaint::compute;
}

struct DrawnTrack {
    std::shared_ptr<const TraceStore> store;
    EventPaints paints;
    std::vector<TraceRow> rows;

    explicit DrawnTrack(TraceBuilder& builder)
        : store{builder.finish()},
          paints{*store, [this](EventIndex event) { return paintByName(*store, event); }},
          rows{TraceRow::rowsOf(*store, paints, store->tracks().front())}
    {
    }
    DrawnTrack(const DrawnTrack&) = delete;
};

// Bursts of short kernels, long ones, and gaps: what GPU streams look like.
TraceBuilder bursts(int count, unsigned seed)
{
    TraceBuilder builder;
    const TrackIndex track = builder.addTrack("0", "7", true);
    std::mt19937 random{seed};
    TraceTime now = 1'700'000'000'000'000'000;
    for (int i = 0; i < count; ++i) {
        const bool is_long = random() % 500 == 0;
        const TraceTime duration = is_long ? 2'000'000 : static_cast<TraceTime>(random() % 4'000);
        builder.addEvent(track, now, duration, random() % 3 == 0 ? "tp" : "gemm", "kernel");
        now += duration + static_cast<TraceTime>(random() % 1'000);
        if (random() % 2'000 == 0)
            now += 30'000'000;
    }
    return builder;
}

// Busy nanoseconds of each column, added up event by event.
std::vector<double> busyByColumn(const TraceStore& store, const TimeRange& range, int width)
{
    std::vector<double> busy(static_cast<std::size_t>(width));
    const double ns = static_cast<double>(range.length_ns) / width;
    for (std::uint32_t i = 0; i < store.size(); ++i) {
        const auto from = static_cast<double>(store.start(EventIndex{i}) - range.start_ns);
        const auto to = static_cast<double>(store.end(EventIndex{i}) - range.start_ns);
        for (int c = std::max(0, static_cast<int>(from / ns)); c < width && c * ns < to; ++c)
            busy[static_cast<std::size_t>(c)] +=
                std::max(0.0, std::min(to, (c + 1) * ns) - std::max(from, c * ns));
    }
    return busy;
}

} // namespace

class TestTraceRow : public QObject
{
    Q_OBJECT
private slots:
    void everyZoomShowsHowBusyAColumnIs_data()
    {
        QTest::addColumn<int>("events");
        QTest::addColumn<double>("share");
        QTest::newRow("few events, all of them") << 300 << 1.0;
        QTest::newRow("many events, all of them") << 60'000 << 1.0;
        QTest::newRow("many events, a tenth") << 60'000 << 0.1;
        QTest::newRow("many events, a hundredth") << 60'000 << 0.01;
        QTest::newRow("many events, a ten-thousandth") << 60'000 << 0.0001;
    }
    void everyZoomShowsHowBusyAColumnIs()
    {
        QFETCH(int, events);
        QFETCH(double, share);
        TraceBuilder builder = bursts(events, 7);
        const DrawnTrack track{builder};
        const TraceTime whole = track.store->lastEnd() - track.store->firstStart();
        const TimeRange range{
            track.store->firstStart() + static_cast<TraceTime>(static_cast<double>(whole) * (1 - share) / 3),
            std::max<TraceTime>(10, static_cast<TraceTime>(static_cast<double>(whole) * share))};
        const int width = 900;
        LanePicture picture;
        track.rows.front().draw(range, width, picture);
        const std::vector<double> busy = busyByColumn(*track.store, range, width);
        double error = 0.0;
        for (std::size_t c = 0; c < busy.size(); ++c)
            error += std::fabs(static_cast<double>(picture.columns.filled(c)) / LaneColumns::whole
                               - busy[c] * width / static_cast<double>(range.length_ns));
        // Bins, and edges of wide bars rounded to pixels, blur a little.
        QVERIFY2(error / width < 0.05, qPrintable(QString::number(error / width)));
    }

    void aSingleEventAmongManyIsSeen()
    {
        TraceBuilder builder;
        const TrackIndex track_index = builder.addTrack("0", "7", true);
        for (int i = 0; i < 20'000; ++i)
            builder.addEvent(track_index, i * 100, 10, "gemm", "kernel");
        builder.addEvent(track_index, 900'000'000, 1, "tp", "kernel");
        builder.addEvent(track_index, 1'000'000'000, 10, "gemm", "kernel");
        const DrawnTrack track{builder};
        LanePicture picture;
        track.rows.front().draw({0, 1'000'000'010}, 800, picture);
        QVERIFY(
            std::ranges::any_of(picture.columns.of(paintOf(Kind::tp)), [](int part) { return part > 0; }));
    }

    void manyEventsAreInTheColumnsTheyStandIn()
    {
        TraceBuilder builder;
        const TrackIndex track_index = builder.addTrack("0", "7", true);
        for (int i = 0; i < 50'000; ++i)
            builder.addEvent(track_index, 500'000 + i * 4, 2, "gemm", "kernel");
        const DrawnTrack track{builder};
        LanePicture picture;
        track.rows.front().draw({0, 1'000'000}, 10, picture); // columns of 100 us, half of two are busy
        const std::vector<ColumnRun> runs = runsOf(picture.columns);
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs.front().left, 5);
        QCOMPARE(runs.front().right, 7);
        QVERIFY(std::abs(runs.front().shares.front().part - LaneColumns::whole / 2) <= 24);
    }

    void nestedEventsGetARowEachAndCountOnce()
    {
        TraceBuilder builder;
        const TrackIndex track_index = builder.addTrack("1", "1");
        builder.addEvent(track_index, 0, 100, "linear", "cpu_op");
        builder.addEvent(track_index, 10, 50, "addmm", "cpu_op");
        builder.addEvent(track_index, 20, 20, "tp", "cpu_op");
        builder.addEvent(track_index, 200, 100, "linear", "cpu_op");
        const DrawnTrack track{builder};
        QCOMPARE(track.rows.size(), std::size_t{3});
        QCOMPARE(track.rows[0].size(), std::size_t{2});
        PaintDurations durations{};
        for (const TraceRow& row : track.rows)
            row.addDurations({50, 200}, durations);
        QCOMPARE(qint64{durations[static_cast<std::size_t>(LanePaint::compute)]}, qint64{50 + 50});
        durations.fill(0);
        for (const TraceRow& row : track.rows)
            row.addDurations({0, 300}, durations);
        QCOMPARE(qint64{durations[static_cast<std::size_t>(LanePaint::compute)]}, qint64{200});
        QCOMPARE(qint64{durations[static_cast<std::size_t>(paintOf(Kind::tp))]}, qint64{20});
    }

    void sumsOfALongStretchAreThoseOfItsEvents_data()
    {
        QTest::addColumn<int>("names");
        QTest::addColumn<bool>("by_name");
        QTest::newRow("by paint, few names") << 3 << false;
        QTest::newRow("by name, few names") << 3 << true;
        QTest::newRow("by paint, every event has its name") << 50'000 << false;
        QTest::newRow("by name, every event has its name") << 50'000 << true;
    }
    void sumsOfALongStretchAreThoseOfItsEvents()
    {
        QFETCH(int, names);
        QFETCH(bool, by_name);
        TraceBuilder builder;
        const TrackIndex track_index = builder.addTrack("0", "7", true);
        std::mt19937 random{5};
        TraceTime now = 0;
        for (int i = 0; i < 30'000; ++i) {
            const auto duration = static_cast<TraceTime>(1 + random() % 4'000);
            const auto name = static_cast<int>(random() % static_cast<unsigned>(names));
            builder.addEvent(track_index, now, duration, name == 0 ? "tp" : std::to_string(name), "kernel");
            now += duration + static_cast<TraceTime>(random() % 100);
        }
        const DrawnTrack track{builder};
        const TraceStore& store = *track.store;
        for (const TimeRange range : {TimeRange{0, now}, {1'000'003, now - 2'000'003}, {now / 2, 100}}) {
            using Sums = std::map<std::pair<std::string, LanePaint>, std::array<TraceTime, 4>>;
            const auto add = [by_name](Sums& sums, std::string_view name, LanePaint paint,
                                       std::array<TraceTime, 4> one) {
                const auto [sum, is_new] = sums.try_emplace({by_name ? std::string{name} : "", paint}, one);
                if (!is_new)
                    sum->second = {sum->second[0] + one[0], sum->second[1] + one[1],
                                   std::min(sum->second[2], one[2]), std::max(sum->second[3], one[3])};
            };
            Sums expected;
            for (std::uint32_t i = 0; i < store.size(); ++i) {
                const EventIndex event{i};
                const TraceTime inside =
                    std::min(store.end(event), range.end_ns()) - std::max(store.start(event), range.start_ns);
                if (inside > 0)
                    add(expected, store.name(event), paintByName(store, event), {1, inside, inside, inside});
            }
            Sums found;
            int visits = 0;
            track.rows.front().forEachSum(range, by_name, [&](const EventSum& sum) {
                ++visits;
                add(found, store.names().text(sum.name), sum.paint,
                    {sum.count, sum.sum_ns, sum.min_ns, sum.max_ns});
            });
            QCOMPARE(found.size(), expected.size());
            QVERIFY(found == expected);
            const bool has_blocks = !by_name || names < 100;
            QVERIFY(!has_blocks || visits < 2 * 4'096 + 100); // the events at the edges, and the blocks
        }
    }

    void thePointedAtEventIsTheLongestInThePixel()
    {
        TraceBuilder builder = bursts(20'000, 3);
        const DrawnTrack track{builder};
        const TraceRow& row = track.rows.front();
        const TimeRange range{track.store->firstStart(), track.store->lastEnd() - track.store->firstStart()};
        for (int column = 0; column < 500; column += 17) {
            const std::uint32_t found = row.spanAt(range, 500, column);
            if (found == no_span)
                continue;
            const EventIndex event = row.event(found);
            QVERIFY(columnOf(track.store->start(event), range, 500) <= column);
            QVERIFY(columnOf(track.store->end(event), range, 500) >= column);
        }
    }
};

QTEST_APPLESS_MAIN(TestTraceRow)
#include "tst_trace_row.moc"
