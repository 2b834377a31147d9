// The session's traces: their import, what came of it, and their analysis.
#include "widgets/session/session.h"

#include "widgets/session/held_selection.h"
#include "widgets/session/run_name.h"
#include "widgets/session/run_notices.h"
#include "widgets/session/shown_text.h"
#include "widgets/session/trace_loader.h"

#include "core/scenario/rank_order.h"
#include "core/trace/rank_claims.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// What the analysis of a trace looks at: not the cluster, the name, or how time is modelled.
bool sameLayout(const Scenario& a, const Scenario& b)
{
    return a.model == b.model && a.training == b.training && a.parallel == b.parallel
           && a.conventions == b.conventions;
}

// Analysed anew, or another step and back, a run is the pinned one as before: it is compared with others.
void show(std::shared_ptr<const MeasuredRun> run, Content& content)
{
    const auto& pinned = content.pinned_run;
    if (pinned && pinned->measurement.step == run->measurement.step
        && areOfSameFiles(pinned->traces, run->traces))
        content.pinned_run = run;
    content.measured = std::move(run);
}

} // namespace

bool Session::isImporting() const
{
    return m_loader->isImporting();
}

void Session::openRegardless(const QStringList& traces)
{
    importTraces(traces, true);
}

void Session::importTraces(const QStringList& traces, bool is_regardless)
{
    m_importing = traces;
    m_asked_with = analysisInput();
    m_asked_with.step.reset();
    m_loader->load(traces, std::make_shared<Scenario>(m_asked_with.layout), is_regardless);
    emit importStarted(traces);
}

void Session::readInFull(const QStringList& digests)
{
    if (!m_content.measured || isImporting())
        return;
    const std::vector<TraceFile>& all = m_content.measured->traces.files;
    std::vector<std::size_t> files;
    for (std::size_t file = 0; file < all.size(); ++file) {
        if (all[file].digest && digests.contains(toQString(all[file].path)))
            files.push_back(file);
    }
    if (files.empty())
        return;
    m_asked_with = analysisInput();
    m_asked_with.step.reset();
    m_loader->readInFull(m_content.measured, std::move(files),
                         std::make_shared<Scenario>(m_asked_with.layout));
    emit importStarted(digests);
}

void Session::cancelImport()
{
    if (!isImporting())
        return;
    std::shared_ptr<const MeasuredRun> came = m_loader->cancel();
    giveUpImport();
    if (came && !m_content.measured)
        keepWhatCame(std::move(came));
}

void Session::showPartial(std::shared_ptr<const MeasuredRun> run)
{
    m_content.partial = std::move(run);
    scheduleUpdate();
}

// Of an import that the user stopped, where nothing else was open; the analysis follows.
void Session::keepWhatCame(std::shared_ptr<const MeasuredRun> run)
{
    m_content.measured = run;
    m_several.reset();
    m_shown_run.reset();
    leaveOlderTraces();
    const QString what = run->traces.files.size() == 1
                             ? tr("one file, perhaps in part")
                             : tr("%1 files, some of them perhaps in part").arg(run->traces.files.size());
    emit told({Severity::warning, tr("Stopped: what was read before is shown, %1").arg(what), Topic::traces,
               Offer::trace_files});
    lookForScenario(run);
    scheduleUpdate();
    analyze(std::move(run));
}

void Session::endImport()
{
    m_importing.clear();
    if (m_content.partial) {
        m_content.partial.reset();
        scheduleUpdate();
    }
    emit importEnded();
}

// The older traces stay. A layout or rules that were set meanwhile waited for the end, and an analysis that
// was under way before was dropped.
void Session::giveUpImport()
{
    endImport();
    m_asked_with = m_shown_with;
    if (m_asked_run)
        analyze(m_asked_run);
    else
        analyzeAgain();
}

// What was chosen or said of the older traces does not hold for those that are open now.
void Session::leaveOlderTraces()
{
    Selection selection = m_selection;
    if (selection.message && !hasMessage(m_content, *selection.message))
        selection.message.reset();
    select(selection);
    m_of_traces = {};
    m_told_of_scenario.clear();
    leaveInference();
    m_is_forward_only_told = false;
    m_is_unfinished_told = false;
    m_told_order.reset();
    m_step.reset();
    emit tracesReplaced();
    emit outdated(Topic::traces);
    emit outdated(Topic::number_of_gpus);
    emit outdated(Topic::mapping);
}

void Session::takeRun(std::shared_ptr<const MeasuredRun> run, std::shared_ptr<const SeveralRuns> several)
{
    const bool was_imported = !m_importing.isEmpty();
    m_asked_run.reset();
    if (!was_imported && m_content.pinned_run && m_content.pinned_run == m_content.measured)
        m_content.pinned_run = run; // its digests were read in full
    show(std::move(run), m_content);
    if (was_imported) {
        m_several = std::move(several);
        m_shown_run = m_several ? std::optional<std::size_t>{0} : std::nullopt;
        leaveOlderTraces();
        for (const QString& path : readPaths(m_importing, m_content.measured->traces))
            emit opened(path);
    }
    m_shown_with = m_asked_with;
    endImport();
    const TraceSet& traces = m_content.measured->traces;
    for (const std::optional<Notice>& notice : {noticeOfRejected(traces), noticeOfOddities(traces)})
        if (notice)
            emit told(*notice);
    tellForwardOnly();
    tellMapping();
    if (was_imported)
        tellRanks(m_content.measured);
    else
        lookForScenario(m_content.measured); // digests, which tell less, were read in full
    if (was_imported && m_several)
        emit told(noticeOfRuns(*m_several, m_shown_run));
    if (const auto notice = noticeOfTables(traces, m_content.measured->measurement); was_imported && notice)
        emit told(*notice);
    tellUnfinished(); // last, so that it is read first: it is what the dumps were made for
    scheduleUpdate();
}

