#include "widgets/session/session.h"

#include "widgets/session/scenario_edit.h"
#include "widgets/session/scenario_file.h"
#include "widgets/session/trace_loader.h"

#include "core/scenario/own_presets.h"
#include "core/scenario/scenario_json.h"
#include "core/trace/rank_claims.h"

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

// What the analysis of a trace looks at: not the cluster, the name, or how time is modelled.
bool sameLayout(const Scenario& a, const Scenario& b)
{
    return a.model == b.model && a.training == b.training && a.parallel == b.parallel
           && a.conventions == b.conventions;
}

// Another model in the run that is on screen; where it does not fit, in the run that it was read with.
Scenario withModelOf(const Scenario& shown, const Scenario& read)
{
    Scenario scenario = shown;
    scenario.name = read.name;
    scenario.model = read.model;
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

Session::~Session() = default;

bool Session::isImporting() const
{
    return m_loader->isImporting();
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

void Session::openRegardless(const QStringList& traces)
{
    importTraces(traces, true);
}

void Session::importTraces(const QStringList& traces, bool is_regardless)
{
    m_importing = traces;
    m_analyzedWith = m_content.predicted ? m_content.predicted->scenario : Scenario{};
    m_loader->load(traces, m_content.predicted ? std::make_shared<Scenario>(m_analyzedWith) : nullptr,
                   is_regardless);
    emit importStarted(traces);
}

void Session::readInFull(const QStringList& digests)
{
    if (!m_content.measured || isImporting())
        return;
    const std::vector<TraceFile>& all = m_content.measured->traces.files;
    std::vector<std::size_t> files;
    for (std::size_t file = 0; file < all.size(); ++file) {
        if (all[file].digest && digests.contains(fromStd(all[file].path)))
            files.push_back(file);
    }
    if (files.empty())
        return;
    m_analyzedWith = m_content.predicted ? m_content.predicted->scenario : Scenario{};
    m_loader->readInFull(m_content.measured, std::move(files),
                         m_content.predicted ? std::make_shared<Scenario>(m_analyzedWith) : nullptr);
    emit importStarted(digests);
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
        emit notified(name + ": " + fromStd(warning));
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

void Session::cancelImport()
{
    if (!isImporting())
        return;
    std::shared_ptr<const MeasuredRun> came = m_loader->cancel();
    endImport({});
    if (came)
        keepWhatCame(std::move(came));
}

void Session::showPartial(std::shared_ptr<const MeasuredRun> run)
{
    m_content.partial = std::move(run);
    scheduleUpdate();
}

// Of an import that the user stopped; the analysis follows.
void Session::keepWhatCame(std::shared_ptr<const MeasuredRun> run)
{
    m_content.measured = run;
    emit notified(
        tr("Stopped: %1 traces were read before, some of them in part; View, Trace files lists them")
            .arg(run->traces.files.size()));
    scheduleUpdate();
    m_loader->analyzeAgain(std::move(run),
                           m_content.predicted ? std::make_shared<Scenario>(m_analyzedWith) : nullptr);
}

void Session::endImport(const QString& sentence)
{
    m_importing.clear();
    if (m_content.partial) {
        m_content.partial.reset();
        scheduleUpdate();
    }
    emit importEnded();
    if (!sentence.isEmpty())
        emit failed(sentence);
}

void Session::takeRun(std::shared_ptr<const MeasuredRun> run)
{
    m_content.measured = std::move(run);
    for (const QString& path : m_importing)
        emit opened(QFileInfo{path}.absoluteFilePath());
    endImport({});
    tellOddities(*m_content.measured);
    scheduleUpdate();
}

void Session::tellOddities(const MeasuredRun& run)
{
    std::int64_t oddities = 0;
    int odd_files = 0;
    for (const TraceFile& file : run.traces.files) {
        const QString name = QFileInfo{fromStd(file.path)}.fileName();
        if (file.status == FileStatus::rejected)
            emit failed(name + ": " + fromStd(file.rejection));
        if (file.status != FileStatus::recovered)
            continue;
        ++odd_files;
        for (const ImportWarning& warning : file.warnings)
            oddities += warning.count;
    }
    if (odd_files > 0)
        emit notified(tr("%1 of %2 files had oddities that were skipped or repaired, %3 in all: View, Trace "
                         "files lists them.")
                          .arg(odd_files)
                          .arg(run.traces.files.size())
                          .arg(oddities));
}

void Session::closeTraces()
{
    cancelImport();
    m_loader->cancel();
    m_content.measured.reset();
    scheduleUpdate();
}

void Session::assignRank(const QString& path, qint64 rank)
{
    if (!m_content.measured || isImporting())
        return;
    auto run = std::make_shared<MeasuredRun>(*m_content.measured);
    run->measurement = {}; // of ranks that do not hold any more
    const auto file = std::ranges::find(run->traces.files, path.toStdString(), &TraceFile::path);
    if (file == run->traces.files.end())
        return;
    shardscope::assignRank(run->traces, static_cast<std::size_t>(file - run->traces.files.begin()), rank);
    m_analyzedWith = m_scenario;
    m_loader->analyzeAgain(std::move(run),
                           m_content.predicted ? std::make_shared<Scenario>(m_analyzedWith) : nullptr);
}

bool Session::save(const QString& file)
{
    const Result<bool> saved = saveScenarioFile(file.toStdString(), m_scenario);
    if (!saved) {
        emit failed(fromStd(saved.error().sentence));
        return false;
    }
    m_undo.setClean();
    m_scenarioFile = QFileInfo{file}.absoluteFilePath();
    emit scenarioFileChanged(m_scenarioFile);
    emit opened(m_scenarioFile);
    return true;
}

bool Session::saveCluster(const QString& name, const Cluster& cluster, const QString& source)
{
    const auto file = saveOwnCluster(name.toStdString(), cluster, source.toStdString(), m_presets);
    if (!file) {
        emit failed(fromStd(file.error().sentence));
        return false;
    }
    if (Result<Presets> presets = loadPresets())
        m_presets = std::move(presets).value();
    emit presetsChanged();
    return true;
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
    if (m_content.predicted && !m_content.stale && m_content.predicted->scenario == m_scenario)
        return;
    std::vector<Problem> problems = validate(m_scenario);
    if (problems.empty()) {
        Result<Prediction> prediction = predict(m_scenario);
        if (prediction)
            m_content.predicted = std::make_shared<const PredictedScenario>(
                PredictedScenario{m_scenario, std::move(prediction).value()});
        else
            problems.push_back({{}, prediction.error().sentence});
    }
    m_content.stale = !problems.empty();
    if (sameProblems(problems, m_problems))
        return;
    m_problems = std::move(problems);
    emit problemsChanged(m_problems);
}

bool Session::isAnalyzedWithThisLayout() const
{
    return sameLayout(m_analyzedWith, m_scenario);
}

void Session::setRules(const ClassificationRules& rules)
{
    m_loader->setRules(std::make_shared<ClassificationRules>(rules));
    if (!m_content.measured || isImporting())
        return;
    m_analyzedWith = m_scenario;
    m_loader->analyzeAgain(m_content.measured,
                           m_content.predicted ? std::make_shared<Scenario>(m_analyzedWith) : nullptr);
}

void Session::analyzeAgain()
{
    if (!m_content.measured || m_content.stale || isImporting() || isAnalyzedWithThisLayout())
        return;
    m_analyzedWith = m_scenario;
    m_loader->analyzeAgain(m_content.measured, std::make_shared<Scenario>(m_scenario));
}

} // namespace shardscope
