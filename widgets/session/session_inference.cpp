// Whether the scenario on screen is that of the traces. Where nobody has set one, theirs is looked for.
#include "widgets/session/session.h"

#include "widgets/session/run_notices.h"
#include "widgets/session/scenario_document.h"
#include "widgets/session/shown_text.h"

#include "core/inference/argument_inference.h"
#include "core/inference/inference_notes.h"
#include "core/inference/rank_shapes.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/validation/validation.h"
#include "core/trace/rank_claims.h"

#include <QCoreApplication>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace shardscope
{

namespace
{

bool mayTellScenario(const TraceSet& traces)
{
    return mayShowLayers(traces) || listsArguments(traces);
}

// Shapes of operators are read from the files once more, which nobody has asked for.
bool isQuicklyRead(const TraceSet& traces)
{
    constexpr std::int64_t most_bytes = std::int64_t{2} << 30;
    const std::int64_t bytes =
        std::transform_reduce(traces.files.begin(), traces.files.end(), std::int64_t{0}, std::plus{},
                              [](const TraceFile& file) { return file.bytes_uncompressed; });
    return bytes <= most_bytes || listsArguments(traces);
}

QString whatWasFound(const Inference& inference)
{
    const auto gpu = std::ranges::find(inference.findings, "cluster.gpu", &Finding::key);
    const bool is_assumed = gpu != inference.findings.end() && gpu->confidence <= confidence::assumed;
    const QString assumed =
        is_assumed ? QCoreApplication::translate("SessionInference",
                                                 " Nothing tells the GPUs: times are those of %1.")
                         .arg(toQString(gpu->value))
                   : QString{};
    return QCoreApplication::translate("SessionInference",
                                       "The scenario is the one that the traces show: %1.%2")
        .arg(toQString(agreementOf(inference)), assumed);
}

} // namespace

// Neither set, nor opened or saved by somebody: it was there at the start, or taken from traces.
bool Session::isScenarioNobodys() const
{
    return scenarioFile().isEmpty()
           && (m_scenario == m_default_scenario || std::ranges::count(m_nobodys_scenarios, m_scenario) > 0);
}

bool Session::isScenarioOfNoTraces() const
{
    return isScenarioNobodys() && !(m_of_traces.found && m_scenario == *m_of_traces.found);
}

void Session::tellRanks(const std::shared_ptr<const MeasuredRun>& run)
{
    for (const Notice& notice : noticesOfRanks(run->traces))
        emit told(notice);
    lookForScenario(run);
}

// Of each run once, and again where its digests were read in full.
void Session::lookForScenario(const std::shared_ptr<const MeasuredRun>& run)
{
    leaveInference();
    const TraceSet& traces = run->traces;
    m_of_traces = {.ranks = std::max<std::int64_t>(1, worldSizeOf(traces)),
                   .may_be_told = mayTellScenario(traces)};
    if (isScenarioNobodys() && m_of_traces.may_be_told && isQuicklyRead(traces)) {
        m_stop_inference = std::make_shared<std::atomic<bool>>(false);
        m_inference.start(
            [run, presets = m_presets, cluster = m_default_scenario.cluster, stop = m_stop_inference] {
                return inferScenario(run->traces, run->rulesOrShipped(), presets, &cluster, stop.get());
            });
    }
    tellScenario();
}

void Session::leaveInference()
{
    if (m_stop_inference)
        *m_stop_inference = true;
    m_inference.forget();
}

// A scenario of its own, which nobody need save: an undo leads back to the one before.
void Session::takeInference(const Result<Inference>& found)
{
    if (!found)
        m_of_traces.why_none = toQString(found.error().sentence);
    else if (const auto problems = validate(found.value().scenario); !problems.empty())
        m_of_traces.why_none = toQString(problems.front().sentence);
    if (!m_of_traces.why_none.isEmpty() || !isScenarioNobodys())
        return tellScenario();
    Scenario scenario = found.value().scenario;
    scenario.time_model = m_default_scenario.time_model;
    m_of_traces.found = scenario;
    m_of_traces.what_was_found = whatWasFound(found.value());
    m_nobodys_scenarios.push_back(scenario);
    if (scenario != m_scenario)
        replaceScenario(scenario, {{}, scenario}, tr("What the traces show"));
    tellScenario();
}

// What is to be known of the scenario on screen beside the open traces; a single trace may be of any run.
std::optional<Notice> Session::scenarioNotice() const
{
    if (m_inference.isRunning() || m_of_traces.ranks == 0)
        return std::nullopt;
    if (m_of_traces.found && m_scenario == *m_of_traces.found)
        return Notice{Severity::note, m_of_traces.what_was_found, Topic::number_of_gpus,
                      Offer::what_traces_show, true};
    const QString& why = m_of_traces.why_none;
    const Offer offer = m_of_traces.may_be_told && why.isEmpty() ? Offer::what_traces_show : Offer::none;
    if (isScenarioOfNoTraces()) {
        const QString which = m_scenario == m_default_scenario ? tr("the default scenario")
                                                               : tr("a scenario that nobody chose");
        return Notice{Severity::warning,
                      tr("What is predicted is %1, not that of these traces%2.")
                          .arg(which, why.isEmpty() ? QString{} : ": " + why),
                      Topic::number_of_gpus, offer};
    }
    if (m_of_traces.ranks < 2 || m_of_traces.ranks == boundedWorldSize(m_scenario.parallel))
        return std::nullopt;
    return Notice{
        Severity::warning,
        tr("The traces are of a run on %1 GPUs, the scenario is of another number.").arg(m_of_traces.ranks),
        Topic::number_of_gpus, offer};
}

// Once, as long as it holds; whoever has read it may close it.
void Session::tellScenario()
{
    // It may have become the traces', or theirs no more, and be the same.
    const PredictedScenario* shown = m_content.stale ? nullptr : m_content.predicted.get();
    if (shown && shown->scenario == m_scenario && shown->is_nobodys != isScenarioOfNoTraces())
        m_update.start();
    const std::optional<Notice> notice = scenarioNotice();
    const QString sentence = notice ? notice->sentence : QString{};
    if (sentence == m_told_of_scenario)
        return;
    m_told_of_scenario = sentence;
    emit outdated(Topic::number_of_gpus);
    if (notice)
        emit told(*notice);
}

} // namespace shardscope
