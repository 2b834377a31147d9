#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/main_window/calibration_dialog.h"
#include "widgets/panels/measurement/calibration_panel.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/panels/scenario/scenario_preset_list.h"
#include "widgets/session/session.h"

#include "core/scenario/own_presets.h"
#include "core/scenario/scenario_change.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <memory>

using namespace shardscope;

// A fitted cluster on its way into the user's own presets.
class TestCalibrationDialog : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    static Cluster clusterOf(const Session& session, double efficiency)
    {
        Cluster cluster = session.presets().cluster("dgx-a100")->cluster;
        cluster.preset.clear();
        cluster.collectives.intra_efficiency = efficiency;
        return cluster;
    }

    static double savedEfficiency(const Session& session)
    {
        const ClusterPreset* lab = session.presets().cluster("lab");
        return lab == nullptr ? 0.0 : lab->cluster.collectives.intra_efficiency;
    }

    // Answers the question that is open; false: none is.
    static bool answerQuestion(const CalibrationDialog& dialog, const QString& button)
    {
        auto* question = dialog.findChild<QMessageBox*>();
        if (question == nullptr)
            return false;
        for (QAbstractButton* each : question->buttons())
            if (each->text().remove('&') == button)
                each->click();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return true;
    }

private slots:
    void init()
    {
        failOnWarnings();
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("SHARDSCOPE_PRESETS", m_folder->filePath("own").toUtf8());
    }

    void aSavedClusterStandsInTheListAtOnce()
    {
        Session session{loadPresets().value()};
        ScenarioPanel controls{session.presets()};
        connect(&session, &Session::presetsChanged, &controls, &ScenarioPanel::refillPresets);
        const CalibrationDialog dialog{session};
        emit dialog.panel().saveWished("lab", clusterOf(session, 0.625), "fitted to 5 measurements");
        QCOMPARE(savedEfficiency(session), 0.625);
        QVERIFY(QFile::exists(m_folder->filePath("own/clusters/lab.json")));
        const auto lists = controls.findChildren<ScenarioPresetList*>();
        const bool is_listed = std::ranges::any_of(
            lists, [](const ScenarioPresetList* list) { return list->findText("lab (own)") >= 0; });
        QVERIFY(is_listed);
        QCOMPARE(session.presets().cluster("lab")->sources.front().source,
                 std::string{"fitted to 5 measurements"});
    }

    void aButtonClosesIt()
    {
        Session session{loadPresets().value()};
        CalibrationDialog dialog{session};
        dialog.show();
        auto* buttons = dialog.findChild<QDialogButtonBox*>();
        QVERIFY(buttons != nullptr);
        buttons->button(QDialogButtonBox::Close)->click();
        QVERIFY(!dialog.isVisible());
    }

    void aNameThatExistsIsAskedAbout()
    {
        Session session{loadPresets().value()};
        const CalibrationDialog dialog{session};
        emit dialog.panel().saveWished("lab", clusterOf(session, 0.625), {});
        QVERIFY(!answerQuestion(dialog, "Cancel"));
        emit dialog.panel().saveWished("lab", clusterOf(session, 0.75), {});
        QVERIFY(answerQuestion(dialog, "Cancel"));
        QCOMPARE(savedEfficiency(session), 0.625);
        emit dialog.panel().saveWished("lab", clusterOf(session, 0.75), {});
        QVERIFY(answerQuestion(dialog, "Replace"));
        QCOMPARE(savedEfficiency(session), 0.75);
    }

    void aNameThatCannotBeIsExplained()
    {
        Session session{loadPresets().value()};
        const CalibrationDialog dialog{session};
        const QSignalSpy failed{&session, &Session::failed};
        emit dialog.panel().saveWished("dgx-a100", clusterOf(session, 0.5), {});
        emit dialog.panel().saveWished("../lab", clusterOf(session, 0.5), {});
        QCOMPARE(failed.size(), 2);
        QVERIFY(failed[0][0].toString().contains("ships"));
    }

    void theScenarioTakesTheFitInOneStep()
    {
        Session session{loadPresets().value()};
        const CalibrationDialog dialog{session};
        Scenario scenario = session.scenario();
        scenario.cluster = clusterOf(session, 0.625);
        emit dialog.panel().scenarioWished(scenario);
        QVERIFY(session.scenario() == scenario);
        QCOMPARE(session.undoStack().count(), 1);
    }
};

QTEST_MAIN(TestCalibrationDialog)
#include "tst_calibration_dialog.moc"
