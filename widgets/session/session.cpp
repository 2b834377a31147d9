#include "widgets/session/session.h"

#include "widgets/session/held_selection.h"
#include "widgets/session/scenario_document.h"
#include "widgets/session/scenario_edit.h"
#include "widgets/session/trace_loader.h"

#include "core/prediction/predict.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

// A trace is analysed anew with another layout once the slider rests: frames are dearer than the answer.
constexpr int analysis_delay_ms = 150;

// A schedule of more passes is played beside the window: 50,000 take up to 10 ms.
constexpr std::int64_t most_passes_of_a_frame = 50'000;

bool sameProblems(const std::vector<Problem>& a, const std::vector<Problem>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Problem& x, const Problem& y) {
        return x.field == y.field && x.sentence == y.sentence;
    });
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
      m_default_scenario{defaultScenario(m_presets)},
      m_scenario{m_default_scenario},
      m_document{std::make_shared<ScenarioDocument>(ScenarioDocument{{}, m_scenario})},
      m_loader{std::make_unique<TraceLoader>()},
      m_prediction{[this](Result<Prediction> prediction) {
          takePrediction(m_predicted_beside, std::move(prediction));
          tellContent();
      }},
      m_inference{[this](const Result<Inference>& found) { takeInference(found); }}
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
    connect(m_loader.get(), &TraceLoader::failed, this, [this](const QString& sentence) {
        giveUpImport();
        emit failed(sentence, Topic::traces);
    });
    connect(m_loader.get(), &TraceLoader::notAnalyzed, this,
            [this](const QString& sentence) { emit failed(sentence, Topic::traces); });
    connect(m_loader.get(), &TraceLoader::tooLarge, this, [this](const QString& sentence) {
        const QStringList traces = m_importing;
        giveUpImport();
        emit memoryAsked(traces, sentence);
    });
    connect(m_loader.get(), &TraceLoader::analyzed, this, &Session::takeAnalysis);
    m_content.document = m_document;
    predictScenario();
}

Session::~Session()
{
    leaveInference(); // whose thread is waited for
}

bool Session::isSettled() const
{
    return !m_update.isActive() && !m_analysis.isActive() && !m_prediction.isRunning() && !m_loader->isBusy()
           && !m_inference.isRunning();
}

void Session::editScenario(const Scenario& scenario, const QString& gesture, int drag_id)
{
    if (scenario == m_scenario)
        return;
    m_undo.push(new ScenarioEdit{*this, scenario, m_document, gesture, drag_id});
}

void Session::editAsKept(const Scenario& scenario, const QString& gesture)
{
    m_document->kept = scenario;
    editScenario(scenario, gesture);
}

void Session::apply(const Scenario& scenario, const std::shared_ptr<ScenarioDocument>& document, int step)
{
    const QString older_file = scenarioFile();
    m_scenario = scenario;
    if (!document->left_name.empty() && m_scenario.name == document->left_name)
        m_scenario.name.clear();
    const bool is_other_document = document != m_document;
    m_document = document;
    m_content.document = document;
    m_history_step = step;
    emit historyStepChanged(step);
    if (is_other_document)
        emit documentChanged();
    emit scenarioChanged(m_scenario);
    if (scenarioFile() != older_file)
        emit scenarioFileChanged(scenarioFile());
    scheduleUpdate();
}

QString Session::scenarioFile() const
{
    return m_document->file;
}

bool Session::isModified() const
{
    return m_scenario != m_document->kept;
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
    finishPrediction(); // what is on the sliders now, not what was predicted a turn ago
    m_content.pinned = m_content.predicted;
    scheduleUpdate();
}

void Session::pinAgain(const std::shared_ptr<const PredictedScenario>& pinned)
{
    m_content.pinned = pinned;
    scheduleUpdate();
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
    tellContent();
}

void Session::tellContent()
{
    if (m_content.measured && !m_content.stale && !isAnalyzedAsAsked())
        m_analysis.start();
    select(heldSelection(m_selection, m_content));
    tellScenario();
    emit contentChanged(m_content);
}

void Session::predictScenario()
{
    const bool is_edited = isEdited();
    if (m_content.predicted && !m_content.stale && m_content.predicted->scenario == m_scenario) {
        m_prediction.forget();
        const bool is_nobodys = isScenarioOfNoTraces();
        if (m_content.predicted->is_edited == is_edited && m_content.predicted->is_nobodys == is_nobodys)
            return;
        PredictedScenario same = *m_content.predicted;
        same.is_edited = is_edited;
        same.is_nobodys = is_nobodys;
        m_content.predicted = std::make_shared<const PredictedScenario>(std::move(same));
        return;
    }
    std::vector<Problem> problems = validate(m_scenario);
    if (!problems.empty()) {
        m_prediction.forget();
        m_content.stale = true;
        return setProblems(std::move(problems));
    }
    if (m_scenario.forwardPasses() <= most_passes_of_a_frame) {
        m_prediction.forget();
        return takePrediction(m_scenario, predict(m_scenario));
    }
    setProblems({});
    if (m_prediction.isRunning() && m_predicted_beside == m_scenario)
        return;
    m_predicted_beside = m_scenario;
    m_prediction.start([scenario = m_scenario] { return predict(scenario); });
}

// Waits for the answer to the scenario as it is now.
void Session::finishPrediction()
{
    update();
    if (m_prediction.isRunning())
        m_prediction.finish();
}

void Session::takePrediction(const Scenario& scenario, Result<Prediction> prediction)
{
    m_content.stale = !prediction;
    if (!prediction)
        return setProblems({{{}, prediction.error().sentence}});
    m_content.predicted = std::make_shared<const PredictedScenario>(
        PredictedScenario{scenario, std::move(prediction).value(), isEdited(), isScenarioOfNoTraces()});
    setProblems({});
}

void Session::setProblems(std::vector<Problem> problems)
{
    if (sameProblems(problems, m_problems))
        return;
    m_problems = std::move(problems);
    emit problemsChanged(m_problems);
}

} // namespace shardscope
