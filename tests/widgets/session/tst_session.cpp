#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "widgets/session/session.h"

#include "core/scenario/scenario_json.h"

using namespace shardscope;

namespace
{

// p and t of 2 on a model that they divide; d of 2 with room in the batch.
Scenario smallScenario()
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    return scenario;
}

Scenario withLayers(Scenario scenario, int layers)
{
    scenario.model.layers = layers;
    return scenario;
}

// Lets the one update of this turn of the event loop run.
void turn()
{
    QCoreApplication::processEvents();
}

} // namespace

class TestSession : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{".*"}); }

    void startsWithAPrediction()
    {
        const Session session{Presets{}};
        QVERIFY(session.content().predicted);
        QVERIFY(!session.content().stale);
        QVERIFY(session.problems().empty());
    }

    void editsOfOneTurnAreAnsweredOnce()
    {
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::scenarioChanged};
        const QSignalSpy answered{&session, &Session::contentChanged};
        for (int layers = 10; layers < 20; ++layers)
            session.editScenario(withLayers(smallScenario(), layers), "Layers", 7);
        QCOMPARE(told.count(), 10);
        QCOMPARE(answered.count(), 0);
        turn();
        QCOMPARE(answered.count(), 1);
        QCOMPARE(session.content().predicted->scenario.model.layers, 19);
    }

    void aDragIsOneStepBack()
    {
        Session session{Presets{}};
        session.editScenario(smallScenario(), "Layout");
        for (int layers = 30; layers < 40; ++layers)
            session.editScenario(withLayers(smallScenario(), layers), "Layers", 3);
        session.editScenario(withLayers(smallScenario(), 50), "Layers", 4);
        QCOMPARE(session.undoStack().count(), 3);
        QCOMPARE(session.undoStack().undoText(), "Layers");
        session.undoStack().undo();
        QCOMPARE(session.scenario().model.layers, 39);
        session.undoStack().undo();
        QCOMPARE(session.scenario(), smallScenario());
        session.undoStack().redo();
        QCOMPARE(session.scenario().model.layers, 39);
    }

    void aDragBackToItsBeginningLeavesNoStep()
    {
        Session session{Presets{}};
        session.editScenario(smallScenario(), "Layout");
        session.editScenario(withLayers(smallScenario(), 30), "Layers", 3);
        session.editScenario(smallScenario(), "Layers", 3);
        QCOMPARE(session.undoStack().count(), 1);
    }

    void stepsWithoutADragStaySingle()
    {
        Session session{Presets{}};
        session.editScenario(withLayers(smallScenario(), 30), "Layers");
        session.editScenario(withLayers(smallScenario(), 31), "Layers");
        QCOMPARE(session.undoStack().count(), 2);
    }

    void anImpossibleScenarioKeepsTheLastGoodAnswer()
    {
        Session session{Presets{}};
        session.editScenario(smallScenario(), "Layout");
        turn();
        const auto good = session.content().predicted;
        Scenario impossible = smallScenario();
        impossible.parallel.tensor = 3; // does not divide 16 heads
        const QSignalSpy problems{&session, &Session::problemsChanged};
        session.editScenario(impossible, "Tensor");
        turn();
        QVERIFY(session.content().stale);
        QCOMPARE(session.content().predicted, good);
        QCOMPARE(problems.count(), 1);
        QVERIFY(!session.problems().empty());
        QVERIFY(!session.problems().front().sentence.empty());
        session.undoStack().undo();
        turn();
        QVERIFY(!session.content().stale);
        QVERIFY(session.problems().empty());
        QCOMPARE(session.content().predicted->scenario, smallScenario());
    }

    void pinKeepsWhatTheSlidersSayNow()
    {
        Session session{Presets{}};
        session.editScenario(withLayers(smallScenario(), 12), "Layers");
        session.pin(); // in the same turn, before the answer
        session.editScenario(withLayers(smallScenario(), 16), "Layers");
        turn();
        QCOMPARE(session.content().pinned->scenario.model.layers, 12);
        QCOMPARE(session.content().predicted->scenario.model.layers, 16);
        session.unpin();
        turn();
        QVERIFY(!session.content().pinned);
    }

    void selectionIsToldOnce()
    {
        Session session{Presets{}};
        const QSignalSpy told{&session, &Session::selectionChanged};
        Selection selection;
        selection.kind = Kind::tp;
        session.select(selection);
        session.select(selection);
        QCOMPARE(told.count(), 1);
        QCOMPARE(session.selection(), selection);
        session.select({});
        QVERIFY(session.selection().empty());
    }

    void aSavedScenarioOpensAgain()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("small.scenario.json");
        Session session{Presets{}};
        session.editScenario(smallScenario(), "Layout");
        QVERIFY(session.isModified());
        QVERIFY(session.save(file));
        QVERIFY(!session.isModified());
        QCOMPARE(session.scenarioFile(), file);

        Session other{Presets{}};
        const QSignalSpy opened{&other, &Session::opened};
        other.open({file});
        QCOMPARE(opened.count(), 1);
        QCOMPARE(other.scenario(), smallScenario());
        QVERIFY(!other.isModified());
        other.undoStack().undo();
        QCOMPARE(other.scenarioFile(), QString{});
    }

    // A name that another scenario had first is told from that scenario.
    void aScenarioIsEditedOnceItIsNotWhatItsNameSays()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("small.scenario.json");
        Scenario named = smallScenario();
        named.name = "small";
        QVERIFY(saveScenarioFile(file.toStdString(), named));
        Session session{Presets{}};
        session.openCopy(file);
        const auto isEdited = [&] {
            turn();
            return session.content().predicted->is_edited;
        };
        QVERIFY(!isEdited());
        session.editScenario(withLayers(named, 48), "Layers");
        QVERIFY(isEdited());
        session.undoStack().undo();
        QVERIFY(!isEdited());
        session.undoStack().redo();
        Scenario other = withLayers(named, 48);
        other.name = "inferred";
        session.editScenario(other, "Take over");
        QVERIFY(!isEdited());
        session.undoStack().undo();
        QVERIFY(isEdited());
        QVERIFY(session.save(file));
        QVERIFY(!isEdited());
    }

    // The model changes, the run stays where it fits; Save does not touch the file.
    void aModelsConfigReplacesTheModelAlone()
    {
        const QTemporaryDir folder;
        QFile file{folder.filePath("config.json")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "vocab_size": 50257})");
        file.close();
        Session session{Presets{}};
        session.editScenario(smallScenario(), "Layout");
        session.open({file.fileName()});
        QCOMPARE(session.scenario().model.hidden_size, std::int64_t{768});
        QCOMPARE(session.scenario().parallel, smallScenario().parallel);
        QCOMPARE(session.scenarioFile(), QString{});
        session.undoStack().undo();
        QCOMPARE(session.scenario(), smallScenario());
    }

    void ofSeveralScenariosTheFirstIsPinned()
    {
        const QTemporaryDir folder;
        const QString first = folder.filePath("a.scenario.json");
        const QString second = folder.filePath("b.scenario.json");
        QVERIFY(saveScenarioFile(first.toStdString(), withLayers(smallScenario(), 12)));
        QVERIFY(saveScenarioFile(second.toStdString(), withLayers(smallScenario(), 14)));
        Session session{Presets{}};
        session.open({first, second});
        turn();
        QCOMPARE(session.content().pinned->scenario.model.layers, 12);
        QCOMPARE(session.content().predicted->scenario.model.layers, 14);
    }

    // What the user has set stays.
    void theScenarioBesideTracesIsOpenedWhereNoneIsSet()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("run.scenario.json");
        QVERIFY(saveScenarioFile(file.toStdString(), withLayers(smallScenario(), 12)));
        Session untouched{Presets{}};
        untouched.open({folder.path()});
        QCOMPARE(untouched.scenario().model.layers, 12);
        QCOMPARE(untouched.scenarioFile(), file);
        Session set{Presets{}};
        set.editScenario(smallScenario(), "Layout");
        set.open({folder.path()});
        QCOMPARE(set.scenario(), smallScenario());
    }

    void aBrokenScenarioFileChangesNothing()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("broken.scenario.json");
        QFile file{path};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{ \"model\": { \"layerz\": 3 } }");
        file.close();
        Session session{Presets{}};
        const Scenario before = session.scenario();
        const QSignalSpy failed{&session, &Session::failed};
        session.open({path});
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed.front().front().toString().contains("layers")); // the nearest known key
        QCOMPARE(session.scenario(), before);
    }

    void savingWhereNothingCanBeWrittenIsSaid()
    {
        Session session{Presets{}};
        const QSignalSpy failed{&session, &Session::failed};
        QVERIFY(!session.save("/nowhere/at/all.scenario.json"));
        QCOMPARE(failed.count(), 1);
        QCOMPARE(session.scenarioFile(), QString{});
    }

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
        const QSignalSpy rejected{&session, &Session::tracesRejected};
        const QSignalSpy failed{&session, &Session::failed};
        const QSignalSpy opened{&session, &Session::opened};
        session.open({"/nowhere/rank0.json", sample.filePath("p2t2d2/rank-0.json.gz"),
                      sample.filePath("README.md"), "/nowhere/rank1.json",
                      sample.filePath("p2t2d2/rank-3.json.gz")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        QCOMPARE(session.content().measured->measurement.ranks.size(), std::size_t{2});
        QCOMPARE(session.content().measured->traces.files.size(), std::size_t{5});
        QCOMPARE(rejected.count(), 1);
        const QString sentence = rejected.front().front().toString();
        QVERIFY2(sentence.contains("rank0.json, rank1.json (there is no such file or folder"),
                 qPrintable(sentence));
        QVERIFY2(sentence.contains("README.md ("), qPrintable(sentence));
        QVERIFY2(sentence.endsWith("The other 2 files are shown."), qPrintable(sentence));
        QCOMPARE(failed.count(), 0);
        QCOMPARE(opened.count(), 2);
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
        const QSignalSpy told{&session, &Session::severalRunsOpened};
        session.open({folder.path()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        const auto shown = [&] {
            QStringList files;
            for (const TraceFile& file : session.content().measured->traces.files)
                files << QDir{folder.path()}.relativeFilePath(QString::fromStdString(file.path));
            return files;
        };
        QCOMPARE(shown(), (QStringList{"a/rank-0.json.gz", "a/rank-1.json.gz"}));
        QCOMPARE(told.count(), 1);
        QCOMPARE(session.shownRun(), std::optional<std::size_t>{0});
        session.showRun(1);
        QTRY_COMPARE_WITH_TIMEOUT(shown(), (QStringList{"b/rank-0.json.gz", "b/rank-1.json.gz"}), 60000);
        session.showRun(std::nullopt);
        QTRY_COMPARE_WITH_TIMEOUT(shown().size(), 4, 60000);
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
        turn();
        QVERIFY(!session.content().partial);
        QVERIFY(partial_files >= 1 && partial_files <= 8);
        QCOMPARE(session.content().measured->traces.files.size(), std::size_t{8});
    }

    void tracesOfAnotherRunThanTheScenariosAreTold_data()
    {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("times");
        QTest::newRow("eight ranks, two GPUs") << 2 << 1;
        QTest::newRow("eight ranks, eight GPUs") << 8 << 0;
    }
    void tracesOfAnotherRunThanTheScenariosAreTold()
    {
        QFETCH(int, pipeline);
        QFETCH(int, times);
        Session session{Presets{}};
        Scenario scenario = session.scenario();
        scenario.parallel.pipeline = pipeline;
        session.editScenario(scenario, "Pipeline");
        const QSignalSpy told{&session, &Session::otherRunOpened};
        session.open({QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        scenario.parallel.sequence_parallel = !scenario.parallel.sequence_parallel;
        session.editScenario(scenario, "Sequence parallel"); // analysed again, not told again
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QCOMPARE(told.count(), times);
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

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
