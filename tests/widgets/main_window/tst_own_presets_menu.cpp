#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/main_window/own_presets_dialog.h"
#include "widgets/main_window/own_presets_menu.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/panels/scenario/scenario_preset_list.h"
#include "widgets/session/session.h"

#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>

#include <algorithm>
#include <memory>

using namespace shardscope;

// A model and a cluster that were set up by hand, on their way into the user's own presets and out of them.
class TestOwnPresetsMenu : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    static void press(const QWidget& parent, const QString& text)
    {
        for (auto* button : parent.findChildren<QPushButton*>())
            if (button->text().remove('&') == text && button->isVisible())
                return button->click();
        QFAIL(qPrintable(text));
    }

    static void setLayers(Session& session, std::int64_t layers)
    {
        Scenario scenario = session.scenario();
        scenario.model.preset.clear();
        scenario.model.layers = layers;
        session.editScenario(scenario, "Layers");
    }

    static std::int64_t savedLayers(const Session& session, const char* name)
    {
        const ModelPreset* preset = session.presets().model(name);
        return preset == nullptr ? 0 : preset->model.layers;
    }

private slots:
    void init()
    {
        failOnWarnings();
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("SHARDSCOPE_PRESETS", m_folder->filePath("own").toUtf8());
    }

    void aSavedModelStandsInTheListAndIsTheScenarios()
    {
        Session session{loadPresets().value()};
        ScenarioPanel controls{session.presets()};
        connect(&session, &Session::presetsChanged, &controls, &ScenarioPanel::refillPresets);
        connect(&session, &Session::scenarioChanged, &controls, &ScenarioPanel::setScenario);
        QWidget window;
        OwnPresetsMenu menu{session, window};
        setLayers(session, 77);
        menu.saveAs(PresetKind::model, "mine");
        QCOMPARE(savedLayers(session, "mine"), 77);
        QCOMPARE(session.scenario().model.preset, std::string{"mine"});
        const auto lists = controls.findChildren<ScenarioPresetList*>();
        QVERIFY(std::ranges::any_of(
            lists, [](const ScenarioPresetList* list) { return list->currentText() == "mine (own)"; }));
    }

    void aSavedClusterIsTheScenarios()
    {
        Session session{loadPresets().value()};
        QWidget window;
        OwnPresetsMenu menu{session, window};
        Scenario scenario = session.scenario();
        scenario.cluster.intra_node.bandwidth_GBps = 123.0;
        session.editScenario(scenario, "Link");
        menu.saveAs(PresetKind::cluster, "lab");
        QCOMPARE(session.presets().cluster("lab")->cluster.intra_node.bandwidth_GBps, 123.0);
        QCOMPARE(session.scenario().cluster.preset, std::string{"lab"});
    }

    void whatHasTheNameIsReplacedOnlyWhenTheUserSaysSo()
    {
        Session session{loadPresets().value()};
        QWidget window;
        OwnPresetsMenu menu{session, window};
        window.show();
        setLayers(session, 77);
        menu.saveAs(PresetKind::model, "mine");
        setLayers(session, 78);
        menu.saveAs(PresetKind::model, "mine");
        QCOMPARE(savedLayers(session, "mine"), 77);
        press(window, "Cancel");
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCOMPARE(savedLayers(session, "mine"), 77);
        menu.saveAs(PresetKind::model, "mine");
        press(window, "Replace");
        QCOMPARE(savedLayers(session, "mine"), 78);
    }

    void theDialogDeletesAfterAQuestion()
    {
        Session session{loadPresets().value()};
        QVERIFY(session.savePreset(PresetKind::model, "mine"));
        OwnPresetsDialog dialog{session};
        dialog.show();
        const auto* list = dialog.findChild<QListWidget*>();
        QCOMPARE(list->count(), 1);
        press(dialog, "Delete...");
        press(*dialog.findChild<QMessageBox*>(), "Delete");
        QCOMPARE(savedLayers(session, "mine"), 0);
        QCOMPARE(list->count(), 0);
    }

    void aPresetThatIsRenamedKeepsTheScenarioItsOwn()
    {
        Session session{loadPresets().value()};
        QVERIFY(session.savePreset(PresetKind::model, "mine"));
        QVERIFY(session.renamePreset(PresetKind::model, "mine", "ours"));
        QCOMPARE(session.scenario().model.preset, std::string{"ours"});
        QVERIFY(session.presets().model("mine") == nullptr);
    }
};

QTEST_MAIN(TestOwnPresetsMenu)
#include "tst_own_presets_menu.moc"
