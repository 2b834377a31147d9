#include "widgets/main_window/file_actions.h"

#include "widgets/main_window/save_question.h"
#include "widgets/main_window/timeline_export.h"
#include "widgets/session/scenario_file.h"
#include "widgets/session/session.h"
#include "widgets/session/unsaved_scenarios.h"

#include "core/base/file.h"
#include "core/base/resources.h"
#include "core/scenario/portable_scenario.h"
#include "core/scenario/scenario_json.h"

#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QMap>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QRegularExpression>
#include <QSettings>
#include <QUrl>

namespace shardscope
{

namespace
{

// Li et al. 2024, Table 3: every kind of message of a dense model in one small scenario.
const QString first_example = QStringLiteral("li-2024-table3.scenario.json");

QString pathText(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

QString examplesFolder()
{
    return pathText(resourcesFolder() / "examples");
}

const QString untold_unsaved = QStringLiteral("unsaved/untold"); // a file

// As a menu shows it: "&" would underline what follows.
QString menuText(QString text)
{
    return text.replace('&', QStringLiteral("&&"));
}

// What an example calls itself; its file's name where it says nothing.
QString exampleTitle(const QString& path)
{
    const Result<std::string> text = readFile(path.toStdString(), largest_scenario_bytes);
    if (!text)
        return QFileInfo{path}.fileName();
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text.value()));
    const QString name = document.object().value("name").toString();
    return name.isEmpty() ? QFileInfo{path}.fileName().remove(scenario_ending) : name;
}

const QString first_steps = QStringLiteral("First steps");

// The paper that a title names: "Li et al. 2024". What begins with "First steps" is of none.
QString examplePaper(const QString& title)
{
    static const QRegularExpression paper{"[A-Z]\\w+ et al\\. \\d{4}"};
    if (title.startsWith(first_steps))
        return first_steps;
    const QRegularExpressionMatch match = paper.match(title);
    return match.hasMatch() ? match.captured() : FileActions::tr("Others");
}

} // namespace

FileActions::FileActions(Session& session, QWidget& window)
    : QObject{&window},
      m_session{session},
      m_window{window},
      m_export{new TimelineExport{window}},
      m_runs{new QMenu{tr("R&un of the traces"), &window}}
{
    connect(m_runs, &QMenu::aboutToShow, this, &FileActions::fillRuns);
    m_session.setMayReplace([this] { return mayReplace(); });
    connect(m_export, &TimelineExport::failed, this, &FileActions::failed);
    connect(m_export, &TimelineExport::notified, this, &FileActions::notified);
}

