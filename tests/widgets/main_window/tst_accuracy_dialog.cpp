#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/accuracy_dialog.h"
#include "widgets/panels/measurement/accuracy_panel.h"
#include "widgets/session/session.h"

#include <QDialog>
#include <QTabWidget>
#include <QTreeWidget>

#include <memory>

using namespace shardscope;

class TestAccuracyDialog : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void everySortOfMeasurementHasItsPoints()
    {
        Session session{shippedPresets()};
        const std::unique_ptr<QDialog> dialog{showAccuracy(session, nullptr)};
        QVERIFY(dialog);
        const QList<AccuracyPanel*> panels = dialog->findChildren<AccuracyPanel*>();
        QCOMPARE(panels.size(), 4); // steps, schedules, memory, messages
        for (const AccuracyPanel* panel : panels)
            QVERIFY(panel->findChild<QTreeWidget*>()->topLevelItemCount() > 3);
    }

    void stepsToldInPartAreShownAndCountedByThemselves()
    {
        Session session{shippedPresets()};
        const std::unique_ptr<QDialog> dialog{showAccuracy(session, nullptr)};
        const auto* tabs = dialog->findChild<QTabWidget*>();
        const auto* of_steps = tabs->widget(0)->findChild<QTreeWidget*>();
        QCOMPARE(of_steps->topLevelItem(0)->text(0), "All told in full");
        QCOMPARE(of_steps->topLevelItem(1)->text(0), "All told in part");
        QVERIFY(of_steps->topLevelItem(1)->text(1).toInt() >= 100);
        for (int other = 1; other < tabs->count(); ++other)
            QCOMPARE(tabs->widget(other)->findChild<QTreeWidget*>()->topLevelItem(0)->text(0), "All");
    }

    void aSystemBecomesTheScenariosCluster()
    {
        Session session{shippedPresets()};
        const std::unique_ptr<QDialog> dialog{showAccuracy(session, nullptr)};
        const Model model = session.scenario().model;
        emit dialog->findChildren<AccuracyPanel*>().back()->systemChosen("gb200-nvl72");
        QCOMPARE(session.scenario().cluster.preset, std::string{"gb200-nvl72"});
        QVERIFY(session.scenario().model == model);
    }

    void aCaseBecomesTheScenario()
    {
        Session session{shippedPresets()};
        const std::unique_ptr<QDialog> dialog{showAccuracy(session, nullptr)};
        Scenario published;
        published.name = "published";
        emit dialog->findChildren<AccuracyPanel*>().front()->opened(published, "published");
        QCOMPARE(session.scenario().name, std::string{"published"});
    }
};

QTEST_MAIN(TestAccuracyDialog)
#include "tst_accuracy_dialog.moc"
