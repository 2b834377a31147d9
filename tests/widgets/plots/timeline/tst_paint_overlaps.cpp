#include <QTest>

#include "core/trace/trace_builder.h"
#include "widgets/plots/timeline/paint_overlaps.h"
#include "widgets/plots/timeline/trace_row.h"

using namespace shardscope;

namespace
{

LanePaint paintByName(std::string_view name)
{
    return name == "send" || name == "recv" ? paintOf(Kind::pp)
           : name == "reduce"               ? paintOf(Kind::tp)
                                            : LanePaint::compute;
}

// Nanoseconds of pipeline messages that sums over the rows tell of a range.
TraceTime pipelineIn(TraceBuilder& builder, const TimeRange& range)
{
    const std::shared_ptr<const TraceStore> store = builder.finish();
    const EventPaints paints{*store, [&](EventIndex event) { return paintByName(store->name(event)); }};
    PaintDurations durations{};
    for (const Track& track : store->tracks())
        for (const TraceRow& row : TraceRow::rowsOf(*store, paints, track))
            row.addDurations(range, durations);
    PaintOverlaps{*store, paints}.subtract(range, durations);
    return durations[static_cast<std::size_t>(paintOf(Kind::pp))];
}

} // namespace

class TestPaintOverlaps : public QObject
{
    Q_OBJECT
private slots:
    void aMomentOfAPaintCountsOnce_data()
    {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        QTest::addColumn<qint64>("pipeline");
        QTest::newRow("all of it") << qint64{0} << qint64{1000} << qint64{220};
        QTest::newRow("cut within the pair") << qint64{0} << qint64{150} << qint64{50};
        QTest::newRow("behind the send") << qint64{200} << qint64{1000} << qint64{120};
        QTest::newRow("where neither is") << qint64{0} << qint64{90} << qint64{0};
    }
    void aMomentOfAPaintCountsOnce()
    {
        QFETCH(const qint64, from);
        QFETCH(const qint64, to);
        QFETCH(const qint64, pipeline);
        TraceBuilder builder;
        const TrackIndex first = builder.addTrack("0", "7", true);
        const TrackIndex second = builder.addTrack("0", "8", true);
        builder.addEvent(first, 100, 100, "send", "kernel");
        builder.addEvent(second, 110, 100, "recv", "kernel");
        builder.addEvent(second, 300, 110, "recv", "kernel");
        builder.addEvent(first, 300, 110, "reduce", "kernel");
        builder.addEvent(first, 500, 100, "gemm", "kernel");
        QCOMPARE(pipelineIn(builder, {from, to - from}), pipeline);
    }

    void aLongOneIsSeenFromItsMiddle()
    {
        TraceBuilder builder;
        const TrackIndex first = builder.addTrack("0", "7", true);
        const TrackIndex second = builder.addTrack("0", "8", true);
        builder.addEvent(first, 0, 1000, "send", "kernel");
        builder.addEvent(second, 0, 1000, "recv", "kernel");
        builder.addEvent(first, 2000, 10, "send", "kernel");
        builder.addEvent(second, 2000, 10, "recv", "kernel");
        QCOMPARE(pipelineIn(builder, {900, 200}), 100);
    }
};

QTEST_APPLESS_MAIN(TestPaintOverlaps)
#include "tst_paint_overlaps.moc"