void FileActions::addTo(QMenu& menu)
{
    menu.addAction(tr("&New scenario"), QKeySequence::New, &m_session, &Session::newScenario);
    menu.addAction(tr("&Open..."), QKeySequence::Open, this, &FileActions::openFiles);
    menu.addAction(tr("Open &folder of traces..."), QKeySequence{tr("Ctrl+Shift+O")}, this,
                   &FileActions::openFolder);
    menu.addAction(tr("Open sa&mple"), this, &FileActions::openSample);
    QMenu* examples = menu.addMenu(tr("&Examples"));
    connect(examples, &QMenu::aboutToShow, this, [this, examples] {
        if (examples->isEmpty())
            fillExamples(*examples);
    });
    QMenu* recent = menu.addMenu(tr("&Recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecent(*recent); });
    QAction* runs = menu.addMenu(m_runs);
    QAction* close = menu.addAction(tr("&Close traces"), &m_session, &Session::closeTraces);
    connect(&menu, &QMenu::aboutToShow, this, [this, runs, close] {
        runs->setEnabled(m_session.severalRuns() != nullptr);
        close->setEnabled(m_session.isImporting() || m_session.content().measured != nullptr);
    });
    menu.addSeparator();
    menu.addAction(tr("&Save scenario"), QKeySequence::Save, this, &FileActions::save);
    // The standard keys are none outside of some desktops.
    menu.addAction(tr("Save scenario &as..."), QKeySequence{tr("Ctrl+Shift+S")}, this, &FileActions::saveAs);
    menu.addAction(tr("Export predicted &timeline..."), this, &FileActions::exportTimeline);
}

void FileActions::remember()
{
    m_remembers = true;
    connect(&m_session, &Session::opened, &m_recent, &RecentFiles::add);
}

QString FileActions::lastFolder() const
{
    const QStringList paths = m_recent.paths();
    return paths.isEmpty() ? QDir::homePath() : QFileInfo{paths.first()}.absolutePath();
}

void FileActions::openFiles()
{
    const QStringList paths =
        QFileDialog::getOpenFileNames(&m_window, tr("Open scenarios and traces"), lastFolder(),
                                      tr("Scenarios and traces (*.json *.gz *.zst *.tar *.tgz *.csv *.log "
                                         "*.out *.txt *.sh *.toml *.sqlite *.et "
                                         "*.pkl *.digest);;All files (*)"));
    if (!paths.isEmpty())
        m_session.open(paths);
}

void FileActions::openFolder()
{
    const QString folder =
        QFileDialog::getExistingDirectory(&m_window, tr("Open a folder of traces"), lastFolder());
    if (!folder.isEmpty())
        m_session.open({folder});
}

void FileActions::openSample()
{
    const QDir folder{pathText(sampleTracesFolder())};
    QStringList paths;
    for (const QString& name : folder.entryList({"sample" + scenario_ending, "p2t2d2"}, QDir::AllEntries))
        paths << folder.filePath(name);
    if (paths.isEmpty())
        emit failed(
            tr("%1: the sample is not there; install it or set SHARDSCOPE_DATA to the folder that holds "
               "sample_traces.")
                .arg(folder.path()));
    else
        m_session.open(paths);
}

void FileActions::openFirstExample()
{
    const QDir folder{examplesFolder()};
    const QStringList names = folder.entryList({'*' + scenario_ending}, QDir::Files, QDir::Name);
    if (!names.isEmpty())
        m_session.openFirst(folder.filePath(names.contains(first_example) ? first_example : names.first()));
}

// By the paper that they are from; the one to begin with stands above.
void FileActions::fillExamples(QMenu& menu)
{
    const QDir folder{examplesFolder()};
    QMap<QString, QMap<QString, QString>> files; // by paper, by title
    for (const QFileInfo& entry : folder.entryInfoList({'*' + scenario_ending}, QDir::Files, QDir::Name)) {
        const QString title = exampleTitle(entry.filePath());
        files[examplePaper(title)].insert(title, entry.filePath());
    }
    const auto add = [this](QMenu& to, const QString& title, const QString& file) {
        to.addAction(menuText(title), this, [this, file] { m_session.openCopy(file); });
    };
    for (const auto& [title, file] : files.take(first_steps).asKeyValueRange())
        add(menu, title, file);
    menu.addSeparator();
    for (const auto& [paper, examples] : files.asKeyValueRange()) {
        QMenu* of_paper = menu.addMenu(menuText(paper));
        for (const auto& [title, file] : examples.asKeyValueRange())
            add(*of_paper, title, file);
    }
    if (menu.isEmpty())
        menu.addAction(tr("No examples in %1").arg(folder.path()))->setEnabled(false);
}

void FileActions::fillRecent(QMenu& menu)
{
    menu.clear();
    const QStringList paths = m_recent.paths();
    for (const QString& path : paths)
        menu.addAction(menuText(QDir::toNativeSeparators(path)), this,
                       [this, path] { m_session.open({path}); });
    if (!paths.isEmpty())
        menu.addAction(tr("Clear these"), &m_recent, &RecentFiles::clear);
    menu.addSeparator();
    for (const UnsavedScenarios::Kept& kept : UnsavedScenarios::all())
        menu.addAction(tr("Unsaved scenario of %1")
                           .arg(QLocale{}.toString(kept.time, QStringLiteral("d MMM, HH:mm:ss"))),
                       this, [this, kept] { m_session.openUnsaved(kept.file); });
    if (menu.isEmpty())
        menu.addAction(tr("Nothing yet"))->setEnabled(false);
}

void FileActions::fillRuns()
{
    m_runs->clear();
    const std::shared_ptr<const SeveralRuns> several = m_session.severalRuns();
    if (!several)
        return;
    const auto add = [this](const QString& text, std::optional<std::size_t> run) {
        QAction* action = m_runs->addAction(text, this, [this, run] { m_session.showRun(run); });
        action->setCheckable(true);
        action->setChecked(m_session.shownRun() == run);
    };
    for (std::size_t run = 0; run < several->runs.size(); ++run) {
        const FolderRun& each = several->runs[run];
        add(tr("%1 (%2)").arg(menuText(QString::fromStdString(each.name)),
                              each.ranks == 1 ? tr("1 rank") : tr("%1 ranks").arg(each.ranks)),
            run);
    }
    m_runs->addSeparator();
    add(tr("All of them as one run"), std::nullopt);
}

// What is typed in a field and not confirmed yet counts: a shortcut leaves the cursor in the field.
void FileActions::takeTyped() const
{
    QWidget* field = QApplication::focusWidget();
    const QObject* owner = field; // through the windows of docks that float
    while (owner != nullptr && owner != &m_window)
        owner = owner->parent();
    if (owner == nullptr)
        return;
    field->clearFocus();
    field->setFocus();
}

bool FileActions::save()
{
    takeTyped();
    return m_session.scenarioFile().isEmpty() ? saveAs() : m_session.save(m_session.scenarioFile());
}

bool FileActions::saveAs()
{
    takeTyped();
    QString proposal = m_session.scenarioFile();
    if (proposal.isEmpty())
        proposal = QDir{lastFolder()}.filePath("untitled" + scenario_ending);
    const QString file = askWhereToSave(&m_window, {tr("Save scenario"),
                                                    proposal,
                                                    {scenario_ending, QStringLiteral(".json")},
                                                    tr("Scenarios (*%1)").arg(scenario_ending)});
    return !file.isEmpty() && m_session.save(file);
}

void FileActions::exportTimeline()
{
    takeTyped();
    if (const std::vector<Problem> problems = validate(m_session.scenario()); !problems.empty()) {
        emit failed(
            tr("There is no timeline to export: %1").arg(QString::fromStdString(problems.front().sentence)));
        return;
    }
    const QString layers = tr("Every operator and message (*.json.gz *.json)");
    const QString passes = tr("Passes of micro-batches (*.json.gz *.json)");
    QString chosen = layers;
    const QString file = askWhereToSave(&m_window,
                                        {tr("Export predicted timeline"),
                                         QDir{lastFolder()}.filePath("predicted-timeline.json.gz"),
                                         {QStringLiteral(".json.gz"), QStringLiteral(".json")},
                                         layers + QStringLiteral(";;") + passes},
                                        &chosen);
    if (!file.isEmpty())
        m_export->start(m_session.scenario(), file,
                        chosen == passes ? TimelineDetail::passes : TimelineDetail::layers);
}

// The file it is kept in; empty: there is nothing to keep.
QString FileActions::keepUnsaved() const
{
    if (!m_session.isModified() || !m_session.scenarioFile().isEmpty())
        return {};
    Scenario scenario = m_session.scenario();
    if (m_session.isEdited())
        scenario.name.clear(); // that of another
    return UnsavedScenarios::keep(portable(scenario, m_session.presets()));
}

void FileActions::keepForNextRun() const
{
    if (const QString file = keepUnsaved(); !file.isEmpty())
        QSettings{}.setValue(untold_unsaved, file);
}

QString FileActions::takeUntoldUnsaved()
{
    QSettings settings;
    const QString file = settings.value(untold_unsaved).toString();
    settings.remove(untold_unsaved);
    return QFileInfo{file}.isFile() ? file : QString{};
}

// A scenario without a file gives way unasked, as when the window closes: Undo has it, and the menu of recent
// files.
bool FileActions::mayReplace()
{
    takeTyped();
    if (m_remembers)
        keepUnsaved();
    return mayLeave();
}

bool FileActions::mayLeave()
{
    takeTyped();
    if (!m_session.isModified() || m_session.scenarioFile().isEmpty())
        return true;
    const auto answer = QMessageBox::question(
        &m_window, tr("Shardscope"),
        tr("%1 has changed. Save it?").arg(QFileInfo{m_session.scenarioFile()}.fileName()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

QStringList FileActions::droppedPaths(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    return paths;
}

} // namespace shardscope
