// Whether the scenario on screen is that of the traces. Where nobody has set one, theirs is looked for.
#include "widgets/session/session.h"

#include "widgets/session/run_notices.h"
#include "widgets/session/scenario_document.h"
#include "widgets/session/shown_text.h"

#include "core/inference/argument_inference.h"
#include "core/inference/inference_notes.h"
#include "core/inference/rank_shapes.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/validation.h"
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

bool Session::isScenarioDefault() const
{
    return m_scenario == m_default_scenario && scenarioFile().isEmpty();
}

// Neither set nor opened by somebody.
bool Session::isScenarioNobodys() const
{
    return isScenarioDefault() || (m_nobodys_scenario && m_scenario == *m_nobodys_scenario);
}

// Once for each run: reading digests in full changes no rank.
void Session::tellRanks(const std::shared_ptr<const MeasuredRun>& run)
{
    const TraceSet& traces = run->traces;
    for (const Notice& notice : noticesOfRanks(traces))
        emit told(notice);
    if (isScenarioNobodys() && mayTellScenario(traces) && isQuicklyRead(traces))
        lookForScenario(run);
    else
        tellScenario(traces, {});
}

void Session::lookForScenario(const std::shared_ptr<const MeasuredRun>& run)
{
    m_looked_through = run;
    m_is_default_told = isScenarioDefault(); // the answer says more
    m_stop_inference = std::make_shared<std::atomic<bool>>(false);
    m_inference.start(
        [run, presets = m_presets, cluster = m_default_scenario.cluster, stop = m_stop_inference] {
            return inferScenario(run->traces, run->rulesOrShipped(), presets, &cluster, stop.get());
        });
}

void Session::leaveInference()
{
    if (m_stop_inference)
        *m_stop_inference = true;
    m_inference.forget();
    m_looked_through.reset();
}

// An undo leads back to what was there before; nobody need save what was found.
void Session::takeInference(const Result<Inference>& found)
{
    const std::shared_ptr<const MeasuredRun> run = std::exchange(m_looked_through, nullptr);
    const bool is_wanted = isScenarioNobodys() && found && validate(found.value().scenario).empty();
    if (!is_wanted)
        return tellScenario(run->traces, found ? QString{} : toQString(found.error().sentence));
    Scenario scenario = found.value().scenario;
    scenario.time_model = m_default_scenario.time_model;
    m_nobodys_scenario = scenario;
    m_is_default_told = false;
    emit outdated(Topic::number_of_gpus);
    editAsKept(scenario, tr("What the traces show"));
    emit told(
        {Severity::note, whatWasFound(found.value()), Topic::number_of_gpus, Offer::what_traces_show, true});
}

// Whether the scenario can be that of these traces; a single one may be of any run. `why_none` was found.
void Session::tellScenario(const TraceSet& traces, const QString& why_none)
{
    const Offer offer = mayTellScenario(traces) && why_none.isEmpty() ? Offer::what_traces_show : Offer::none;
    const auto tell = [&](const QString& sentence) {
        emit told({Severity::warning, sentence, Topic::number_of_gpus, offer});
    };
    const std::int64_t ranks = worldSizeOf(traces);
    m_is_default_told = isScenarioDefault();
    m_gpus_of_other_run = 0;
    if (m_is_default_told)
        return tell(tr("What is predicted is the default scenario, not that of these traces%1.")
                        .arg(why_none.isEmpty() ? QString{} : ": " + why_none));
    if (ranks < 2 || ranks == boundedWorldSize(m_scenario.parallel))
        return;
    m_gpus_of_other_run = ranks;
    tell(tr("The traces are of a run on %1 GPUs, the scenario is of another number.").arg(ranks));
}

// The scenario on screen has changed since.
void Session::tellScenarioAgain()
{
    if (m_nobodys_scenario && m_scenario != *m_nobodys_scenario) {
        m_nobodys_scenario.reset();
        emit outdated(Topic::number_of_gpus);
    }
    if (m_content.measured && isScenarioDefault() != m_is_default_told) {
        emit outdated(Topic::number_of_gpus);
        tellScenario(m_content.measured->traces, {});
    }
}

} // namespace shardscope
