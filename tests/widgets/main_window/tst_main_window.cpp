#include <QAbstractItemView>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/main_window.h"
#include "widgets/main_window/picture_dock.h"
#include "widgets/main_window/stale_veil.h"
#include "widgets/panels/headline/headline_bar.h"
#include "widgets/panels/headline/headline_tile.h"
#include "widgets/panels/measurement/accuracy_panel.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/panels/scenario/scenario_preset_list.h"
#include "widgets/panels/scenario/scenario_row.h"
#include "widgets/session/session.h"

#include <algorithm>

using namespace shardscope;

namespace
{

int receiversOf(const QAction& action)
{
    struct Action : QAction {
        using QAction::receivers;
    };
    constexpr auto receivers = &Action::receivers;
    return (action.*receivers)(SIGNAL(triggered(bool))) + (action.*receivers)(SIGNAL(toggled(bool)));
}

// The explorer of collectives, the analysis and the sweeps are tabs; what each stands behind is seen.
bool isBehindAnother(const MainWindow& window, const QString& name)
{
    auto* dock = window.findChild<QDockWidget*>(name);
    return QStringList{"collective", "analysis", "sweeps"}.contains(name)
           && window.tabifiedDockWidgets(dock).size() == 1
           && !window.tabifiedDockWidgets(dock).front()->visibleRegion().isEmpty();
}

} // namespace

class TestMainWindow : public QObject
{
    Q_OBJECT
private slots:
    // Pictures are of an older scenario then.
    void anEditOutOfAPictureWaitsForALongPrediction()
    {
        MainWindow window{shippedPresets(), false};
        Session& session = window.session();
        Scenario scenario = session.scenario();
        scenario.parallel = {};
        scenario.parallel.pipeline = 8;
        scenario.training.micro_batch_size = 1;
        scenario.training.global_batch_size = 65536;
        const Scenario older = session.content().predicted->scenario;
        session.editScenario(scenario, "Batch");
        QCoreApplication::processEvents();
        QVERIFY(session.isPredicting());
        auto* picture = window.findChild<PicturePanel*>();
        emit picture->scenarioWished(older, "Older", -1);
        QCOMPARE(session.scenario(), scenario);
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        emit picture->scenarioWished(older, "Older", -1);
        QCOMPARE(session.scenario(), older);
    }

    void initTestCase()
    {
        QCoreApplication::setOrganizationName("shardscope-test");
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    }
    void init() { failOnWarnings(); }