// Once for each run, when it has been analysed.
void Session::tellForwardOnly()
{
    if (m_is_forward_only_told || !m_content.measured->is_forward_only)
        return;
    m_is_forward_only_told = true;
    emit told(
        {Severity::warning,
         tr("No backward pass was recorded: messages are compared with those of forward passes alone, and "
            "predicted times are those of whole training steps."),
         Topic::traces, Offer::what_traces_show});
}

// Likewise.
void Session::tellUnfinished()
{
    const auto notice = noticeOfUnfinished(m_content.measured->measurement);
    if (m_is_unfinished_told || !notice)
        return;
    m_is_unfinished_told = true;
    emit told(*notice);
}

// Once, as long as it holds.
void Session::tellMapping()
{
    const std::optional<RankOrder>& order = m_content.measured->measurement.other_order;
    if (order == m_told_order)
        return;
    m_told_order = order;
    emit outdated(Topic::mapping);
    if (!order)
        return;
    const QString of_run = toQString(rankOrderWord(*order, false));
    emit told(
        {Severity::warning,
         tr("The traces are of another mapping than the scenario: single ranks sent what they send with "
            "%1. What is shown as measured is that of %1.")
             .arg(of_run),
         Topic::mapping, Offer::mapping_of_traces});
}

void Session::takeMapping()
{
    if (!m_told_order)
        return;
    Scenario scenario = m_scenario;
    scenario.parallel.rank_order = *m_told_order;
    editScenario(scenario, tr("Mapping of the traces"));
}

void Session::showRun(std::optional<std::size_t> run)
{
    if (!m_several || isImporting() || run == m_shown_run || (run && *run >= m_several->runs.size()))
        return;
    m_shown_run = run;
    auto shown = std::make_shared<MeasuredRun>();
    shown->traces = run ? onlyRun(m_several->traces, m_several->runs, *run) : m_several->traces;
    leaveOlderTraces();
    tellRanks(shown);
    emit told(noticeOfRuns(*m_several, m_shown_run));
    analyze(std::move(shown));
}

void Session::showStep(std::optional<std::int64_t> step)
{
    if (!m_content.measured || isImporting() || step == m_step)
        return;
    m_step = step;
    analyze(m_asked_run ? m_asked_run : m_content.measured);
}

void Session::closeTraces()
{
    cancelImport();
    m_loader->cancel();
    m_asked_run.reset();
    m_content.measured.reset();
    m_several.reset();
    m_shown_run.reset();
    leaveOlderTraces();
    scheduleUpdate();
}

void Session::pinRun()
{
    if (!m_content.measured || m_content.pinned_run == m_content.measured)
        return;
    m_content.pinned_run = m_content.measured;
    m_content.pinned_run_beside = m_content.besideMeasured() ? m_content.predicted : nullptr;
    emit told({Severity::note,
               tr("Pinned: %1. Open another run, and the pictures of time and analysis compare the two.")
                   .arg(runName(*m_content.pinned_run)),
               Topic::traces});
    scheduleUpdate();
}

void Session::unpinRun()
{
    if (!m_content.pinned_run)
        return;
    m_content.pinned_run.reset();
    m_content.pinned_run_beside.reset();
    emit outdated(Topic::traces);
    scheduleUpdate();
}

void Session::assignRank(const QString& path, qint64 rank)
{
    if (!m_content.measured || isImporting())
        return;
    auto run = std::make_shared<MeasuredRun>(*(m_asked_run ? m_asked_run : m_content.measured));
    run->measurement = {}; // of ranks that do not hold any more
    const auto file = std::ranges::find(run->traces.files, path.toStdString(), &TraceFile::path);
    if (file == run->traces.files.end())
        return;
    shardscope::assignRank(run->traces, static_cast<std::size_t>(file - run->traces.files.begin()), rank);
    analyze(std::move(run));
}

// An impossible layout tells nothing: that of the last possible one does.
Session::AnalysisInput Session::analysisInput() const
{
    return {m_content.stale && m_content.predicted ? m_content.predicted->scenario : m_scenario, m_rules,
            m_step};
}

bool Session::isAnalyzedAsAsked() const
{
    return sameLayout(m_asked_with.layout, m_scenario) && m_asked_with.rules == m_rules
           && m_asked_with.step == m_step;
}

void Session::setRules(const ClassificationRules& rules)
{
    m_rules = std::make_shared<ClassificationRules>(rules);
    m_loader->setRules(m_rules);
    if (m_content.measured && !isImporting())
        analyze(m_asked_run ? m_asked_run : m_content.measured);
}

void Session::analyzeAgain()
{
    if (m_content.measured && !m_content.stale && !isImporting() && !isAnalyzedAsAsked())
        analyze(m_asked_run ? m_asked_run : m_content.measured);
}

void Session::analyze(std::shared_ptr<const MeasuredRun> run)
{
    m_asked_with = analysisInput();
    m_asked_run = run;
    m_loader->analyzeAgain(std::move(run), std::make_shared<Scenario>(m_asked_with.layout), m_step);
}

void Session::takeAnalysis(std::shared_ptr<const MeasuredRun> run)
{
    show(std::move(run), m_content);
    m_step = m_content.measured->measurement.step; // an analysis that failed leaves the older one
    m_asked_with.step = m_step;
    m_shown_with = m_asked_with;
    m_asked_run.reset();
    tellForwardOnly();
    tellMapping();
    tellUnfinished();
    scheduleUpdate();
}

} // namespace shardscope
