#include <QLineEdit>
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
        session.undoStack().undo(); // to a document whose number nobody has set since
        QVERIFY(!lock.isChecked());
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