    void everyPictureIsOnScreen_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("a desk") << QSize{1600, 1000};
        QTest::newRow("a projector") << QSize{1280, 720};
    }
    void everyPictureIsOnScreen()
    {
        QFETCH(QSize, size);
        MainWindow window{shippedPresets(), false};
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QCOMPARE(window.size(), size);
        for (const QString& name : window.panelNames()) {
            if (isBehindAnother(window, name))
                continue;
            const QWidget* panel = window.panel(name);
            QVERIFY2(panel && panel->isVisible() && panel->width() > 100, qPrintable(name));
            const QRect place{panel->mapTo(&window, QPoint{}), panel->size()};
            QVERIFY2(window.rect().contains(place), qPrintable(name));
        }
        QVERIFY(!window.panel("nothing"));
    }

    void movingASliderMovesTheHeadline()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        const QString before = window.headline().tiles().front()->value().value;
        Scenario scenario = window.session().scenario();
        scenario.model.layers *= 2;
        emit window.findChild<ScenarioPanel*>()->scenarioWished(scenario, "Layers", 1);
        QTRY_VERIFY(window.headline().tiles().front()->value().value != before);
        window.session().undoStack().undo();
        QTRY_COMPARE(window.headline().tiles().front()->value().value, before);
    }

    void aClickOnTheIterationShowsHowFarPredictionsAreOff()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        const auto& tiles = window.headline().tiles();
        const auto iteration = std::ranges::find_if(
            tiles, [](const HeadlineTile* tile) { return tile->title() == "Iteration"; });
        QVERIFY(iteration != tiles.end());
        QTest::mouseClick(*iteration, Qt::LeftButton);
        QCOMPARE(window.findChildren<AccuracyPanel*>().size(), 4); // steps, schedules, memory, messages
    }

    void undoWorksWhereverTheFocusIs()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* line = window.findChild<ScenarioPanel*>()->row("model.layers")->findChild<QLineEdit*>();
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, "12");
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(window.session().scenario().model.layers, 12);
        QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.session().scenario().model.layers, 24);
        QTest::keyClicks(line, "7"); // now it is the line's own undo
        QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.session().undoStack().index(), 0);
        QTest::keyClick(line, Qt::Key_Escape);
        QCOMPARE(line->text(), "24");
    }

    void aModelChosenByKeysIsTakenBackByKeys()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* line = window.findChild<ScenarioPanel*>()->findChild<ScenarioPresetList*>()->lineEdit();
        const std::string before = window.session().scenario().model.preset;
        line->setFocus();
        QTest::mouseClick(line, Qt::LeftButton);
        QTest::keyClick(line, Qt::Key_Down);
        QVERIFY(window.session().scenario().model.preset != before);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.session().scenario().model.preset, before);
    }

    // In full beside the slider and over the headline; each picture says in a few words what it is of.
    void anImpossibleScenarioIsSaidOnce()
    {
        MainWindow window{shippedPresets(), false};
        const auto* over_headline = window.headline().findChild<StaleVeil*>();
        QVERIFY(over_headline->sentence().isEmpty());
        window.show();
        Scenario scenario = window.session().scenario();
        scenario.parallel.tensor = scenario.model.attention_heads + 1;
        window.session().editScenario(scenario, "Tensor");
        QTRY_VERIFY(!window.findChild<ScenarioPanel*>()->row("parallel.tensor")->problem().isEmpty());
        QVERIFY(!window.headline().tiles().front()->isEnabled());
        const QString problem = window.findChild<ScenarioPanel*>()->row("parallel.tensor")->problem();
        QVERIFY2(over_headline->sentence().startsWith(problem), qPrintable(over_headline->sentence()));
        QVERIFY(!window.panel("memory")->findChild<StaleVeil*>()->isHidden());
        QVERIFY(!window.panel("memory")->findChild<StaleVeil*>()->sentence().contains(problem));
        QVERIFY(window.panel("analysis")->findChild<StaleVeil*>()->isHidden()); // of what was measured
        // A picture would bring back what it shows, without what was typed.
        auto* heatmap = qobject_cast<PicturePanel*>(window.panel("heatmap"));
        emit heatmap->scenarioWished(Scenario{}, "Order of ranks");
        QCOMPARE(window.session().scenario().parallel.tensor, scenario.parallel.tensor);
        window.session().undoStack().undo();
        QTRY_VERIFY(window.findChild<ScenarioPanel*>()->row("parallel.tensor")->problem().isEmpty());
        QVERIFY(window.headline().tiles().front()->isEnabled());
        QVERIFY(over_headline->isHidden());
    }

    void onePictureIsEnlargedAndAllComeBack()
    {
        MainWindow window{shippedPresets(), false};
        window.resize(1600, 1000);
        window.show();
        QStringList names = window.panelNames();
        names.removeAll("scenario");
        names.removeAll("headline");
        if (names.size() < 2)
            QSKIP("there are no pictures to enlarge");
        QCoreApplication::processEvents();
        const QSize before = window.panel(names[0])->size();
        window.enlarge(names[0]);
        QCoreApplication::processEvents();
        QVERIFY(window.panel(names[0])->isVisible());
        QVERIFY(!window.panel(names[1])->isVisible());
        QVERIFY(window.panel(names[0])->height() > before.height());
        QTest::keyClick(&window, Qt::Key_Escape);
        QCoreApplication::processEvents();
        QVERIFY(window.panel(names[1])->isVisible());
        QCOMPARE(window.panel(names[0])->size(), before);
    }

    // Of a table that is enlarged too, and where the timeline is behind another picture.
    void whatATableLeadsToIsSeenBesideIt()
    {
        MainWindow window{shippedPresets(), false};
        window.resize(1600, 1000);
        window.show();
        window.enlarge("analysis");
        window.findChild<QDockWidget*>("sweeps")->raise();
        QCoreApplication::processEvents();
        auto* analysis = qobject_cast<PicturePanel*>(window.panel("analysis"));
        emit analysis->walkWished({std::make_shared<MeasuredRun>(), {{0, EventIndex{0}}}, "calls"});
        QCoreApplication::processEvents();
        QVERIFY(window.panel("timeline")->isVisible());
        QVERIFY(!window.panel("timeline")->visibleRegion().isEmpty());
        QVERIFY(!window.panel("analysis")->visibleRegion().isEmpty());
    }

    // As an open list of an enlarged picture: Esc is its own.
    void escClosesAListAndNothingElse()
    {
        MainWindow window{shippedPresets(), false};
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.panel("memory")->isVisible());
        window.enlarge("sweeps");
        auto* box = window.panel("sweeps")->findChild<QComboBox*>();
        QVERIFY(box);
        box->showPopup();
        QVERIFY(QApplication::activePopupWidget());
        QTest::keyClick(box->view(), Qt::Key_Escape);
        QCoreApplication::processEvents();
        QVERIFY(!QApplication::activePopupWidget());
        QVERIFY(!window.panel("memory")->isVisible());
    }

    void whatTheProgramBeginsWithCannotBeUndone()
    {
        MainWindow window{shippedPresets(), false};
        window.begin({});
        QVERIFY(!window.session().undoStack().canUndo());
        Scenario edited = window.session().scenario();
        edited.parallel.data *= 2;
        window.session().editScenario(edited, "Data");
        QVERIFY(window.session().undoStack().canUndo());
    }

    void examplesStandByPaper()
    {
        MainWindow window{shippedPresets(), false};
        QMenu* examples = nullptr;
        for (QMenu* menu : window.findChildren<QMenu*>())
            if (menu->title().contains("xamples"))
                examples = menu;
        QVERIFY(examples);
        emit examples->aboutToShow();
        const QList<QAction*> actions = examples->actions();
        QVERIFY(actions.front()->text().startsWith("First steps"));
        QStringList papers;
        for (const QAction* action : actions)
            if (action->menu())
                papers << action->text();
        QVERIFY(papers.contains("Li et al. 2024"));
        QVERIFY(papers.contains("Korthikanti et al. 2022"));
        QCOMPARE(papers.removeDuplicates(), qsizetype{0});
    }

    void whatALargerWindowGainsGoesToThePictures()
    {
        MainWindow window{shippedPresets(), false};
        window.resize(1200, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const auto* scenario = window.findChild<QDockWidget*>("scenario");
        QVERIFY(scenario);
        QTest::qWait(0);
        const int before = scenario->width();
        window.resize(1000, 800);
        QTest::qWait(0);
        window.resize(1600, 800);
        QTest::qWait(0);
        QVERIFY2(scenario->width() <= before, qPrintable(QString::number(scenario->width())));
        QVERIFY(scenario->maximumWidth() > scenario->minimumWidth()); // the user may still drag it
    }

    void theLayoutIsResetAsItWas()
    {
        MainWindow window{shippedPresets(), false};
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QHash<QString, QRect> before;
        for (const QString& name : window.panelNames())
            if (!isBehindAnother(window, name))
                before[name] = {window.panel(name)->mapTo(&window, QPoint{}), window.panel(name)->size()};
        auto* memory = window.findChild<QDockWidget*>("memory");
        memory->setFloating(true);
        window.findChild<QDockWidget*>("time")->close();
        window.findChild<QDockWidget*>("scenario")->close();
        QCoreApplication::processEvents();
        for (QAction* action : window.findChildren<QAction*>()) {
            if (action->text() == "&Reset layout")
                action->trigger();
        }
        QTest::qWait(50); // layouts of several levels
        QVERIFY(!memory->isFloating());
        for (const QString& name : before.keys()) {
            QVERIFY2(window.panel(name)->isVisible(), qPrintable(name));
            const QRect now{window.panel(name)->mapTo(&window, QPoint{}), window.panel(name)->size()};
            QVERIFY2((now.topLeft() - before[name].topLeft()).manhattanLength() < 12, qPrintable(name));
        }
    }

    void theScenarioIsCopiedForTheFrameworks()
    {
        MainWindow window{shippedPresets(), false};
        const auto copied = [&window](const QString& entry) {
            QGuiApplication::clipboard()->clear();
            for (QAction* action : window.findChildren<QAction*>())
                if (action->text() == entry)
                    action->trigger();
            return QGuiApplication::clipboard()->text();
        };
        const QString arguments = copied("Copy as Megatron-LM arguments");
        QVERIFY(arguments.startsWith("# shardscope cluster: dgx-a100\n"));
        QVERIFY(arguments.contains("--tensor-model-parallel-size 1"));
        const QJsonDocument config =
            QJsonDocument::fromJson(copied("Copy as DeepSpeed configuration").toUtf8());
        QCOMPARE(config["train_batch_size"].toInt(), 512);
    }

    void theLayoutIsRemembered()
    {
        {
            MainWindow window{shippedPresets(), true};
            window.resize(1300, 800);
            window.show();
            QCoreApplication::processEvents();
            window.close();
        }
        MainWindow window{shippedPresets(), true};
        QCOMPARE(window.size(), (QSize{1300, 800}));
        const MainWindow other{shippedPresets(), false};
        QVERIFY(other.size() != (QSize{1300, 800}));
    }

    // Something hears of it beside the menu that it stands in.
    void everyMenuEntryDoesSomething()
    {
        MainWindow window{shippedPresets(), false};
        QMenu plain;
        const int of_its_menu = receiversOf(*plain.addAction("nothing"));
        int entries = 0;
        for (const QMenu* menu : window.findChildren<QMenu*>()) {
            for (QAction* action : menu->actions()) {
                if (action->isSeparator() || action->menu() || !action->isEnabled())
                    continue;
                ++entries;
                QVERIFY2(!action->text().isEmpty(), qPrintable(menu->title()));
                QVERIFY2(receiversOf(*action) > of_its_menu, qPrintable(action->text()));
            }
        }
        QVERIFY(entries > 100);
    }

private:
    QTemporaryDir m_folder;
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
