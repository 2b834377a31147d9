#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/models/trace_files_model.h"

using namespace shardscope;

namespace
{

std::shared_ptr<const MeasuredRun> runOfThreeFiles()
{
    auto run = std::make_shared<MeasuredRun>();
    TraceFile good;
    good.path = "/runs/rank0.json.gz";
    good.format = "kineto";
    good.rank_is_known = true;
    good.slices = 12345;
    good.bytes_uncompressed = 1024 * 1024;
    TraceFile mended = good;
    mended.path = "/runs/some.json";
    mended.rank_is_known = false;
    mended.status = FileStatus::recovered;
    mended.warnings = {{"event without dur", 3}, {"file is cut off", 1}};
    mended.notes = {"its times stand alone"};
    TraceFile refused;
    refused.path = "/runs/notes.txt";
    refused.status = FileStatus::rejected;
    refused.rejection = "this is no trace";
    run->traces.files = {good, mended, refused};
    return run;
}

} // namespace

class TestTraceFilesModel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void itIsAProperModel()
    {
        TraceFilesModel model;
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        model.setRun(runOfThreeFiles());
        QCOMPARE(model.rowCount(), 3);
        model.setRun(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void cellsSayWhatWasRead_data()
    {
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("text");
        QTest::newRow("the name without its folder")
            << 0 << int{TraceFilesModel::FileColumn} << "rank0.json.gz";
        QTest::newRow("a rank that is known") << 0 << int{TraceFilesModel::RankColumn} << "0";
        QTest::newRow("a rank that nothing named") << 1 << int{TraceFilesModel::RankColumn} << "0 (assumed)";
        QTest::newRow("events") << 0 << int{TraceFilesModel::EventsColumn} << "12\u00a0345";
        QTest::newRow("size") << 0 << int{TraceFilesModel::SizeColumn} << "1 MiB";
        QTest::newRow("oddities are counted, notes follow")
            << 1 << int{TraceFilesModel::RemarkColumn}
            << "3 × event without dur; 1 × file is cut off; its times stand alone";
        QTest::newRow("a refusal says why") << 2 << int{TraceFilesModel::RemarkColumn} << "this is no trace";
        QTest::newRow("its status") << 2 << int{TraceFilesModel::StatusColumn} << "rejected";
    }
    void cellsSayWhatWasRead()
    {
        QFETCH(int, row);
        QFETCH(int, column);
        TraceFilesModel model;
        model.setRun(runOfThreeFiles());
        QTEST(model.index(row, column).data().toString(), "text");
    }

    void namesThatRepeatHaveTheirFolders()
    {
        auto run = std::make_shared<MeasuredRun>();
        for (const char* path : {"/runs/a/rank0.json", "/runs/b/rank0.json", "/runs/b/rank1.json"}) {
            TraceFile file;
            file.path = path;
            run->traces.files.push_back(file);
        }
        TraceFilesModel model;
        model.setRun(run);
        QCOMPARE(model.index(0, TraceFilesModel::FileColumn).data().toString(), "a/rank0.json");
        QCOMPARE(model.index(2, TraceFilesModel::FileColumn).data().toString(), "b/rank1.json");
    }

    void aRankCanBeGivenByHand()
    {
        TraceFilesModel model;
        model.setRun(runOfThreeFiles());
        QSignalSpy given{&model, &TraceFilesModel::rankGiven};
        const QModelIndex assumed = model.index(1, TraceFilesModel::RankColumn);
        QVERIFY(assumed.flags().testFlag(Qt::ItemIsEditable));
        QVERIFY(model.setData(assumed, 3));
        QCOMPARE(given.count(), 1);
        QCOMPARE(given[0][0].toString(), "/runs/some.json");
        QCOMPARE(given[0][1].toLongLong(), 3);
        QVERIFY(!model.setData(assumed, -1));
        QVERIFY(!model.setData(model.index(0, TraceFilesModel::RankColumn), 0)); // it is known already
        QVERIFY(
            !model.index(2, TraceFilesModel::RankColumn).flags().testFlag(Qt::ItemIsEditable)); // rejected
    }
};

QTEST_GUILESS_MAIN(TestTraceFilesModel)
#include "tst_trace_files_model.moc"
