#include "widgets/main_window/accuracy_dialog.h"

#include "widgets/panels/measurement/accuracy_panel.h"
#include "widgets/session/session.h"

#include "core/base/resources.h"

#include <QApplication>
#include <QDialog>
#include <QMessageBox>
#include <QVBoxLayout>

namespace shardscope
{

QDialog* showAccuracy(Session& session, QWidget* parent)
{
    QApplication::setOverrideCursor(Qt::WaitCursor);
    Result<std::vector<MeasuredCase>> cases =
        readMeasuredCases(resourcesFolder() / "accuracy" / "cases.json", session.presets());
    QApplication::restoreOverrideCursor();
    if (!cases) {
        QMessageBox::warning(parent, QObject::tr("Accuracy"), QString::fromStdString(cases.error().sentence));
        return nullptr;
    }
    auto* dialog = new QDialog{parent};
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QObject::tr("Predicted and measured times"));
    dialog->resize(1280, 640);
    auto* column = new QVBoxLayout{dialog};
    auto* panel = new AccuracyPanel{std::move(cases).value()};
    panel->tellShownModel(session.scenario().time_model);
    QObject::connect(&session, &Session::scenarioChanged, panel,
                     [panel](const Scenario& scenario) { panel->tellShownModel(scenario.time_model); });
    column->addWidget(panel);
    QObject::connect(panel, &AccuracyPanel::opened, &session,
                     [&session](const Scenario& scenario, const QString& name) {
                         session.openScenario(scenario, QObject::tr("Open %1").arg(name));
                     });
    dialog->show();
    return dialog;
}

} // namespace shardscope
