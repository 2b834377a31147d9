#include "widgets/session/session.h"

#include "widgets/session/scenario_edit.h"
#include "widgets/session/scenario_file.h"
#include "widgets/session/trace_loader.h"

#include "core/scenario/portable_scenario.h"
#include "core/scenario/scenario_json.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

// A trace is analysed anew with another layout once the slider rests: frames are dearer than the answer.
constexpr int analysis_delay_ms = 150;

QString fromStd(const std::string& text)
{
    return QString::fromStdString(text);
}

bool sameProblems(const std::vector<Problem>& a, const std::vector<Problem>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Problem& x, const Problem& y) {
        return x.field == y.field && x.sentence == y.sentence;
    });
}

// Another model in the run that is on screen; where it does not fit, in the run that it was read with.
Scenario withModelOf(const Scenario& shown, const Scenario& read)
{
    Scenario scenario = shown;
    scenario.name = read.name;
    scenario.model = read.model;
    scenario.training.flash_attention = read.training.flash_attention;
    if (validate(scenario).empty())
        return scenario;
    scenario = read;
    scenario.cluster = shown.cluster;
    return scenario;
}

// The scenario that an empty file means.
Scenario defaultScenario(const Presets& presets)
{
    const Result<ScenarioReading> reading = readScenario("{}", presets);
    return reading ? reading.value().scenario : Scenario{};
}

} // namespace

Session::Session(Presets presets, QObject* parent)
    : QObject{parent},
      m_presets{std::move(presets)},
      m_scenario{defaultScenario(m_presets)},
      m_loader{std::make_unique<TraceLoader>()}
{
    m_update.setSingleShot(true);
    m_update.setInterval(0);
    connect(&m_update, &QTimer::timeout, this, &Session::update);
    m_analysis.setSingleShot(true);
    m_analysis.setInterval(analysis_delay_ms);
    connect(&m_analysis, &QTimer::timeout, this, &Session::analyzeAgain);
    connect(&m_undo, &QUndoStack::cleanChanged, this, &Session::scheduleUpdate); // a save is no edit
    connect(m_loader.get(), &TraceLoader::progressed, this, &Session::importProgressed);
    connect(m_loader.get(), &TraceLoader::partlyLoaded, this, &Session::showPartial);
    connect(m_loader.get(), &TraceLoader::loaded, this, &Session::takeRun);
    connect(m_loader.get(), &TraceLoader::failed, this, &Session::endImport);
    connect(m_loader.get(), &TraceLoader::tooLarge, this, [this](const QString& sentence) {
        const QStringList traces = m_importing;
        endImport({});
        emit memoryAsked(traces, sentence);
    });
    connect(m_loader.get(), &TraceLoader::analyzed, this, [this](std::shared_ptr<const MeasuredRun> run) {
        m_content.measured = std::move(run);
        scheduleUpdate();
    });
    predictScenario();
}

Session::~Session()
{
    m_undo.disconnect(this); // it tells while it empties
}

bool Session::isSettled() const
{
    return !m_update.isActive() && !m_analysis.isActive() && !m_loader->isBusy();
}

void Session::editScenario(const Scenario& scenario, const QString& gesture, int dragId)
{
    if (scenario == m_scenario)
        return;
    m_undo.push(new ScenarioEdit{*this, scenario, m_scenarioFile, gesture, dragId});
}

void Session::apply(const Scenario& scenario, const QString& file)
{
    m_scenario = scenario;
    emit scenarioChanged(m_scenario);
    if (file != m_scenarioFile) {
        m_scenarioFile = file;
        emit scenarioFileChanged(file);
    }
    scheduleUpdate();
}

void Session::select(const Selection& selection)
{
    if (selection == m_selection)
        return;
    m_selection = selection;
    emit selectionChanged(m_selection);
}

void Session::pin()
{
    update(); // what is on the sliders now, not what was predicted a turn ago
    m_content.pinned = m_content.predicted;
    scheduleUpdate();
}

void Session::unpin()
{
    m_content.pinned.reset();
    scheduleUpdate();
}

void Session::newScenario()
{
    m_undo.push(new ScenarioEdit{*this, defaultScenario(m_presets), {}, tr("New scenario"), -1});
    m_undo.setClean();
}

