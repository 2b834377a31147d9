#include "widgets/session/trace_loader.h"

#include "widgets/session/job_failures.h"
#include "widgets/session/partial_run.h"
#include "widgets/session/shown_text.h"

#include "core/analysis/analyze.h"
#include "core/analysis/comparison.h"
#include "core/analysis/gpu_time/forward_only.h"
#include "core/digest/full_traces.h"
#include "core/digest/open_traces.h"
#include "core/import/importer.h"
#include "core/prediction/predict.h"
#include "core/trace/rank_claims.h"

#include <QElapsedTimer>
#include <QMetaObject>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

constexpr qint64 progress_interval_ms = 40;
// Above this size the beginnings of the files are shown first, of those that can be read in so long.
constexpr std::int64_t worth_a_glance_bytes = std::int64_t{16} << 20;
constexpr std::int64_t glance_bytes = std::int64_t{1} << 20; // of each file
constexpr qint64 glance_ms = 40;
constexpr qint64 least_elapsed_ms = 1000; // before the time left is told
constexpr double import_share = 0.9;      // of the progress bar; the rest is the analysis

std::vector<std::filesystem::path> toPaths(const QStringList& paths)
{
    std::vector<std::filesystem::path> result;
    for (const QString& path : paths)
        result.emplace_back(path.toStdString());
    return result;
}

std::shared_ptr<const Scenario> asTheRunWas(std::shared_ptr<const Scenario> open,
                                            const std::optional<RankOrder>& order)
{
    if (!open || !order)
        return open;
    auto reordered = std::make_shared<Scenario>(*open);
    reordered->parallel.rank_order = *order;
    return reordered;
}

bool hasMessagesOf(const MeasuredRun& run, const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return false;
    const Comparison compared = compareCalls(scenario, prediction.value(), run.traces, run.measurement);
    return compared.equal() && !compared.rows.empty()
           && compared.ranks == static_cast<std::int64_t>(run.measurement.ranks.size());
}

// `known`: an earlier analysis of the same traces, or null.
std::shared_ptr<const MeasuredRun> analyzedRun(TraceSet traces, std::shared_ptr<const Scenario> open,
                                               const std::shared_ptr<const MeasuredRun>& known,
                                               std::shared_ptr<const ClassificationRules> rules,
                                               std::optional<std::int64_t> step = {})
{
    AnalysisOptions options;
    options.step = step;
    options.layout = open.get();
    options.known_layout = known ? known->layout.get() : nullptr;
    options.rules = rules.get();
    auto run = std::make_shared<MeasuredRun>();
    run->traces = std::move(traces);
    run->measurement = analyze(run->traces, options);
    run->is_forward_only = isForwardOnly(run->traces);
    run->rules = std::move(rules);
    const Measurement& found = run->measurement;
    const bool is_of_open = found.knows_all_kinds && !found.is_of_known_layout;
    run->layout = is_of_open ? asTheRunWas(open, found.other_order) : known ? known->layout : nullptr;
    // An edit that changes no message would else be taken for the run's: another batch of replicas alone.
    if (known)
        run->scenario = known->scenario;
    if (!run->scenario || !hasMessagesOf(*run, *run->scenario))
        if (open && hasMessagesOf(*run, *open))
            run->scenario = std::move(open);
    return run;
}

TraceFile passedBy()
{
    TraceFile file;
    file.status = FileStatus::rejected;
    return file;
}

double fractionOf(const ImportProgress& progress)
{
    if (progress.bytes_total <= 0)
        return 0.0;
    return import_share * static_cast<double>(progress.bytes_done)
           / static_cast<double>(progress.bytes_total);
}

// What is left at the rate so far, once that can be told.
QString timeLeft(const ImportProgress& progress, qint64 elapsed_ms)
{
    if (elapsed_ms < least_elapsed_ms || progress.bytes_done <= 0)
        return {};
    const double seconds = static_cast<double>(elapsed_ms) / 1000.0
                           * static_cast<double>(progress.bytes_total - progress.bytes_done)
                           / static_cast<double>(progress.bytes_done);
    if (seconds < 1.0)
        return {};
    return seconds < 90.0 ? QString{", %1 s left"}.arg(std::ceil(seconds))
                          : QString{", %1 min left"}.arg(std::ceil(seconds / 60.0));
}

// Takes the paths that cannot be read out of the others.
std::vector<RefusedPath> takeRefused(std::vector<std::filesystem::path>& paths)
{
    std::vector<RefusedPath> refused = refusedPaths(paths);
    std::erase_if(paths, [&](const std::filesystem::path& path) {
        return std::ranges::find(refused, path, &RefusedPath::path) != refused.end();
    });
    return refused;
}

