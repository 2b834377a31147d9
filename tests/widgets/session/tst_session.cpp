#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
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

// Its schedule takes longer than a frame: half a million passes.
Scenario longScenario()
{
    Scenario scenario = smallScenario();
    scenario.parallel.pipeline = 8;
    scenario.training.global_batch_size = 65536;
    scenario.training.micro_batch_size = 1;
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
    void init() { failOnWarnings(); }

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

    void aLongScheduleIsPlayedBesideTheWindow()
    {
        Session session{Presets{}};
        const auto before = session.content().predicted;
        const QSignalSpy answered{&session, &Session::contentChanged};
        session.editScenario(longScenario(), "Batch");
        turn();
        QCOMPARE(session.content().predicted, before);
        QVERIFY(!session.content().stale);
        QVERIFY(!session.isSettled());
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QCOMPARE(session.content().predicted->scenario, longScenario());
        QCOMPARE(answered.count(), 2);
    }

    void anOlderAnswerDoesNotComeAfterwards()
    {
        Session session{Presets{}};
        const auto before = session.content().predicted;
        session.editScenario(longScenario(), "Batch");
        turn();
        QVERIFY(!session.isSettled());
        session.undoStack().undo();
        turn();
        QVERIFY(session.isSettled());
        QTest::qWait(200);
        QCOMPARE(session.content().predicted, before);
    }

    void anImpossibleScenarioStaysVeiledUntilTheLongAnswer()
    {
        Session session{Presets{}};
        Scenario impossible = smallScenario();
        impossible.parallel.tensor = 3;
        session.editScenario(impossible, "Tensor");
        turn();
        session.editScenario(longScenario(), "Batch");
        turn();
        QVERIFY(session.problems().empty());
        QVERIFY(session.content().stale);
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QVERIFY(!session.content().stale);
        QCOMPARE(session.content().predicted->scenario, longScenario());
    }

    void pinWaitsForALongSchedule()
    {
        Session session{Presets{}};
        session.editScenario(longScenario(), "Batch");
        session.pin();
        session.editScenario(smallScenario(), "Layout");
        turn();
        QCOMPARE(session.content().pinned->scenario, longScenario());
        QCOMPARE(session.content().predicted->scenario, smallScenario());
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
        QVERIFY(session.save(folder.filePath("other.scenario.json")));
        QVERIFY(!isEdited());
        QCOMPARE(session.scenario().name, std::string{});
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

    // The run changes, model and cluster stay; with a model's config it makes one scenario.
    void aConfigurationOfDeepSpeedIsLaidOverWhatIsOnScreen()
    {
        const QTemporaryDir folder;
        const auto written = [&](const char* name, const char* text) {
            QFile file{folder.filePath(name)};
            return file.open(QIODevice::WriteOnly) && file.write(text) > 0 ? file.fileName() : QString{};
        };
        const QString config = written("ds_config.json", R"({"zero_optimization": {"stage": 2},
            "fp16": {"enabled": true}, "train_batch_size": 64, "train_micro_batch_size_per_gpu": 2,
            "gradient_accumulation_steps": 2})");
        const QString model = written("config.json", R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768,
            "n_head": 12, "vocab_size": 50257})");
        Session session{Presets{}};
        session.editScenario(smallScenario(), "Layout");
        session.open({config});
        QCOMPARE(session.scenario().model, smallScenario().model);
        QCOMPARE(session.scenario().parallel.zero_stage, 2);
        QCOMPARE(session.scenario().parallel.data, std::int64_t{16});
        QCOMPARE(session.scenarioFile(), QString{});
        session.undoStack().undo();
        QCOMPARE(session.scenario(), smallScenario());
        session.open({model, config});
        QCOMPARE(session.scenario().model.hidden_size, std::int64_t{768});
        QCOMPARE(session.scenario().parallel.zero_stage, 2);
        turn();
        QVERIFY(!session.content().pinned);
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
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
