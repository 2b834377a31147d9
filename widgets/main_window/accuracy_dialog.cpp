#include "widgets/main_window/accuracy_dialog.h"

#include "widgets/panels/measurement/accuracy_pages.h"
#include "widgets/panels/measurement/accuracy_panel.h"
#include "widgets/session/session.h"

#include "core/base/resources.h"
#include "core/scenario/scenario_change.h"

#include <QApplication>
#include <QDialog>
#include <QMessageBox>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace shardscope
{

namespace
{

// Error: one of the lists cannot be read.
Result<std::vector<AccuracyPage>> readPages(const Presets& presets)
{
    const std::filesystem::path folder = resourcesFolder() / "accuracy";
    Result<std::vector<MeasuredStep>> steps = readMeasuredSteps(folder / "cases.json", presets);
    if (!steps)
        return steps.error();
    Result<std::vector<MeasuredStep>> in_part = readMeasuredSteps(folder / "partial_steps.json", presets);
    if (!in_part)
        return in_part.error();
    Result<std::vector<MeasuredSchedule>> schedules =
        readMeasuredSchedules(folder / "schedules.json", presets);
    if (!schedules)
        return schedules.error();
    Result<std::vector<MeasuredMemory>> memory = readMeasuredMemory(folder / "memory.json", presets);
    if (!memory)
        return memory.error();
    const Result<std::vector<MeasuredMessage>> messages =
        readMeasuredMessages(folder / "messages.json", presets);
    if (!messages)
        return messages.error();
    AccuracyPage of_memory = memoryPage(std::move(memory).value(), steps.value());
    std::ranges::move(in_part.value(), std::back_inserter(steps.value()));
    std::vector<AccuracyPage> pages;
    pages.push_back(stepsPage(std::move(steps).value()));
    pages.push_back(schedulesPage(std::move(schedules).value()));
    pages.push_back(std::move(of_memory));
    pages.push_back(messagesPage(messages.value(), presets));
    return pages;
}

void connectPanel(AccuracyPanel& panel, Session& session)
{
    panel.tellShownModel(session.scenario().time_model);
    QObject::connect(&session, &Session::scenarioChanged, &panel,
                     [&panel](const Scenario& scenario) { panel.tellShownModel(scenario.time_model); });
    QObject::connect(&panel, &AccuracyPanel::opened, &session,
                     [&session](const Scenario& scenario, const QString& name) {
                         session.openScenario(scenario, QObject::tr("Open %1").arg(name));
                     });
    QObject::connect(&panel, &AccuracyPanel::systemChosen, &session, [&session](const QString& preset) {
        if (const ClusterPreset* system = session.presets().cluster(preset.toStdString()))
            session.editScenario(withCluster(session.scenario(), *system), QObject::tr("Cluster"));
    });
}

} // namespace

QDialog* showAccuracy(Session& session, QWidget* parent)
{
    QApplication::setOverrideCursor(Qt::WaitCursor);
    Result<std::vector<AccuracyPage>> pages = readPages(session.presets());
    QApplication::restoreOverrideCursor();
    if (!pages) {
        QMessageBox::warning(parent, QObject::tr("Accuracy"), QString::fromStdString(pages.error().sentence));
        return nullptr;
    }
    auto* dialog = new QDialog{parent};
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QObject::tr("Predicted and measured"));
    dialog->resize(1280, 680);
    auto* tabs = new QTabWidget;
    for (AccuracyPage& page : pages.value()) {
        const QString title = page.title;
        auto* panel = new AccuracyPanel{std::move(page)};
        connectPanel(*panel, session);
        tabs->addTab(panel, title);
    }
    auto* column = new QVBoxLayout{dialog};
    column->addWidget(tabs);
    dialog->show();
    return dialog;
}

} // namespace shardscope