TraceFile rejectedFile(const RefusedPath& refused)
{
    TraceFile file;
    file.path = refused.path.string();
    file.status = FileStatus::rejected;
    file.rejection = refused.why;
    return file;
}

QString sentenceOf(const ImportProgress& progress, qint64 elapsed_ms)
{
    if (progress.bytes_total == 0)
        return QString{"Looking for traces: %1 files so far"}.arg(progress.files_total);
    const QString bytes = bytesText(static_cast<double>(progress.bytes_done)) + " of "
                          + bytesText(static_cast<double>(progress.bytes_total));
    return QString{"Reading traces: %1 of %2 files, %3"}
               .arg(progress.files_done)
               .arg(progress.files_total)
               .arg(bytes)
           + timeLeft(progress, elapsed_ms);
}

} // namespace

bool areOfSameFiles(const TraceSet& a, const TraceSet& b)
{
    return std::ranges::equal(a.files, b.files, {}, &TraceFile::store, &TraceFile::store);
}

TraceLoader::TraceLoader(QObject* parent) : QObject{parent}
{
    // Two: a new import need not wait for the analysis of one that was cancelled.
    m_pool.setMaxThreadCount(2);
}

TraceLoader::~TraceLoader()
{
    cancel();
    m_pool.waitForDone();
}

void TraceLoader::load(const QStringList& paths, std::shared_ptr<const Scenario> layout, bool is_regardless)
{
    cancel();
    m_importing = true;
    m_partial = std::make_shared<PartialRun>();
    m_pool.start([this, request = Request{m_generation.load(), toPaths(paths), std::move(layout), m_rules,
                                          m_partial, is_regardless}] { loadOnWorker(request); });
}

void TraceLoader::readInFull(std::shared_ptr<const MeasuredRun> run, std::vector<std::size_t> files,
                             std::shared_ptr<const Scenario> layout)
{
    cancel();
    m_importing = true;
    m_pool.start([this, request = Request{m_generation.load(),
                                          {},
                                          std::move(layout),
                                          m_rules,
                                          nullptr,
                                          false,
                                          std::move(run),
                                          std::move(files)}] { loadOnWorker(request); });
}

std::shared_ptr<const MeasuredRun> TraceLoader::cancel()
{
    ++m_generation;
    m_importing = false;
    m_waiting_run.reset();
    m_waiting_layout.reset();
    m_waiting_known.reset();
    const std::shared_ptr<PartialRun> partial = std::exchange(m_partial, nullptr);
    return partial ? partial->whatCame() : nullptr;
}

// Reads the beginnings of as many files as a short while allows.
void TraceLoader::glance(const Request& request)
{
    const auto go_on = [&](std::size_t) { return request.generation == m_generation.load(); };
    const Result<SourceFiles> sources = sourceFilesIn(request.paths, go_on);
    if (!sources || sources.value().bytes() <= worth_a_glance_bytes)
        return;
    QElapsedTimer since;
    since.start();
    ImportOptions options;
    options.glance_bytes = glance_bytes;
    options.on_progress = [&](const ImportProgress&) { return request.generation == m_generation.load(); };
    // Once the time is over the other files are passed by; those at hand are short.
    options.instead = [&](const std::filesystem::path&) {
        return since.elapsed() < glance_ms ? std::nullopt : std::optional{passedBy()};
    };
    options.on_file = [&](const TraceFile& file) { request.partial->addBeginning(file); };
    const Result<TraceSet> ignored = importTraces(request.paths, options);
    if (auto run = request.partial->toShow())
        tellPartial(request.generation, std::move(run));
}

void TraceLoader::loadOnWorker(Request request)
{
    Answer answer;
    try {
        request.refused = takeRefused(request.paths);
        if (request.partial)
            glance(request);
        answer = answerOf(request);
    } catch (const std::bad_alloc&) {
        answer.sentence = "there is not enough memory for these traces: open fewer ranks at once";
    } catch (const std::exception& error) {
        answer.sentence = QString{"the traces could not be read: %1"}.arg(error.what());
    }
    QMetaObject::invokeMethod(
        this, [this, generation = request.generation, answer] { finish(generation, answer); },
        Qt::QueuedConnection);
}

TraceLoader::Answer TraceLoader::answerOf(const Request& request)
{
    Answer answer;
    Result<TraceSet> traces = readTraces(request, answer);
    if (!traces) {
        answer.sentence = toQString(traces.error().sentence);
    } else if (request.generation == m_generation.load()) {
        tell(request.generation, import_share, "Analysing the traces");
        TraceSet& set = traces.value();
        if (std::vector<FolderRun> runs = runsOf(set); !request.digested && !runs.empty()) {
            answer.several =
                std::make_shared<const SeveralRuns>(SeveralRuns{std::move(set), std::move(runs)});
            set = onlyRun(answer.several->traces, answer.several->runs, 0);
        }
        answer.run = analyzedRun(std::move(set), request.layout, request.digested, request.rules);
    }
    return answer;
}

