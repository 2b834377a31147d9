#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/two_steps_trace.h"
#include "tests/widgets/session/told_notices.h"
#include "widgets/session/run_name.h"
#include "widgets/session/session.h"

using namespace shardscope;

class TestSessionTraces : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void tracesThatAreNotThereEndTheImportWithASentence()
    {
        Session session{Presets{}};
        const QSignalSpy ended{&session, &Session::importEnded};
        const QSignalSpy failed{&session, &Session::failed};
        session.open({"/nowhere/rank0.json"});
        QVERIFY(session.isImporting());
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(failed.count(), 1);
        QVERIFY(!session.isImporting());
        QVERIFY(!session.content().measured);
    }

    // What can be read is opened; the rest is named in one sentence and listed among the files.
    void pathsThatCannotBeReadDoNotKeepTheOthersFromBeingOpened()
    {
        const QDir sample{QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces")};
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::told};
        const QSignalSpy failed{&session, &Session::failed};
        const QSignalSpy opened{&session, &Session::opened};
        session.open({"/nowhere/rank0.json", sample.filePath("p2t2d2/rank-0.json.gz"),
                      sample.filePath("README.md"), "/nowhere/rank1.json",
                      sample.filePath("p2t2d2/rank-3.json.gz")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        QCOMPARE(session.content().measured->measurement.ranks.size(), std::size_t{2});
        QCOMPARE(session.content().measured->traces.files.size(), std::size_t{5});
        const QList<Notice> rejected = noticesWith(told, Offer::trace_files, Severity::error);
        QCOMPARE(rejected.size(), 1);
        const QString& sentence = rejected.front().sentence;
        QVERIFY2(sentence.contains("rank0.json, rank1.json (there is no such file or folder"),
                 qPrintable(sentence));
        QVERIFY2(sentence.contains("README.md ("), qPrintable(sentence));
        QVERIFY2(sentence.endsWith("The other 2 files are shown."), qPrintable(sentence));
        QCOMPARE(failed.count(), 0);
        QCOMPARE(opened.count(), 2);
    }

    void aPinnedRunStaysWhereAnotherIsOpened()
    {
        const QDir sample{QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")};
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::told};
        session.pinRun(); // nothing is open
        QVERIFY(!session.content().pinned_run);
        session.open({sample.filePath("rank-0.json.gz")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        session.pinRun();
        QVERIFY(session.content().pinned_run);
        QVERIFY(!session.content().comparesRuns());
        const Notice pinned = told.last().at(0).value<Notice>();
        QVERIFY2(pinned.sentence.startsWith("Pinned: rank-0.json.gz, 1 rank. "), qPrintable(pinned.sentence));
        Scenario other = session.scenario(); // the run is analysed anew, and stays itself
        other.parallel.data *= 2;
        const auto shown = session.content().measured;
        session.editScenario(other, "Data parallel");
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured != shown, 60000);
        QCOMPARE(session.content().pinned_run, session.content().measured);
        session.open({sample.filePath("rank-1.json.gz")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().comparesRuns(), 60000);
        QCOMPARE(session.content().pinned_run->measurement.ranks.front().rank, 0);
        session.unpinRun();
        QVERIFY(!session.content().pinned_run);
    }

    // A pinned step is another than the one shown, though both are of one run.
    void aStepAloneCanBeShownAndComparedWithAnother()
    {
        const QTemporaryDir folder;
        QVERIFY(writeTwoSteps(folder.filePath("rank0.json")));
        Session session{Presets{}};
        session.open({folder.filePath("rank0.json")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        const auto shown = [&session]() -> const Measurement& {
            return session.content().measured->measurement;
        };
        QCOMPARE(shown().ranks.front().compute_ns, std::int64_t{200'000});
        session.showStep(1);
        QTRY_COMPARE_WITH_TIMEOUT(shown().step, std::optional<std::int64_t>{1}, 60000);
        QCOMPARE(shown().ranks.front().compute_ns, std::int64_t{50'000});
        session.pinRun();
        session.showStep(2);
        QTRY_COMPARE_WITH_TIMEOUT(shown().step, std::optional<std::int64_t>{2}, 60000);
        QCOMPARE(shown().ranks.front().compute_ns, std::int64_t{150'000});
        QVERIFY(session.content().comparesRuns());
        QCOMPARE(session.content().pinned_run->measurement.step, std::optional<std::int64_t>{1});
        QCOMPARE(runName(*session.content().pinned_run), QString{"rank0.json, 1 rank, step 1"});
        session.showStep(1); // back: it is not compared with itself
        QTRY_COMPARE_WITH_TIMEOUT(shown().step, std::optional<std::int64_t>{1}, 60000);
        QVERIFY(!session.content().comparesRuns());
        session.open({folder.filePath("rank0.json")}); // a run begins with all of it
        QTRY_VERIFY_WITH_TIMEOUT(!shown().step, 60000);
    }

    void ofSeveralRunsAnyCanBeShown()
    {
        const QTemporaryDir folder;
        const QDir sample{QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")};
        for (const QString run : {"a", "b"}) {
            QVERIFY(QDir{folder.path()}.mkdir(run));
            for (const QString rank : {"rank-0.json.gz", "rank-1.json.gz"})
                QVERIFY(QFile::copy(sample.filePath(rank), folder.filePath(run + '/' + rank)));
        }
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::told};
        session.open({folder.path()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        const auto shown = [&] {
            QStringList files;
            for (const TraceFile& file : session.content().measured->traces.files)
                files << QDir{folder.path()}.relativeFilePath(QString::fromStdString(file.path));
            return files;
        };
        QCOMPARE(shown(), (QStringList{"a/rank-0.json.gz", "a/rank-1.json.gz"}));
        QCOMPARE(noticesWith(told, Offer::another_run, Severity::note).size(), 1);
        QCOMPARE(session.shownRun(), std::optional<std::size_t>{0});
        session.showRun(1);
        QTRY_COMPARE_WITH_TIMEOUT(shown(), (QStringList{"b/rank-0.json.gz", "b/rank-1.json.gz"}), 60000);
        session.pinRun();
        const auto pinned = session.content().pinned_run;
        session.showRun(0);
        QTRY_COMPARE_WITH_TIMEOUT(shown(), (QStringList{"a/rank-0.json.gz", "a/rank-1.json.gz"}), 60000);
        QCOMPARE(session.content().pinned_run, pinned); // of the other run still
        QVERIFY(session.content().comparesRuns());
        session.showRun(std::nullopt);
        QTRY_COMPARE_WITH_TIMEOUT(shown().size(), 4, 60000);
        const QList<Notice> runs = noticesWith(told, Offer::another_run, Severity::note);
        QCOMPARE(runs.size(), 4); // whenever another is shown
        QVERIFY2(runs[1].sentence.endsWith(": a, b. b is shown."), qPrintable(runs[1].sentence));
        QVERIFY2(runs[3].sentence.endsWith("All of them are shown as one run."),
                 qPrintable(runs[3].sentence));
        session.closeTraces();
        QVERIFY(!session.severalRuns());
    }

    void aCancelledImportLeavesNothing()
    {
        const QString folder = QStringLiteral(SHARDSCOPE_SHARED_FOLDER "/traces/hta_nccl_data");
        if (!QFileInfo::exists(folder))
            QSKIP("the shared traces are not there");
        Session session{Presets{}};
        const QSignalSpy ended{&session, &Session::importEnded};
        session.open({folder});
        session.cancelImport();
        QCOMPARE(ended.count(), 1);
        QVERIFY(!session.isImporting());
        QTest::qWait(50); // a late answer would come now
        QVERIFY(!session.content().measured);
    }

    void tracesOfForwardPassesAloneAreTold_data()
    {
        QTest::addColumn<QByteArray>("operation");
        QTest::addColumn<bool>("is_told");
        QTest::newRow("forward alone") << QByteArray{"aten::mm"} << true;
        QTest::newRow("a backward pass")
            << QByteArray{"autograd::engine::evaluate_function: MmBackward0"} << false;
    }
    void tracesOfForwardPassesAloneAreTold()
    {
        QFETCH(QByteArray, operation);
        QFETCH(bool, is_told);
        const QTemporaryDir folder;
        QFile file{folder.filePath("rank0.json")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
            {"ph": "X", "cat": "cpu_op", "name": ")"
                   + operation + R"(", "pid": 1, "tid": 1, "ts": 4, "dur": 2}]})");
        file.close();
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::told};
        session.open({file.fileName()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        QCOMPARE(session.content().measured->is_forward_only, is_told);
        QStringList sentences;
        for (const Notice& notice : noticesWith(told, Offer::what_traces_show, Severity::warning))
            sentences << notice.sentence;
        QCOMPARE(sentences.filter("No backward pass").size(), is_told ? 1 : 0);
    }

    // A file may hold what the default scenario: then it is the user's all the same.
    void aScenarioThatWasOpenedIsSomebodys()
    {
        const QTemporaryDir folder;
        QFile file{folder.filePath("one.scenario.json")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{}");
        file.close();
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::told};
        session.open({file.fileName(), QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        const QList<Notice> notices = noticesWith(told, Offer::what_traces_show, Severity::warning);
        QCOMPARE(notices.size(), 1);
        QVERIFY2(notices.front().sentence.contains("8 GPUs"), qPrintable(notices.front().sentence));
    }

    void aCancelledImportLeavesTheOlderTraces()
    {
        const QString sample = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/");
        Session session{Presets{}};
        session.open({sample + "p2t2d2/rank-0.json.gz"});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        bool is_cancelled = false;
        connect(&session, &Session::contentChanged, this, [&](const Content& content) {
            if (content.partial && !is_cancelled) {
                is_cancelled = true;
                session.cancelImport();
            }
        });
        session.open({sample + "p2t2d2-plain"});
        QTRY_VERIFY_WITH_TIMEOUT(is_cancelled && session.isSettled(), 60000);
        QVERIFY(!session.content().partial);
        QCOMPARE(session.content().measured->traces.files.size(), std::size_t{1});
        QCOMPARE(session.content().measured->measurement.ranks.size(), std::size_t{1});
    }

    // Rules that are saved while traces are read hold for the older ones too, which stay after all.
    void rulesThatWereSavedDuringAnImportAreNotLost_data()
    {
        QTest::addColumn<bool>("is_cancelled");
        QTest::newRow("the new traces come") << false;
        QTest::newRow("the older ones stay") << true;
    }
    void rulesThatWereSavedDuringAnImportAreNotLost()
    {
        QFETCH(bool, is_cancelled);
        const QString sample = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/");
        Session session{Presets{}};
        session.open({sample + "p2t2d2/rank-0.json.gz"});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        session.open({sample + "p2t2d2-plain"});
        session.setRules(ClassificationRules::shipped());
        if (is_cancelled)
            session.cancelImport();
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured->rules && session.isSettled(), 60000);
        QCOMPARE(session.content().measured->traces.files.size(), std::size_t(is_cancelled ? 1 : 8));
    }

    void otherTracesLeaveWhatWasChosenInTheOlderOnes()
    {
        const QString sample = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/");
        Session session{Presets{}};
        const QSignalSpy replaced{&session, &Session::tracesReplaced};
        session.open({sample + "p2t2d2"});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        QCOMPARE(replaced.count(), 1);
        Kind kind = Kind::unknown;
        for (const MeasuredCollective& calls : session.content().measured->measurement.ranks[0].collectives)
            kind = calls.kind != Kind::unknown ? calls.kind : kind;
        session.select({kind, 5, MessageKey{kind, Op::other, 12345}});
        session.closeTraces();
        QCOMPARE(replaced.count(), 2);
        QVERIFY(!session.selection().message);
        QTRY_VERIFY(!session.selection().rank); // the scenario is of fewer
    }

    // What comes while the import goes on is no run yet, and gone when it is one.
    void whatIsReadSoFarIsShownUntilAllIs()
    {
        const QString folder = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2");
        Session session{Presets{}};
        std::size_t partial_files = 0;
        connect(&session, &Session::contentChanged, this, [&](const Content& content) {
            if (content.partial)
                partial_files = std::max(partial_files, content.partial->traces.files.size());
        });
        session.open({folder});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        QCoreApplication::processEvents();
        QVERIFY(!session.content().partial);
        QVERIFY(partial_files >= 1 && partial_files <= 8);
        QCOMPARE(session.content().measured->traces.files.size(), std::size_t{8});
    }

    void whatMemoryDoesNotHoldIsAskedAbout()
    {
        const QTemporaryDir folder;
        const QString trace = folder.filePath("rank0.json");
        QFile file{trace};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[");
        QVERIFY(file.resize(qint64{1} << 40)); // a TiB, all of it a hole
        file.close();
        Session session{Presets{}};
        const QSignalSpy asked{&session, &Session::memoryAsked};
        const QSignalSpy failed{&session, &Session::failed};
        session.open({trace});
        QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, 60000);
        QCOMPARE(asked[0][0].toStringList(), QStringList{trace});
        QVERIFY(asked[0][1].toString().contains("memory"));
        QCOMPARE(failed.count(), 0);
        QVERIFY(!session.isImporting());
        session.openRegardless({trace}); // goes on reading, till somebody stops it
        QTest::qWait(50);
        QVERIFY(session.isImporting());
        session.cancelImport();
        QCOMPARE(asked.count(), 1);
    }

    // A log shows no shapes, whatever was recorded.
    void inferenceIsOfferedOnlyWhereAFileMayAnswer()
    {
        const QTemporaryDir folder;
        QFile file{folder.filePath("gpt.out")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const char* number : {"1", "2"})
            file.write(QByteArray{" iteration "} + number
                       + "/ 10 | elapsed time per iteration (ms): 1615.2 | learning rate: 1.0\n");
        file.close();
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::told};
        session.open({file.fileName()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        QCOMPARE(noticesWith(told, Offer::what_traces_show, Severity::warning).size(), 0);
        QCOMPARE(noticesWith(told, Offer::none, Severity::warning).size(), 1);
    }

    void tracesAreMeasuredOffThisThread()
    {
        const QString folder = QStringLiteral(SHARDSCOPE_SHARED_FOLDER "/traces/hta_nccl_data");
        if (!QFileInfo::exists(folder))
            QSKIP("the shared traces are not there");
        Session session{Presets{}};
        const QSignalSpy opened{&session, &Session::opened};
        session.open({folder});
        QVERIFY(!session.content().measured);
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        QVERIFY(!session.content().measured->measurement.ranks.empty());
        QCOMPARE(opened.count(), 1);
        const auto before = session.content().measured;
        Scenario other = session.scenario();
        other.parallel.tensor = 2;
        session.editScenario(other, "Tensor"); // another layout: analysed again
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QVERIFY(session.content().measured != before);
        session.closeTraces();
        QVERIFY(!session.content().measured);
    }
};

QTEST_GUILESS_MAIN(TestSessionTraces)
#include "tst_session_traces.moc"
