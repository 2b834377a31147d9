#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/session/session.h"

#include "core/scenario/scenario_json.h"

using namespace shardscope;

namespace
{

Scenario withLayers(Scenario scenario, int layers)
{
    scenario.model.layers = layers;
    return scenario;
}

Scenario named(Scenario scenario, const char* name)
{
    scenario.name = name;
    return scenario;
}

} // namespace

// Which file the scenario on screen belongs to, whether it is the one that the file holds, and whose its name
// is.
class TestScenarioDocument : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString fileOf(const QString& name, int layers, const char* title = "")
    {
        const QString file = m_folder.filePath(name + ".scenario.json");
        return saveScenarioFile(file.toStdString(), named(withLayers({}, layers), title)) ? file : QString{};
    }

    QString brokenFile()
    {
        QFile file{m_folder.filePath("broken.scenario.json")};
        return file.open(QIODevice::WriteOnly) && file.write("{ broken") > 0 ? file.fileName() : QString{};
    }

private slots:
    void init() { failOnWarnings(); }

    void anOpenedFileThatIsTakenBackLeavesTheOlderOneAsItWas()
    {
        const QString first = fileOf("a", 12);
        const QString second = fileOf("b", 14);
        Session session{Presets{}};
        session.open({first});
        session.open({second});
        session.undoStack().undo();
        QCOMPARE(session.scenarioFile(), first);
        QVERIFY(!session.isModified());
        session.undoStack().redo();
        QCOMPARE(session.scenarioFile(), second);
        QVERIFY(!session.isModified());
    }

    void aScenarioIsModifiedWhereItIsNotWhatItsFileHolds()
    {
        Session session{Presets{}};
        session.open({fileOf("a", 12)});
        const Scenario held = session.scenario();
        session.editScenario(withLayers(held, 24), "Layers");
        QVERIFY(session.isModified());
        session.editScenario(held, "Layers");
        QVERIFY(!session.isModified());
    }

    void anotherDocumentIsToldBeforeItsScenario()
    {
        Session session{Presets{}};
        QStringList told;
        connect(&session, &Session::documentChanged, this, [&] { told << "document"; });
        connect(&session, &Session::scenarioChanged, this, [&] { told << "scenario"; });
        session.editScenario(withLayers(session.scenario(), 20), "Layers");
        QCOMPARE(told, QStringList{"scenario"});
        told.clear();
        session.open({fileOf("a", 12)});
        session.undoStack().undo();
        QCOMPARE(told, (QStringList{"document", "scenario", "document", "scenario"}));
    }

    void aSaveHoldsForTheStepsBackToo()
    {
        const QString file = m_folder.filePath("saved.scenario.json");
        Session session{Presets{}};
        session.newScenario();
        session.editScenario(withLayers(session.scenario(), 20), "Layers");
        QVERIFY(session.save(file));
        session.undoStack().undo();
        QCOMPARE(session.scenarioFile(), file);
        QVERIFY(session.isModified());
        session.undoStack().redo();
        QCOMPARE(session.scenarioFile(), file);
        QVERIFY(!session.isModified());
    }

    void aNameThatTheUserGaveStays()
    {
        const QString file = m_folder.filePath("given.scenario.json");
        Session session{Presets{}};
        session.openCopy(fileOf("example", 12, "example"));
        session.editScenario(withLayers(session.scenario(), 20), "Layers");
        QVERIFY(session.isEdited());
        session.editScenario(named(session.scenario(), "Named first"), "Name");
        session.editScenario(withLayers(session.scenario(), 22), "Layers");
        QVERIFY(!session.isEdited());
        QVERIFY(session.save(file));
        QCOMPARE(session.scenario().name, std::string{"Named first"});
    }

    // Its name is the file's, which holds something else by now.
    void aStepBackBehindASaveIsEdited()
    {
        const QString file = fileOf("saved", 12, "saved");
        Session session{Presets{}};
        session.open({file});
        session.editScenario(withLayers(session.scenario(), 20), "Layers");
        QVERIFY(session.save(file));
        QVERIFY(!session.isEdited());
        session.undoStack().undo();
        QVERIFY(session.isEdited());
        session.undoStack().redo();
        QVERIFY(!session.isEdited());
    }

    void whoeverIsAskedMayKeepTheScenarioOnScreen()
    {
        const QString first = fileOf("a", 12);
        const QString second = fileOf("b", 14);
        Session session{Presets{}};
        session.open({first});
        int asked = 0;
        bool may_replace = false;
        session.setMayReplace([&] {
            ++asked;
            return may_replace;
        });
        session.open({second, QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        session.newScenario();
        session.openCopy(second);
        QCOMPARE(asked, 3);
        QCOMPARE(session.scenarioFile(), first);
        QVERIFY(!session.isImporting());
        may_replace = true;
        session.open({second});
        QCOMPARE(session.scenarioFile(), second);
    }

    void aFileThatCannotBeReadAsksNobody()
    {
        Session session{Presets{}};
        bool is_asked = false;
        session.setMayReplace([&] { return is_asked = true; });
        const QSignalSpy failed{&session, &Session::failed};
        session.open({brokenFile()});
        QCOMPARE(failed.count(), 1);
        QVERIFY(!is_asked);
    }

    void filesThatCannotBeReadAreToldThoughTheScenarioOnScreenStays()
    {
        Session session{Presets{}};
        session.setMayReplace([] { return false; });
        const QSignalSpy failed{&session, &Session::failed};
        session.open({brokenFile(), fileOf("good", 14)});
        QCOMPARE(failed.count(), 1);
        QCOMPARE(session.scenarioFile(), QString{});
    }

    // The answer to the question is to save: the file holds something else than when it was read.
    void theOpenFileOpenedAgainShowsWhatWasSavedMeanwhile()
    {
        const QString file = fileOf("again", 12);
        Session session{Presets{}};
        session.open({file});
        session.editScenario(withLayers(session.scenario(), 16), "Layers");
        session.setMayReplace([&] { return session.save(file); });
        session.open({file});
        QCOMPARE(session.scenario().model.layers, 16);
        QVERIFY(!session.isModified());
    }

    void aSaveUnderAnotherNameLeavesTheHistoryAsItIs()
    {
        const QString file = m_folder.filePath("other.scenario.json");
        Session session{Presets{}};
        session.openCopy(fileOf("example", 12, "example"));
        session.editScenario(withLayers(session.scenario(), 20), "Layers");
        session.editScenario(withLayers(session.scenario(), 22), "Layers");
        session.undoStack().undo();
        const int steps = session.undoStack().count();
        QVERIFY(session.save(file));
        QCOMPARE(session.scenario().name, std::string{});
        QCOMPARE(session.undoStack().count(), steps);
        QVERIFY(session.undoStack().canRedo());
        session.undoStack().redo();
        QVERIFY(session.isModified());
        QCOMPARE(session.scenario().name, std::string{});
        session.undoStack().undo();
        QVERIFY(!session.isModified());
    }

    void whatShipsIsOpenedAsACopy()
    {
        Session session{Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets").value()};
        session.open({QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/sample.scenario.json")});
        QCOMPARE(session.scenario().worldSize(), 8);
        QVERIFY(session.scenarioFile().isEmpty());
        QVERIFY(!session.isModified());
    }

    void whatWasKeptUnsavedStillIs()
    {
        Session session{Presets{}};
        session.openUnsaved(fileOf("kept", 10));
        QCOMPARE(session.scenario().model.layers, 10);
        QVERIFY(session.scenarioFile().isEmpty());
        QVERIFY(session.isModified());
        QVERIFY(!session.isEdited());
    }

    // What was wrong with one is told after what the other takes away.
    void ofSeveralFilesOneThatIsBrokenIsStillTold()
    {
        Session session{Presets{}};
        QStringList told;
        connect(&session, &Session::outdated, this, [&] { told << "outdated"; });
        connect(&session, &Session::failed, this, [&] { told << "failed"; });
        session.open({brokenFile(), fileOf("a", 12)});
        QCOMPARE(told, (QStringList{"outdated", "failed"}));
        QVERIFY(!session.content().pinned);
    }
};

QTEST_GUILESS_MAIN(TestScenarioDocument)
#include "tst_scenario_document.moc"
