// The menus of the main window, apart from what the docks and the file actions bring themselves.
#include "widgets/main_window/main_window.h"

#include "widgets/main_window/about_dialog.h"
#include "widgets/main_window/accuracy_dialog.h"
#include "widgets/main_window/appearance.h"
#include "widgets/main_window/calibration_dialog.h"
#include "widgets/main_window/dock_arrangement.h"
#include "widgets/main_window/file_actions.h"
#include "widgets/main_window/launch_export_menu.h"
#include "widgets/main_window/lesson_guide.h"
#include "widgets/main_window/own_presets_menu.h"
#include "widgets/main_window/picture_caption.h"
#include "widgets/main_window/picture_dock.h"
#include "widgets/main_window/picture_export.h"
#include "widgets/main_window/popup_escape.h"
#include "widgets/main_window/rules_dialog.h"
#include "widgets/main_window/save_question.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/plots/theme.h"
#include "widgets/session/run_name.h"
#include "widgets/session/session.h"

#include "core/analysis/gpu_time/profiler_steps.h"

#include <QActionGroup>
#include <QApplication>
#include <QCursor>
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>

namespace shardscope
{

void MainWindow::makeMenus()
{
    makeFileMenu(*m_menus->addMenu(tr("&File")));
    makeEditMenu(*m_menus->addMenu(tr("&Edit")));
    makeViewMenu(*m_menus->addMenu(tr("&View")));
    makeScenarioMenu(*m_menus->addMenu(tr("&Scenario")));
    QMenu* help = m_menus->addMenu(tr("&Help"));
    help->addAction(tr("&Keys"), QKeySequence::HelpContents, this, [this] { showKeys(this); });
    m_lessons->addTo(*help);
    help->addAction(tr("&Glossary"), this, [this] { showGlossary(this); });
    help->addAction(tr("A&ccuracy of predictions..."), this, [this] { showAccuracy(*m_session, this); });
    help->addAction(tr("&About Shardscope"), this, [this] { showAbout(this); });
}

void MainWindow::makeFileMenu(QMenu& menu)
{
    m_files->addTo(menu);
    QMenu* pictures = menu.addMenu(tr("Export &picture"));
    for (PictureDock* dock : m_docks->pictures())
        pictures->addMenu(&dock->exports());
    pictures->addSeparator();
    pictures->addAction(tr("Whole window as PNG..."), this, &MainWindow::exportWindow);
    addColoursOfPictures(*pictures);
    menu.addSeparator();
    menu.addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

// Matters in a dark window alone.
void MainWindow::addColoursOfPictures(QMenu& menu)
{
    QAction* dark = menu.addAction(tr("Pictures as &dark as the window"), this, [this](bool of_window) {
        m_colours = of_window ? PictureColours::of_window : PictureColours::light;
        for (PictureDock* dock : m_docks->pictures())
            dock->setColours(m_colours);
    });
    dark->setCheckable(true);
    const auto offer = [this, dark] { dark->setVisible(Theme{palette()}.isDark()); };
    connect(&menu, &QMenu::aboutToShow, this, offer);
    for (PictureDock* dock : m_docks->pictures()) {
        dock->addToExports(dark);
        connect(&dock->menu(), &QMenu::aboutToShow, this, offer);
    }
}

void MainWindow::makeEditMenu(QMenu& menu)
{
    QAction* undo = m_session->undoStack().createUndoAction(this, tr("&Undo"));
    undo->setShortcuts(QKeySequence::Undo);
    QAction* redo = m_session->undoStack().createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence{tr("Ctrl+Shift+Z")}, QKeySequence{tr("Ctrl+Y")}});
    menu.addActions({undo, redo});
    menu.addSeparator();
    menu.addAction(tr("&Copy data of the picture under the mouse"), QKeySequence::Copy, this, [this] {
        if (PictureDock* dock = pictureInUse())
            dock->copyData();
    });
    menu.addAction(tr("&Find a setting"), QKeySequence::Find, this, [this] {
        m_docks->showScenario();
        m_scenario_panel->beginSearch();
    });
    QAction* nothing = menu.addAction(tr("Back to all, select &nothing"), QKeySequence{Qt::Key_Escape}, this,
                                      &MainWindow::leaveSpecialState);
    m_popup_escape = new PopupEscape{this};
    // Otherwise Esc belongs to whatever has the focus.
    const auto enable = [this, nothing] {
        nothing->setEnabled(m_docks->enlarged() || !m_session->selection().empty());
    };
    connect(m_docks, &DockArrangement::enlargedChanged, nothing, enable);
    connect(m_session, &Session::selectionChanged, nothing, enable);
    enable();
}

