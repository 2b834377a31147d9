// The session's scenario documents: what is opened, and where it is saved.
#include "widgets/session/session.h"

#include "widgets/session/scenario_document.h"
#include "widgets/session/scenario_edit.h"
#include "widgets/session/scenario_file.h"
#include "widgets/session/shown_text.h"

#include "core/scenario/portable_scenario.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_json.h"

#include <QFileInfo>

#include <memory>
#include <utility>

namespace shardscope
{

namespace
{

// Another model in the run that is on screen; where it does not fit, in the run that it was read with.
Scenario withModelOf(const Scenario& shown, const Scenario& read)
{
    Scenario scenario = shown;
    scenario.name = read.name;
    scenario.model = read.model;
    scenario.training.flash_attention = read.training.flash_attention;
    scenario = withFollowingConventions(shown, std::move(scenario));
    if (validate(scenario).empty())
        return scenario;
    scenario = read;
    scenario.cluster = shown.cluster;
    return scenario;
}

// What DeepSpeed is told is laid over what is on screen, whoever has set that.
Result<ScenarioReading> readingOf(const QString& path, const Presets& presets, const Scenario& base,
                                  const Scenario& shown)
{
    Result<ScenarioReading> reading = readScenarioFile(path.toStdString(), presets, &base);
    if (reading && reading.value().source == ScenarioSource::deepspeed_config)
        return readScenarioFile(path.toStdString(), presets, &shown);
    return reading;
}

} // namespace

void Session::newScenario()
{
    openScenario(m_default_scenario, tr("New scenario"));
}

bool Session::openScenario(const Scenario& scenario, const QString& gesture)
{
    if (!mayReplace())
        return false;
    m_nobodys_scenarios.clear();
    replaceScenario(scenario, {{}, scenario}, gesture);
    return true;
}

bool Session::mayReplace() const
{
    return !m_may_replace || m_may_replace();
}

void Session::replaceScenario(const Scenario& scenario, ScenarioDocument document, const QString& gesture)
{
    const auto shared = std::make_shared<ScenarioDocument>(std::move(document));
    m_undo.push(new ScenarioEdit{*this, scenario, shared, gesture});
}

void Session::open(const QStringList& paths)
{
    QStringList traces;
    QStringList scenarios;
    for (const QString& path : paths)
        (isScenarioFile(path) ? scenarios : traces) << path;
    // Nobody has set a scenario yet: the one of the traces' own folder says more than the default.
    const bool is_untouched = m_undo.count() == 0 || isScenarioNobodys();
    const QString beside = is_untouched && paths.size() == 1 ? scenarioIn(paths.front()) : QString{};
    if (!beside.isEmpty())
        scenarios << beside;
    if (!openScenarios(scenarios, ScenarioOrigin::file) || traces.isEmpty())
        return;
    finishPrediction(); // so that the layout of a scenario opened with them counts
    importTraces(traces, false);
}

void Session::openCopy(const QString& file)
{
    openScenarios({file}, ScenarioOrigin::copy);
}

void Session::openFirst(const QString& file)
{
    openCopy(file);
    m_nobodys_scenarios = {m_scenario};
}

void Session::openUnsaved(const QString& file)
{
    openScenarios({file}, ScenarioOrigin::unsaved);
}

// False: the user wants to stay with the scenario on screen.
bool Session::openScenarios(const QStringList& paths, ScenarioOrigin origin)
{
    // Whose cluster the run has that a script or a job starts.
    const Scenario base = isScenarioNobodys() ? m_default_scenario : m_scenario;
    bool is_first = true;
    bool stays = false;
    QStringList faults;
    for (const QString& path : paths) {
        Result<ScenarioReading> reading = readingOf(path, m_presets, base, m_scenario);
        if (!reading) {
            const QString name = QFileInfo{path}.fileName();
            const QString sentence = toQString(reading.error().sentence);
            faults << (sentence.contains(name) ? sentence : name + ": " + sentence);
            continue;
        }
        const ScenarioSource source = reading.value().source;
        if (!is_first && source != ScenarioSource::deepspeed_config)
            pin();
        // Configurations take no scenario's place. The file may be the one that was saved just now.
        if (source != ScenarioSource::model_config && source != ScenarioSource::deepspeed_config) {
            stays = !mayReplace();
            if (stays)
                break;
            if (Result<ScenarioReading> saved = readingOf(path, m_presets, base, m_scenario))
                reading = std::move(saved);
        }
        take(reading.value(), path, origin);
        if (is_first)
            emit outdated(Topic::scenario_file);
        is_first = false;
        for (const std::string& warning : reading.value().warnings)
            emit told({Severity::warning, QFileInfo{path}.fileName() + ": " + toQString(warning),
                       Topic::scenario_file});
    }
    for (const QString& fault : faults) // after what takes older ones away
        emit failed(fault, Topic::scenario_file);
    return !stays;
}

void Session::take(const ScenarioReading& reading, const QString& path, ScenarioOrigin origin)
{
    const QString file = QFileInfo{path}.absoluteFilePath();
    const QString gesture = origin == ScenarioOrigin::unsaved ? tr("Open unsaved scenario")
                                                              : tr("Open %1").arg(QFileInfo{path}.fileName());
    // A model's config says how large the model is, not how it is trained; DeepSpeed's the reverse; a script
    // or a job of torchtitan, not where. None is a file to save into.
    if (reading.source == ScenarioSource::model_config)
        editScenario(withModelOf(m_scenario, reading.scenario), gesture);
    else if (reading.source == ScenarioSource::deepspeed_config)
        editScenario(reading.scenario, gesture);
    else if (isOfRun(reading.source))
        replaceScenario(reading.scenario, {{}, reading.scenario}, gesture);
    else if (origin == ScenarioOrigin::unsaved) // nor is it saved now
        replaceScenario(reading.scenario, {{}, m_default_scenario}, gesture);
    else if (origin == ScenarioOrigin::copy || isShipped(file))
        replaceScenario(reading.scenario, {{}, reading.scenario}, gesture);
    else
        replaceScenario(reading.scenario, {file, reading.scenario}, gesture);
    m_nobodys_scenarios.clear(); // what is opened is chosen
    if (origin == ScenarioOrigin::file)
        emit opened(file);
}

bool Session::save(const QString& file)
{
    const QString place = QFileInfo{file}.absoluteFilePath();
    Scenario scenario = m_scenario;
    if (place != scenarioFile() && isEdited())
        scenario.name.clear(); // that of another scenario, which is still where it was
    const Result<bool> saved = saveScenarioFile(file.toStdString(), portable(scenario, m_presets));
    if (!saved) {
        emit failed(toQString(saved.error().sentence));
        return false;
    }
    if (scenario.name != m_scenario.name)
        m_document->left_name = m_scenario.name;
    m_document->file = place;
    m_document->kept = scenario;
    if (scenario != m_scenario) {
        m_scenario = scenario;
        emit scenarioChanged(m_scenario);
    }
    emit scenarioFileChanged(place);
    emit opened(place);
    scheduleUpdate(); // it is edited no longer
    return true;
}

// A file's name stands for what it holds; another one for what had it first. A name that the user
// has given stays his whatever he changes afterwards, until it is saved.
bool Session::isEdited() const
{
    if (!m_document->file.isEmpty() && m_scenario.name == m_document->kept.name)
        return isModified();
    const Scenario* named = &m_scenario;
    for (int step = m_undo.index(); step > 0; --step) {
        const auto* edit = static_cast<const ScenarioEdit*>(m_undo.command(step - 1));
        if (edit->before().name != m_scenario.name && edit->isNaming())
            return false;
        if (edit->before().name != m_scenario.name || edit->opensDocument())
            break;
        named = &edit->before();
    }
    return *named != m_scenario;
}

} // namespace shardscope
