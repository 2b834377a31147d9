#include "widgets/main_window/main_window.h"

#include "widgets/main_window/accuracy_dialog.h"
#include "widgets/main_window/appearance.h"
#include "widgets/main_window/dock_arrangement.h"
#include "widgets/main_window/dock_title.h"
#include "widgets/main_window/file_actions.h"
#include "widgets/main_window/import_progress.h"
#include "widgets/main_window/inference_dialog.h"
#include "widgets/main_window/lesson_guide.h"
#include "widgets/main_window/picture_dock.h"
#include "widgets/main_window/remark_line.h"
#include "widgets/main_window/stale_veil.h"
#include "widgets/main_window/status_line.h"
#include "widgets/main_window/system_appearance.h"
#include "widgets/main_window/trace_files_dialog.h"
#include "widgets/panels/headline/headline_bar.h"
#include "widgets/panels/lesson/lesson_bar.h"
#include "widgets/panels/picture_panels.h"
#include "widgets/panels/scenario/figure_names.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/session/session.h"
#include "widgets/session/shown_text.h"

#include "core/base/resources.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QIcon>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr QSize first_size{1600, 1000};

}

MainWindow::MainWindow(Presets presets, bool remembers, QWidget* parent)
    : QMainWindow{parent},
      m_remembers{remembers},
      m_session{new Session{std::move(presets), this}},
      m_files{new FileActions{*m_session, *this}}
{
    setWindowIcon(QIcon{toQString((resourcesFolder() / "icons/shardscope.svg").string())});
    setAcceptDrops(true);
    setMinimumSize(800, 500);
    resize(m_remembers ? first_size.boundedTo(screen()->availableSize()) : first_size);
    makeTop();
    makeDocks();
    makeStatusBar();
    makeMenus();
    connectSession();
    if (m_remembers) {
        m_files->remember();
        restoreLayout();
        connect(new SystemAppearance{this}, &SystemAppearance::changed, this, &setSystemIsDark);
    }
}

MainWindow::~MainWindow() = default;

// Menus, headline and messages stand over the whole width, above all docks.
void MainWindow::makeTop()
{
    m_menus = new QMenuBar;
    m_headline = new HeadlineBar;
    m_problem = new StaleVeil{*m_headline};
    m_messages = new MessageLine;
    auto* lesson = new LessonBar;
    m_lessons = new LessonGuide{*m_session, *lesson, this};
    connect(m_lessons, &LessonGuide::failed, this, &MainWindow::complain);
    connect(m_lessons, &LessonGuide::notified, this,
            [this](const QString& sentence) { m_messages->add(Severity::note, sentence); });
    connect(m_lessons, &LessonGuide::wayBackOffered, this, [this](int undo_index) {
        m_messages->add(Severity::note, tr("The lesson's scenario stays on screen."),
                        {tr("Back to the scenario before"), [this, undo_index] { goBackTo(undo_index); }},
                        Topic::scenario_file);
    });
    connect(m_lessons, &LessonGuide::pictureWished, this,
            [this](const QString& key) { m_docks->bringToFront(m_docks->picture(key)); });
    auto* top = new QWidget;
    auto* column = new QVBoxLayout{top};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_menus);
    column->addWidget(m_headline);
    column->addWidget(m_messages);
    column->addWidget(lesson);
    setMenuWidget(top);
}

void MainWindow::makeDocks()
{
    m_scenario_panel = new ScenarioPanel{m_session->presets()};
    auto* scenario = new QDockWidget{tr("Scenario"), this};
    scenario->setObjectName("scenario");
    scenario->setWidget(m_scenario_panel);
    scenario->setTitleBarWidget(new DockTitle{*scenario});
    std::vector<PictureDock*> pictures;
    for (PicturePanel* panel : createPicturePanels(this)) {
        pictures.push_back(new PictureDock{panel, this});
        connectPicture(*pictures.back());
        pictures.back()->setPresets(m_session->presets());
    }
    m_docks = new DockArrangement{*this, *scenario, std::move(pictures)};
}

void MainWindow::makeStatusBar()
{
    setStatusBar(new StatusLine);
    m_progress = new ImportProgressBar;
    m_run = new QLabel;
    m_remark = new RemarkLine;
    m_remark->setContentsMargins(8, 0, 0, 0);
    m_remark->setForegroundRole(QPalette::PlaceholderText);
    statusBar()->addWidget(m_remark, 1);
    statusBar()->addPermanentWidget(m_progress);
    statusBar()->addPermanentWidget(m_run);
    connect(m_progress, &ImportProgressBar::cancelled, m_session, &Session::cancelImport);
    connect(m_session, &Session::importStarted, m_progress, &ImportProgressBar::begin);
    connect(m_session, &Session::importProgressed, m_progress, &ImportProgressBar::setProgress);
    connect(m_session, &Session::importEnded, m_progress, &ImportProgressBar::end);
    const auto showRun = [this] { showRunSummary(m_session->content()); };
    connect(m_session, &Session::importStarted, this, showRun);
    connect(m_session, &Session::importEnded, this, showRun);
    // What it says may be of the older traces.
    connect(m_session, &Session::importStarted, statusBar(), &QStatusBar::clearMessage);
    connect(m_session, &Session::tracesReplaced, statusBar(), &QStatusBar::clearMessage);
    connect(m_session, &Session::memoryAsked, this, &MainWindow::askForMemory);
}