Result<TraceSet> TraceLoader::readTraces(const Request& request, Answer& answer)
{
    QElapsedTimer since_told;
    QElapsedTimer since_begun;
    since_begun.start();
    ImportOptions options;
    options.on_progress = [&](const ImportProgress& progress) {
        if (!since_told.isValid() || since_told.elapsed() >= progress_interval_ms) {
            since_told.start();
            tell(request.generation, fractionOf(progress), sentenceOf(progress, since_begun.elapsed()));
        }
        return request.generation == m_generation.load();
    };
    if (request.digested)
        return shardscope::readInFull(request.digested->traces, request.files, options);
    options.on_file = [&](const TraceFile& file) {
        request.partial->add(file);
        if (auto run = request.partial->toShow())
            tellPartial(request.generation, std::move(run));
    };
    options.on_memory_need = [&](const MemoryNeed&) {
        answer.is_too_large = !request.is_regardless;
        return request.is_regardless;
    };
    const ClassificationRules& rules = request.rules ? *request.rules : ClassificationRules::shipped();
    const TraceDetail detail = request.is_regardless ? TraceDetail::events : TraceDetail::quick;
    if (request.paths.empty() && !request.refused.empty())
        return refusal(request.refused);
    Result<TraceSet> traces = openTraces(request.paths, detail, rules, options);
    if (!traces && !request.refused.empty() && !answer.is_too_large)
        return Error{traces.error().sentence + "; " + refusal(request.refused).sentence};
    if (traces && !request.refused.empty()) {
        std::ranges::transform(request.refused, std::back_inserter(traces.value().files), rejectedFile);
        noteRanks(traces.value());
    }
    return traces;
}

void TraceLoader::tellPartial(int generation, std::shared_ptr<const MeasuredRun> run)
{
    QMetaObject::invokeMethod(
        this,
        [this, generation, run = std::move(run)] {
            if (generation == m_generation.load())
                emit partlyLoaded(run);
        },
        Qt::QueuedConnection);
}

void TraceLoader::tell(int generation, double fraction, const QString& what)
{
    QMetaObject::invokeMethod(
        this,
        [this, generation, fraction, what] {
            if (generation == m_generation.load())
                emit progressed(fraction, what);
        },
        Qt::QueuedConnection);
}

void TraceLoader::finish(int generation, const Answer& answer)
{
    if (generation != m_generation.load())
        return;
    m_importing = false;
    m_partial.reset();
    if (answer.run)
        emit loaded(answer.run, answer.several);
    else if (answer.is_too_large)
        emit tooLarge(answer.sentence);
    else
        emit failed(answer.sentence);
}

void TraceLoader::analyzeAgain(std::shared_ptr<const MeasuredRun> run, std::shared_ptr<const Scenario> layout,
                               std::optional<std::int64_t> step)
{
    m_waiting_step = step;
    m_waiting_known = run;
    m_waiting_run = std::move(run);
    m_waiting_layout = std::move(layout);
    startNextAnalysis();
}

void TraceLoader::startNextAnalysis()
{
    if (m_analyzing || !m_waiting_run)
        return;
    m_analyzing = true;
    m_pool.start([this, generation = m_generation.load(), run = std::exchange(m_waiting_run, nullptr),
                  layout = std::exchange(m_waiting_layout, nullptr),
                  known = std::exchange(m_waiting_known, nullptr), rules = m_rules, step = m_waiting_step] {
        std::shared_ptr<const MeasuredRun> answer = run;
        std::exception_ptr failure;
        try {
            answer = analyzedRun(run->traces, layout, known, rules, step);
        } catch (const std::exception&) { // an older analysis is still right for the traces themselves
            failure = std::current_exception();
        }
        QMetaObject::invokeMethod(
            this, [=, this] { finishAnalysis(generation, answer, failure); }, Qt::QueuedConnection);
    });
}

void TraceLoader::finishAnalysis(int generation, std::shared_ptr<const MeasuredRun> run,
                                 const std::exception_ptr& failure)
{
    m_analyzing = false;
    // With a newer request waiting, this answer would flash by; what it found out holds.
    if (m_waiting_run && (run->layout || run->scenario) && areOfSameFiles(run->traces, m_waiting_run->traces))
        m_waiting_known = run;
    if (generation == m_generation.load() && !m_waiting_run) {
        if (failure)
            emit notAnalyzed(
                tr("The traces were not analysed anew (%1): what is measured is as it was, or not "
                   "shown.")
                    .arg(JobFailures::sentenceOf(failure)));
        emit analyzed(std::move(run));
    }
    startNextAnalysis();
}

} // namespace shardscope