void MainWindow::makeViewMenu(QMenu& menu)
{
    // In one order here, below Enlarge and by the keys: that of the screen, then what stands behind a tab.
    for (QDockWidget* dock : findChildren<QDockWidget*>())
        if (!qobject_cast<PictureDock*>(dock))
            menu.addAction(dock->toggleViewAction());
    for (PictureDock* dock : m_docks->pictures())
        menu.addAction(dock->toggleViewAction());
    menu.addSeparator();
    menu.addAction(tr("&Enlarge picture under the mouse"), QKeySequence{Qt::Key_F11}, this,
                   &MainWindow::enlargeInUse);
    QMenu* enlarge_menu = menu.addMenu(tr("Enlarge"));
    int place = 0;
    for (PictureDock* dock : m_docks->pictures()) {
        QAction* action =
            enlarge_menu->addAction(dock->windowTitle(), m_docks, [this, dock] { m_docks->enlarge(dock); });
        if (++place <= 9)
            action->setShortcut(QKeySequence{QString{"Ctrl+%1"}.arg(place)});
    }
    menu.addAction(tr("&Trace files..."), this, &MainWindow::showTraceFiles);
    makeStepsMenu(*menu.addMenu(tr("&Steps of the run")));
    menu.addAction(tr("&Communication rules..."), this, [this] {
        RulesDialog dialog{this};
        connect(&dialog, &RulesDialog::rulesSaved, m_session, &Session::setRules);
        dialog.exec();
    });
    menu.addAction(tr("&Reset layout"), m_docks, &DockArrangement::reset);
    menu.addSeparator();
    makeAppearanceMenu(*menu.addMenu(tr("&Appearance")));
}

// Filled each time that it is opened, by the run that is then there.
void MainWindow::makeStepsMenu(QMenu& menu)
{
    connect(&menu, &QMenu::aboutToShow, this, [this, &menu] {
        constexpr std::size_t most = 40; // more than a screen has lines for
        menu.clear();
        const Content& content = m_session->content();
        const std::vector<std::int64_t> steps =
            content.measured ? stepNumbers(content.measured->traces) : std::vector<std::int64_t>{};
        const auto add = [&](const QString& text, std::optional<std::int64_t> step) {
            QAction* action = menu.addAction(text, this, [this, step] { m_session->showStep(step); });
            action->setCheckable(true);
            action->setChecked(content.measured->measurement.step == step);
        };
        if (steps.empty()) {
            menu.addAction(content.measured ? tr("The traces mark no ProfilerStep") : tr("No traces"))
                ->setEnabled(false);
            return;
        }
        add(tr("All that was recorded"), std::nullopt);
        for (std::size_t i = 0; i < std::min(most, steps.size()); ++i)
            add(tr("Step %1").arg(steps[i]), steps[i]);
        if (steps.size() > most)
            menu.addAction(tr("%1 more: shardscope-cli trace --step N").arg(steps.size() - most))
                ->setEnabled(false);
    });
}

void MainWindow::makeAppearanceMenu(QMenu& menu)
{
    auto* group = new QActionGroup{this};
    const std::pair<Appearance, QString> choices[]{{Appearance::system, tr("As the &system")},
                                                   {Appearance::light, tr("&Light")},
                                                   {Appearance::dark, tr("&Dark")}};
    for (const auto& [appearance, text] : choices) {
        QAction* action = menu.addAction(text, this, [this, chosen = appearance] {
            if (m_remembers)
                QSettings{}.setValue("appearance", word(chosen));
            applyAppearance(chosen);
        });
        action->setCheckable(true);
        action->setChecked(appearance == currentAppearance());
        group->addAction(action);
    }
}