void Session::open(const QStringList& paths)
{
    QStringList traces;
    QStringList scenarios;
    for (const QString& path : paths)
        (isScenarioFile(path) ? scenarios : traces) << path;
    // Nobody has set a scenario yet: the one of the traces' own folder says more than the default.
    const bool is_untouched = m_undo.count() == 0;
    const QString beside = is_untouched && paths.size() == 1 ? scenarioIn(paths.front()) : QString{};
    if (!beside.isEmpty())
        scenarios << beside;
    for (const QString& path : scenarios) {
        readInto(path, QFileInfo{path}.absoluteFilePath());
        if (path != scenarios.last())
            pin();
    }
    if (traces.isEmpty())
        return;
    update(); // so that the layout of a scenario opened with them counts
    importTraces(traces, false);
}

void Session::openCopy(const QString& scenarioFile)
{
    readInto(scenarioFile, {});
}

void Session::readInto(const QString& path, const QString& file)
{
    const Result<ScenarioReading> reading = readScenarioFile(path.toStdString(), m_presets);
    const QString name = QFileInfo{path}.fileName();
    if (!reading) {
        const QString sentence = fromStd(reading.error().sentence);
        emit failed(sentence.contains(name) ? sentence : name + ": " + sentence);
        return;
    }
    for (const std::string& warning : reading.value().warnings)
        emit warned(name + ": " + fromStd(warning));
    const QString gesture = tr("Open %1").arg(name);
    if (reading.value().is_model_config) {
        // It says how large the model is, not how it is trained, and is no file to save into.
        editScenario(withModelOf(m_scenario, reading.value().scenario), gesture);
    } else {
        m_undo.push(new ScenarioEdit{*this, reading.value().scenario, file, gesture, -1});
        m_undo.setClean();
    }
    if (!file.isEmpty())
        emit opened(file);
}

bool Session::save(const QString& file)
{
    const QString place = QFileInfo{file}.absoluteFilePath();
    Scenario scenario = m_scenario;
    if (place != m_scenarioFile && isEdited())
        scenario.name.clear(); // that of another scenario, which is still where it was
    const Result<bool> saved = saveScenarioFile(file.toStdString(), portable(scenario, m_presets));
    if (!saved) {
        emit failed(fromStd(saved.error().sentence));
        return false;
    }
    editScenario(scenario, tr("Name"));
    m_undo.setClean();
    m_scenarioFile = place;
    emit scenarioFileChanged(m_scenarioFile);
    emit opened(m_scenarioFile);
    return true;
}

// Compared with what had this name first, or as it was read or saved.
bool Session::isEdited() const
{
    const Scenario* named = &m_scenario;
    for (int step = m_undo.index(); step > 0 && step != m_undo.cleanIndex(); --step) {
        const Scenario& before = static_cast<const ScenarioEdit*>(m_undo.command(step - 1))->before();
        if (before.name != m_scenario.name)
            break;
        named = &before;
    }
    return *named != m_scenario;
}

void Session::scheduleUpdate()
{
    if (!m_update.isActive())
        m_update.start();
}

void Session::update()
{
    m_update.stop();
    predictScenario();
    if (m_content.measured && !m_content.stale && !isAnalyzedWithThisLayout())
        m_analysis.start();
    emit contentChanged(m_content);
}

void Session::predictScenario()
{
    const bool is_edited = isEdited();
    if (m_content.predicted && !m_content.stale && m_content.predicted->scenario == m_scenario) {
        if (m_content.predicted->is_edited == is_edited)
            return;
        PredictedScenario same = *m_content.predicted;
        same.is_edited = is_edited;
        m_content.predicted = std::make_shared<const PredictedScenario>(std::move(same));
        return;
    }
    std::vector<Problem> problems = validate(m_scenario);
    if (problems.empty()) {
        Result<Prediction> prediction = predict(m_scenario);
        if (prediction)
            m_content.predicted = std::make_shared<const PredictedScenario>(
                PredictedScenario{m_scenario, std::move(prediction).value(), is_edited});
        else
            problems.push_back({{}, prediction.error().sentence});
    }
    m_content.stale = !problems.empty();
    if (sameProblems(problems, m_problems))
        return;
    m_problems = std::move(problems);
    emit problemsChanged(m_problems);
}

} // namespace shardscope
