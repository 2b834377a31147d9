#include <QTest>

#include "widgets/session/partial_run.h"

#include "core/trace/trace_builder.h"

using namespace shardscope;

namespace
{

TraceFile traceOf(const char* path, std::int64_t rank, int events)
{
    TraceBuilder builder;
    const TrackIndex track = builder.addTrack("0", "7", true);
    for (int i = 0; i < events; ++i)
        builder.addEvent(track, i, 1, "gemm", "kernel");
    TraceFile file;
    file.path = path;
    file.rank = rank;
    file.rank_is_known = true;
    file.slices = events;
    file.store = builder.finish();
    return file;
}

} // namespace

class TestPartialRun : public QObject
{
    Q_OBJECT
private slots:
    void isThereOnlyWhenSomethingWasRead()
    {
        PartialRun partial;
        QVERIFY(!partial.toShow());
        QVERIFY(!partial.whatCame());
    }

    void aWholeTraceTakesThePlaceOfItsBeginning()
    {
        PartialRun partial;
        partial.addBeginning(traceOf("b", 1, 10));
        partial.addBeginning(traceOf("a", 0, 10));
        const auto first = partial.toShow();
        QVERIFY(first && first->is_partial);
        QCOMPARE(first->traces.files.size(), std::size_t{2});
        QCOMPARE(first->traces.files[0].path, std::string("a")); // by rank
        partial.add(traceOf("b", 1, 40));
        partial.addBeginning(traceOf("b", 1, 10)); // late
        const auto second = partial.toShow();
        QVERIFY(second);
        QCOMPARE(second->traces.files[1].slices, std::int64_t{40});
    }

    void itIsShownWhenThereIsTwiceAsMuch()
    {
        PartialRun partial;
        partial.add(traceOf("a", 0, 100));
        QVERIFY(partial.toShow());
        partial.add(traceOf("b", 1, 99));
        QVERIFY(!partial.toShow());
        partial.add(traceOf("c", 2, 1));
        QVERIFY(partial.toShow());
    }

    void whatWasStoppedSaysSo()
    {
        PartialRun partial;
        partial.add(traceOf("a", 0, 5));
        partial.addBeginning(traceOf("b", 1, 5));
        const auto came = partial.whatCame();
        QVERIFY(!came->is_partial);
        QCOMPARE(came->traces.files[0].status, FileStatus::ok);
        QCOMPARE(came->traces.files[1].status, FileStatus::recovered);
        QCOMPARE(came->traces.files[1].warnings.size(), std::size_t{1});
    }
};

QTEST_APPLESS_MAIN(TestPartialRun)
#include "tst_partial_run.moc"