void MainWindow::askForMemory(const QStringList& traces, const QString& sentence)
{
    auto* question =
        new QMessageBox{QMessageBox::Warning, tr("Not enough memory"),
                        sentence.left(1).toUpper() + sentence.mid(1) + '.', QMessageBox::Cancel, this};
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setInformativeText(tr("Reading them all the same may slow the machine down to a halt."));
    const QPushButton* read = question->addButton(tr("&Read all the same"), QMessageBox::AcceptRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(read, &QPushButton::clicked, m_session, [this, traces] { m_session->openRegardless(traces); });
    question->open();
}

void MainWindow::connectSession()
{
    connect(m_scenario_panel, &ScenarioPanel::scenarioWished, m_session, &Session::editScenario);
    connect(m_headline, &HeadlineBar::pinWished, m_session,
            [this](bool pinned) { pinned ? m_session->pin() : m_session->unpin(); });
    connect(m_headline, &HeadlineBar::accuracyWished, this, [this] { showAccuracy(*m_session, this); });
    connect(m_scenario_panel, &ScenarioPanel::told, this, &MainWindow::tell);
    connect(m_session, &Session::historyStepChanged, m_scenario_panel, &ScenarioPanel::beginStep);
    connect(m_session, &Session::documentChanged, m_scenario_panel, &ScenarioPanel::beginDocument);
    connect(m_session, &Session::scenarioChanged, m_scenario_panel, &ScenarioPanel::setScenario);
    connect(m_session, &Session::presetsChanged, this, [this] {
        m_scenario_panel->refillPresets();
        for (PictureDock* dock : m_docks->pictures())
            dock->setPresets(m_session->presets());
    });
    connect(m_session, &Session::problemsChanged, this, &MainWindow::showProblems);
    connect(m_session, &Session::contentChanged, this, &MainWindow::showContent);
    connect(m_session, &Session::selectionChanged, this, [this](const Selection& selection) {
        for (PictureDock* dock : m_docks->pictures())
            dock->setSelection(selection);
    });
    connect(m_session, &Session::scenarioFileChanged, this, &MainWindow::showTitle);
    connectMessages();
    m_scenario_panel->setScenario(m_session->scenario());
    showProblems();
    showContent(m_session->content());
}

void MainWindow::showContent(const Content& content)
{
    m_headline->setContent(content);
    m_scenario_panel->setPinned(content.pinned);
    for (PictureDock* dock : m_docks->pictures())
        dock->setContent(content);
    showTitle();
    showRunSummary(content);
    showRemarks(content);
    if (m_trace_files && m_trace_files->isVisible())
        m_trace_files->setRun(content.measured);
}

void MainWindow::showRemarks(const Content& content)
{
    QStringList remarks;
    if (content.predicted) {
        for (const std::string& warning : content.predicted->prediction.warnings)
            remarks << warningOnScreen(warning);
    }
    const QString several = remarks.size() > 1 ? tr("%1 remarks: ").arg(remarks.size()) : QString{};
    m_remark->setText(several + remarks.join(QStringLiteral("  ·  ")));
    m_remark->setToolTip(remarks.join('\n'));
}

void MainWindow::showTraceFiles()
{
    if (!m_trace_files) {
        m_trace_files = new TraceFilesDialog{this};
        connect(m_trace_files, &TraceFilesDialog::rankGiven, m_session, &Session::assignRank);
    }
    m_trace_files->setRun(m_session->content().measured);
    m_trace_files->show();
    m_trace_files->raise();
}

void MainWindow::showInference()
{
    auto* dialog = new InferenceDialog{*m_session, this};
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::showProblems()
{
    const std::vector<Problem>& problems = m_session->problems();
    m_scenario_panel->setProblems(problems);
    m_problem->setSentence(
        problems.empty()
            ? QString{}
            : tr("%1. The pictures show the last valid scenario.").arg(sentenceOnScreen(problems.front())));
    for (PictureDock* dock : m_docks->pictures())
        dock->setStale(!problems.empty());
}

void MainWindow::showRunSummary(const Content& content)
{
    if (!content.measured) {
        m_run->setText(tr("No traces"));
        return;
    }
    std::int64_t slices = 0;
    std::int64_t records = 0; // of calls, without a timeline
    std::int64_t passes = 0;  // of pipeline schedules
    for (const TraceFile& file : content.measured->traces.files) {
        slices += file.slices;
        records += static_cast<std::int64_t>(file.calls.size());
        passes += static_cast<std::int64_t>(file.schedule.size());
    }
    const std::size_t ranks = content.measured->measurement.ranks.size();
    if (ranks == 0) { // logs, tables of nccl-tests
        const std::size_t files = content.measured->traces.files.size();
        const auto calls = static_cast<std::int64_t>(content.measured->measurement.points.size());
        m_run->setText(tr("Measured: %1 %2")
                           .arg(files == 1 ? tr("1 file") : tr("%1 files").arg(files),
                                passes > 0  ? tr("with %1 passes").arg(groupedText(passes))
                                : calls > 0 ? tr("with %1 times of collectives").arg(groupedText(calls))
                                            : tr("without events")));
        return;
    }
    const std::optional<std::int64_t>& step = content.measured->measurement.step;
    const bool is_recorded = slices == 0 && records > 0; // as by a flight recorder
    // Most pictures show the older traces until all of the new ones are read.
    m_run->setText((m_session->isImporting() ? tr("Until then: %1, %2%3") : tr("Measured: %1, %2%3"))
                       .arg(ranks == 1 ? tr("1 rank") : tr("%1 ranks").arg(ranks),
                            is_recorded ? toQString(countedSentence(records, "1 record", "# records"))
                                        : tr("%1 events").arg(groupedText(slices)),
                            step ? tr(", only step %1").arg(*step) : QString{}));
}

void MainWindow::showTitle()
{
    const QString file = m_session->scenarioFile();
    const QString name = m_session->isEdited() ? QString{} : toQString(m_session->scenario().name);
    setWindowTitle((file.isEmpty() ? (name.isEmpty() ? tr("Untitled") : name) : QFileInfo{file}.fileName())
                   + "[*] – Shardscope");
    setWindowModified(m_session->isModified());
}

QStringList MainWindow::panelNames() const
{
    QStringList names{"scenario", "headline"};
    for (const PictureDock* dock : m_docks->pictures())
        names << dock->panel().key();
    return names;
}

QWidget* MainWindow::panel(const QString& name) const
{
    if (name == "scenario")
        return m_scenario_panel;
    if (name == "headline")
        return m_headline;
    const PictureDock* dock = m_docks->picture(name);
    return dock ? &dock->panel() : nullptr;
}

void MainWindow::openSample()
{
    m_files->openSample();
}

void MainWindow::openFirstExample()
{
    m_files->openFirstExample();
}

void MainWindow::begin(const QStringList& paths)
{
    if (paths.isEmpty())
        openFirstExample();
    else
        m_session->open(paths);
    if (!m_session->isModified())
        m_session->undoStack().clear();
    if (const QString unsaved = m_remembers ? FileActions::takeUntoldUnsaved() : QString{};
        !unsaved.isEmpty())
        m_messages->add(Severity::note,
                        tr("The scenario that was on screen last time had not been saved; it was kept."),
                        {tr("Open it"), [this, unsaved] { m_session->openUnsaved(unsaved); }});
}

void MainWindow::enlarge(const QString& key)
{
    if (PictureDock* dock = m_docks->picture(key))
        m_docks->enlarge(dock);
}

bool MainWindow::isSettled() const
{
    const std::vector<PictureDock*>& pictures = m_docks->pictures();
    const bool busy = std::any_of(pictures.begin(), pictures.end(),
                                  [](const PictureDock* dock) { return dock->panel().isBusy(); });
    return m_session->isSettled() && !busy;
}

void MainWindow::restoreLayout()
{
    const QSettings settings;
    restoreGeometry(settings.value("window/geometry").toByteArray());
    m_docks->restore(settings.value("window/docks").toByteArray());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_remembers && !m_files->mayLeave()) {
        event->ignore();
        return;
    }
    if (m_remembers) {
        QSettings settings;
        settings.setValue("window/geometry", saveGeometry());
        settings.setValue("window/docks", m_docks->save());
        m_files->keepForNextRun();
    }
    event->accept();
}

// Tab goes past the controls of pictures that are tabs behind others.
bool MainWindow::focusNextPrevChild(bool next)
{
    constexpr int most = 500; // controls of the window
    for (int i = 0; i < most && QMainWindow::focusNextPrevChild(next); ++i) {
        const QWidget* widget = focusWidget();
        while (widget && !qobject_cast<const PictureDock*>(widget))
            widget = widget->parentWidget();
        const auto* dock = qobject_cast<const PictureDock*>(widget);
        if (!dock || dock->isInSight())
            return true;
    }
    return false;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!FileActions::droppedPaths(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    // Later: whoever it was dragged from need not wait for an answer about the scenario that gives way.
    QTimer::singleShot(0, m_session, [this, paths = FileActions::droppedPaths(*event->mimeData())] {
        m_session->open(paths);
    });
}

} // namespace shardscope
