#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/main_window.h"
#include "widgets/main_window/message_line.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/panels/scenario/scenario_row.h"
#include "widgets/session/session.h"
#include "widgets/session/unsaved_scenarios.h"

using namespace shardscope;

// A scenario without a file, from one start of the window to the next.
class TestUnsavedScenario : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("shardscope-test");
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    }

    void whatWasNotSavedIsOfferedOnce()
    {
        std::int64_t layers = 0;
        {
            MainWindow window{shippedPresets(), true};
            window.begin({});
            QCOMPARE(window.messages().count(), 0);
            Scenario scenario = window.session().scenario();
            layers = scenario.model.layers += 2;
            window.session().editScenario(scenario, "Layers");
            window.close();
        }
        {
            MainWindow window{shippedPresets(), true};
            window.begin({});
            QCOMPARE(window.messages().count(), 1);
            QVERIFY(window.messages().currentText().contains("not been saved"));
            QVERIFY(window.session().scenario().model.layers != layers);
            window.close();
        }
        MainWindow window{shippedPresets(), true};
        window.begin({});
        QCOMPARE(window.messages().count(), 0);
    }

    void whatGivesWayToAnotherIsAmongTheRecentOnes()
    {
        MainWindow window{shippedPresets(), true};
        window.begin({});
        const auto withLayers = [&](int layers) {
            Scenario scenario = window.session().scenario();
            scenario.model.layers = layers;
            return scenario;
        };
        const Scenario first = withLayers(62);
        const Scenario second = withLayers(64);
        const auto openUnsaved = [&](int place) {
            const auto find = [](const QMenu& menu, const QString& text) {
                for (QAction* action : menu.actions())
                    if (action->text() == text)
                        return action;
                return static_cast<QAction*>(nullptr);
            };
            QMenu* recent =
                find(*window.findChild<QMenuBar*>()->actions().front()->menu(), "&Recent")->menu();
            emit recent->aboutToShow();
            QList<QAction*> kept;
            for (QAction* action : recent->actions())
                if (action->text().startsWith("Unsaved scenario of "))
                    kept << action;
            kept.at(place)->trigger();
        };
        window.session().editScenario(first, "Layers");
        window.session().newScenario();
        QVERIFY(window.session().scenario().model.layers != 62);
        window.session().editScenario(second, "Layers");
        openUnsaved(0);
        QCOMPARE(window.session().scenario().model.layers, 62);
        QVERIFY(window.session().isModified());
        openUnsaved(0); // which gave way just now
        QCOMPARE(window.session().scenario().model.layers, 64);
    }

    void whatIsNotedIsOpenedThoughAnotherOneWasKeptSince()
    {
        const auto edit = [](MainWindow& window, int layers) {
            Scenario scenario = window.session().scenario();
            scenario.model.layers = layers;
            window.session().editScenario(scenario, "Layers");
        };
        {
            MainWindow window{shippedPresets(), true};
            window.begin({});
            edit(window, 70);
            window.close();
        }
        MainWindow window{shippedPresets(), true};
        window.begin({});
        edit(window, 72);
        window.session().newScenario();
        window.messages().findChild<QPushButton*>()->click();
        QCOMPARE(window.session().scenario().model.layers, 70);
        QVERIFY(window.session().scenario().name.empty()); // it is the example no longer
    }

    void whatIsTypedAndNotConfirmedCounts()
    {
        MainWindow window{shippedPresets(), true};
        window.begin({});
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* field = window.findChild<ScenarioPanel*>()->row("model.layers")->findChild<QLineEdit*>();
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, "74");
        window.session().newScenario();
        const QList<UnsavedScenarios::Kept> kept = UnsavedScenarios::all();
        window.session().openUnsaved(kept.first().file);
        QCOMPARE(window.session().scenario().model.layers, 74);
    }
};

QTEST_MAIN(TestUnsavedScenario)
#include "tst_unsaved_scenario.moc"
