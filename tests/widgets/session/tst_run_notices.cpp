#include <QTest>

#include "widgets/session/run_notices.h"

using namespace shardscope;

class TestRunNotices : public QObject
{
    Q_OBJECT

    static TraceFile file(const char* path, FileStatus status, const char* rejection = "")
    {
        TraceFile made;
        made.path = path;
        made.status = status;
        made.rejection = rejection;
        return made;
    }

private slots:
    void whatIsAllRightIsNotSpokenOf()
    {
        const TraceSet traces{{file("a.json", FileStatus::ok)}, {}};
        QVERIFY(!noticeOfRejected(traces));
        QVERIFY(!noticeOfOddities(traces));
        QVERIFY(noticesOfRanks(traces).empty());
    }

    void filesOfOneReasonStandTogether()
    {
        const TraceSet traces{{file("/x/a.md", FileStatus::rejected, "no trace"),
                               file("/x/b.md", FileStatus::rejected, "no trace"),
                               file("/x/c.json", FileStatus::rejected, "empty"),
                               file("d.json", FileStatus::ok)},
                              {}};
        const std::optional<Notice> notice = noticeOfRejected(traces);
        QVERIFY(notice);
        QCOMPARE(notice->severity, Severity::error);
        QCOMPARE(notice->sentence,
                 "Not opened: c.json (empty); a.md, b.md (no trace). The other file is shown.");
        QCOMPARE(readPaths({"/x/a.md", "d.json"}, traces).size(), 1);
    }

    void ofManyFilesAFewAreNamed()
    {
        TraceSet traces;
        for (int i = 0; i < 9; ++i)
            traces.files.push_back(file(QString{"r%1"}.arg(i).toUtf8(), FileStatus::rejected, "empty"));
        QVERIFY(noticeOfRejected(traces)->sentence.contains("r5 (empty), and 3 more"));
    }

    void odditiesAreCounted()
    {
        TraceSet traces{{file("a.json", FileStatus::recovered), file("b.json", FileStatus::ok)}, {}};
        traces.files[0].warnings = {{"events without a time", 3}, {"events without a name", 2}};
        QCOMPARE(noticeOfOddities(traces)->sentence,
                 "1 of 2 files had oddities that were skipped or repaired, 5 in all.");
    }

    void severalGpusInAFileAreSaidToCountAsOneRank()
    {
        TraceSet traces{{file("/x/a.json", FileStatus::ok), file("b.json", FileStatus::ok)}, {}};
        traces.files[0].devices = 2;
        traces.files[1].devices = 1;
        const std::vector<Notice> one = noticesOfRanks(traces);
        QCOMPARE(one.size(), std::size_t{1});
        QVERIFY2(
            one[0].sentence.startsWith("Work of 2 GPUs stands in a.json, which counts as that of one rank. "),
            qPrintable(one[0].sentence));
        traces.files[1].devices = 4;
        const std::vector<Notice> both = noticesOfRanks(traces);
        QCOMPARE(both.size(), std::size_t{1});
        QVERIFY2(
            both[0].sentence.startsWith(
                "Work of several GPUs stands in 2 of 2 files, each of which counts as that of one rank. "),
            qPrintable(both[0].sentence));
    }

    void aRunThatDoesNotHangIsNotSpokenOf() { QVERIFY(!noticeOfUnfinished(Measurement{})); }

    void tablesAloneAreSaidToBeInCollectives_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<bool>("has_more"); // than the table
        QTest::addColumn<QString>("sentence");
        QTest::newRow("none") << QStringList{} << false << "";
        QTest::newRow("one") << QStringList{"all_gather"} << false
                             << "One time of all_gather was read, which the picture Collectives shows.";
        QTest::newRow("of one collective")
            << QStringList{"all_reduce", "all_reduce"} << false
            << "2 times of all_reduce were read, which the picture Collectives shows.";
        QTest::newRow("of several") << QStringList{
            "all_reduce",
            "broadcast"} << false << "2 times of collectives were read, which the picture Collectives shows.";
        QTest::newRow("of one without a name")
            << QStringList{"", ""} << false
            << "Of the 2 times that were read some are of an operation that their table does not name: the "
               "picture Collectives leaves them out. Open the file under a name like alltoall_perf.log, or "
               "say it in Scenario > Calibrate the cluster.";
        QTest::newRow("without a name, but it sends more than its bytes")
            << QStringList{"?", "?"} << false
            << "2 times of all_reduce were read, which the picture Collectives shows.";
        QTest::newRow("beside iterations") << QStringList{"all_reduce"} << true << "";
    }
    void tablesAloneAreSaidToBeInCollectives()
    {
        QFETCH(QStringList, names);
        QFETCH(bool, has_more);
        QFETCH(QString, sentence);
        Measurement measurement;
        for (const QString& name : names) {
            const bool sends_more = name == "?";
            const std::string told = sends_more ? std::string{} : name.toStdString();
            measurement.points.push_back({told, "float", 1024, 1e-6, 1.024, sends_more ? 1.792 : 1.024});
        }
        if (has_more)
            measurement.timers.emplace_back();
        const std::optional<Notice> notice = noticeOfTables({}, measurement);
        QCOMPARE(notice ? notice->sentence : QString{}, sentence);
        const bool is_shown = notice && notice->severity == Severity::note;
        QVERIFY(!notice || notice->offer == (is_shown ? Offer::collectives : Offer::none));
    }

    void theRunThatIsShownIsNamed()
    {
        SeveralRuns several;
        for (const char* name : {"a", "b", "c", "d", "e", "f"})
            several.runs.push_back({name, {}, 8});
        QCOMPARE(noticeOfRuns(several, 1).sentence,
                 "6 runs with the same ranks were found: a, b, c, d, 2 more. b is shown.");
        QVERIFY(noticeOfRuns(several, std::nullopt).sentence.endsWith("All of them are shown as one run."));
    }
};

QTEST_APPLESS_MAIN(TestRunNotices)
#include "tst_run_notices.moc"
