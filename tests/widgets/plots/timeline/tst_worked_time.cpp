#include <QTest>

#include "core/trace/trace_builder.h"
#include "widgets/plots/timeline/trace_row.h"
#include "widgets/plots/timeline/worked_time.h"

#include <memory>

using namespace shardscope;

namespace
{

// Nanoseconds of a range in which a kernel or a message runs, on any track.
TraceTime workedIn(TraceBuilder& builder, const TimeRange& range)
{
    const std::shared_ptr<const TraceStore> store = builder.finish();
    const EventPaints paints{*store, [&](EventIndex event) {
                                 const std::string_view name = store->name(event);
                                 return name == "launch"   ? LanePaint::runtime
                                        : name == "reduce" ? paintOf(Kind::dp)
                                                           : LanePaint::compute;
                             }};
    std::vector<TraceRow> rows;
    for (const Track& track : store->tracks())
        for (TraceRow& row : TraceRow::rowsOf(*store, paints, track))
            rows.push_back(std::move(row));
    std::vector<const TraceRow*> all;
    for (const TraceRow& row : rows)
        all.push_back(&row);
    return WorkedTime{*store, paints}.within(range, all);
}

} // namespace

class TestWorkedTime : public QObject
{
    Q_OBJECT
private slots:
    void aMomentCountsOnce_data()
    {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        QTest::addColumn<qint64>("worked");
        QTest::newRow("all of it") << qint64{0} << qint64{1000} << qint64{350};
        QTest::newRow("before everything") << qint64{0} << qint64{100} << qint64{0};
        QTest::newRow("within the two") << qint64{160} << qint64{180} << qint64{20};
        QTest::newRow("from within one on") << qint64{240} << qint64{320} << qint64{30};
        QTest::newRow("where only the processor works") << qint64{600} << qint64{700} << qint64{0};
        QTest::newRow("behind everything") << qint64{900} << qint64{1000} << qint64{0};
    }
    void aMomentCountsOnce()
    {
        QFETCH(const qint64, from);
        QFETCH(const qint64, to);
        QFETCH(const qint64, worked);
        TraceBuilder builder;
        const TrackIndex first = builder.addTrack("0", "7", true);
        const TrackIndex second = builder.addTrack("0", "8", true);
        const TrackIndex thread = builder.addTrack("1", "1");
        builder.addEvent(first, 100, 100, "gemm", "kernel");
        builder.addEvent(second, 150, 100, "reduce", "kernel");
        builder.addEvent(first, 300, 200, "gemm", "kernel");
        builder.addEvent(second, 320, 30, "reduce", "kernel");
        builder.addEvent(thread, 0, 900, "launch", "cuda_runtime");
        QCOMPARE(workedIn(builder, {from, to - from}), worked);
    }

    // One that lasts over thousands of others, and stretches that begin and end among them.
    void manyAreCountedFromTheMarkBeforeThem_data()
    {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        QTest::addColumn<qint64>("worked");
        QTest::newRow("all of it") << qint64{0} << qint64{50'000} << qint64{20'000 + 30'000 * 4 / 10};
        QTest::newRow("beneath the long one") << qint64{5'001} << qint64{15'003} << qint64{10'002};
        QTest::newRow("from beneath it on") << qint64{19'990} << qint64{20'020} << qint64{10 + 8};
        QTest::newRow("far behind it") << qint64{40'002} << qint64{40'021} << qint64{2 + 4 + 1};
    }
    void manyAreCountedFromTheMarkBeforeThem()
    {
        QFETCH(const qint64, from);
        QFETCH(const qint64, to);
        QFETCH(const qint64, worked);
        TraceBuilder builder;
        const TrackIndex first = builder.addTrack("0", "7", true);
        const TrackIndex second = builder.addTrack("0", "8", true);
        for (int i = 0; i < 5000; ++i)
            builder.addEvent(first, i * 10, 4, "gemm", "kernel");
        builder.addEvent(second, 0, 20'000, "reduce", "kernel");
        QCOMPARE(workedIn(builder, {from, to - from}), worked);
    }
};

QTEST_APPLESS_MAIN(TestWorkedTime)
#include "tst_worked_time.moc"
