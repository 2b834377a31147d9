#include <QLineEdit>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/main_window.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/panels/scenario/scenario_row.h"
#include "widgets/panels/scenario/world_lock.h"
#include "widgets/session/session.h"

using namespace shardscope;

namespace
{

void type(MainWindow& window, const char* key, const char* number)
{
    auto* line = window.findChild<ScenarioPanel*>()->row(key)->findChild<QLineEdit*>();
    line->selectAll();
    QTest::keyClicks(line, number);
    QTest::keyClick(line, Qt::Key_Return);
}

QString keptNumber(const WorldLock& lock)
{
    static const QRegularExpression number{"Locked at (\\d+) GPU"};
    const QString kept = number.match(lock.toolTip()).captured(1);
    return lock.isChecked() && !kept.isEmpty() ? kept : "none";
}

} // namespace

// The form in the window: what the session does to it, and what it says outside of itself.
class TestScenarioForm : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aNumberOfGpusIsKeptUntilAnotherDocumentComes()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        Session& session = window.session();
        const WorldLock& lock = *window.findChild<WorldLock*>();
        session.newScenario();
        type(window, "world_size", "1024");
        type(window, "parallel.pipeline", "16");
        type(window, "parallel.tensor", "8");
        QCOMPARE(session.scenario().worldSize(), 1024);
        QVERIFY(lock.isChecked());
        for (int step = 0; step < 3; ++step)
            session.undoStack().undo();
        QVERIFY(!lock.isChecked());
        for (int step = 0; step < 3; ++step)
            session.undoStack().redo();
        QVERIFY(lock.isChecked());
        session.newScenario();
        QVERIFY(!lock.isChecked());
        session.undoStack().undo(); // to the document whose number was set
        QVERIFY(lock.isChecked());
    }

    void theLockIsAtEachStepOfTheHistoryAsItWasLeftThere_data()
    {
        QTest::addColumn<QString>("deeds"); // and the number that is kept afterwards
        QTest::newRow("two numbers")
            << "world_size=64: 64, world_size=128: 128, undo: 64, undo: none, redo: 64, redo: 128";
        QTest::newRow("a number, then other figures")
            << "world_size=64: 64, parallel.tensor=4: 64, model.layers=48: 64, undo: 64, undo: 64, undo: "
               "none, redo: 64, redo: 64";
        QTest::newRow("a number after other figures")
            << "parallel.data=8: none, world_size=16: 16, undo: none, undo: none, redo: none, redo: 16";
        QTest::newRow("a number that is not divided")
            << "parallel.pipeline=2: none, world_size=65: 65, parallel.tensor=5: 65, undo: 65, undo: none, "
               "redo: 65";
        QTest::newRow("a number that was there before")
            << "world_size=64: 64, world_size=1: 1, world_size=64: 64, undo: 1, undo: 64, undo: none, redo: "
               "64, redo: 1";
        QTest::newRow("the number that it has already is no step")
            << "parallel.data=8: none, world_size=8: 8, model.layers=48: 8, undo: 8, undo: none, redo: 8";
        QTest::newRow("opened by a click")
            << "world_size=64: 64, click: none, parallel.tensor=4: none, undo: none, undo: none, redo: none";
        QTest::newRow("opened by a click, a step later")
            << "world_size=64: 64, parallel.tensor=4: 64, click: none, undo: 64, redo: none";
        QTest::newRow("closed by a click")
            << "parallel.data=8: none, click: 8, world_size=64: 64, undo: 8, undo: none, redo: 8, redo: 64";
        QTest::newRow("another way from an earlier step")
            << "world_size=64: 64, world_size=128: 128, undo: 64, parallel.tensor=4: 64, undo: 64, undo: "
               "none";
        QTest::newRow("another document")
            << "world_size=64: 64, new: none, undo: 64, redo: none, undo: 64, undo: none";
    }
    void theLockIsAtEachStepOfTheHistoryAsItWasLeftThere()
    {
        QFETCH(QString, deeds);
        MainWindow window{shippedPresets(), false};
        window.show();
        window.session().newScenario();
        auto& lock = *window.findChild<WorldLock*>();
        for (const QString& deed : deeds.split(", ")) {
            const QByteArray what = deed.split(':')[0].toUtf8();
            if (what == "undo")
                window.session().undoStack().undo();
            else if (what == "redo")
                window.session().undoStack().redo();
            else if (what == "new")
                window.session().newScenario();
            else if (what == "click")
                lock.click();
            else
                type(window, what.split('=')[0].constData(), what.split('=')[1].constData());
            QCOMPARE(what + ": " + keptNumber(lock), deed);
        }
    }

    void whatFollowsAnEditIsSaidBelow()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        window.session().newScenario();
        ScenarioRow& stages = *window.findChild<ScenarioPanel*>()->row("parallel.zero_stage");
        controlOf<QAbstractButton>(stages, "ZeRO stage: 1").click();
        QVERIFY(window.statusBar()->currentMessage().startsWith("Also changed with ZeRO stage 1"));
    }
};

QTEST_MAIN(TestScenarioForm)
#include "tst_scenario_form.moc"