void MainWindow::makeScenarioMenu(QMenu& menu)
{
    menu.addAction(tr("&Pin for comparison"), QKeySequence{tr("Ctrl+P")}, m_session, &Session::pin);
    QAction* unpin =
        menu.addAction(tr("&Unpin"), QKeySequence{tr("Ctrl+Shift+P")}, m_session, &Session::unpin);
    connect(&menu, &QMenu::aboutToShow, this,
            [this, unpin] { unpin->setEnabled(m_session->content().pinned != nullptr); });
    connect(&menu, &QMenu::aboutToHide, this, [unpin] { unpin->setEnabled(true); });
    addPinOfRun(menu);
    menu.addSeparator();
    QAction* infer = menu.addAction(tr("What the &traces show..."), this, &MainWindow::showInference);
    connect(&menu, &QMenu::aboutToShow, this,
            [this, infer] { infer->setEnabled(m_session->content().measured != nullptr); });
    menu.addAction(tr("&Calibrate the cluster..."), this, [this] {
        auto* dialog = new CalibrationDialog{*m_session, this};
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->show();
    });
    menu.addSeparator();
    auto* own = new OwnPresetsMenu{*m_session, *this};
    own->addTo(menu);
    connect(own, &OwnPresetsMenu::notified, this, &MainWindow::tell);
    menu.addSeparator();
    auto* launch = new LaunchExportMenu{*m_session, *this};
    launch->addTo(menu);
    connect(launch, &LaunchExportMenu::failed, this, &MainWindow::complain);
    connect(launch, &LaunchExportMenu::notified, this, &MainWindow::tell);
}

void MainWindow::addPinOfRun(QMenu& menu)
{
    QAction* pin = menu.addAction(tr("Pi&n the measured run"), m_session, &Session::pinRun);
    QAction* unpin = menu.addAction(tr("Unpin the measured &run"), m_session, &Session::unpinRun);
    connect(&menu, &QMenu::aboutToShow, this, [this, pin, unpin] {
        const Content& content = m_session->content();
        pin->setEnabled(content.measured && content.measured != content.pinned_run);
        unpin->setEnabled(content.pinned_run != nullptr);
        unpin->setText(content.pinned_run
                           ? tr("Unpin the &run %1").arg(runName(*content.pinned_run).replace('&', "&&"))
                           : tr("Unpin the measured &run"));
    });
}

// The enlarged picture, else the one under the mouse, else the one that has the keyboard's focus.
PictureDock* MainWindow::pictureInUse() const
{
    if (m_docks->enlarged())
        return m_docks->enlarged();
    PictureDock* focused = nullptr;
    for (PictureDock* dock : m_docks->pictures()) {
        if (dock->underMouse())
            return dock;
        if (dock->isAncestorOf(QApplication::focusWidget()))
            focused = dock;
    }
    return focused;
}

void MainWindow::enlargeInUse()
{
    if (PictureDock* dock = pictureInUse())
        m_docks->enlarge(dock);
}

// Esc: first an open list or menu closes, then a picture that is enlarged goes back, then the selection.
void MainWindow::leaveSpecialState()
{
    if (m_popup_escape->isTaken())
        return;
    if (m_docks->enlarged())
        m_docks->showAll();
    else
        m_session->select({});
}

void MainWindow::exportWindow()
{
    const QString file = askWhereToSave(
        this, {tr("Save the window"), QDir::home().filePath("shardscope.png"), {".png"}, "PNG (*.png)"});
    if (!file.isEmpty() && !grab().save(file, "PNG"))
        m_messages->add(Severity::error, tr("%1: cannot be written; choose another place").arg(file));
}

void MainWindow::exportFrom(PictureDock& dock, const QString& ending)
{
    const QString proposal = QDir::home().filePath(fileNameOf(dock.caption()) + '.' + ending);
    const QString file = askWhereToSave(this, {tr("Save %1").arg(dock.windowTitle()),
                                               proposal,
                                               {'.' + ending},
                                               QString{"%1 (*.%2)"}.arg(ending.toUpper(), ending)});
    if (!file.isEmpty())
        dock.whenReady([this, &dock, ending, file] { saveInto(dock, ending, file); });
}

void MainWindow::saveInto(PictureDock& dock, const QString& ending, const QString& file)
{
    const Result<bool> saved = ending == "csv" ? exportData(dock.panel(), file)
                                               : exportPicture(dock.panel(), dock.caption(), file, m_colours);
    if (!saved)
        complain(QString::fromStdString(saved.error().sentence));
    else if (!saved.value())
        m_messages->add(Severity::warning,
                        tr("%1 ends before all of the picture is in it; its data as CSV has everything.")
                            .arg(QFileInfo{file}.fileName()));
}

} // namespace shardscope
