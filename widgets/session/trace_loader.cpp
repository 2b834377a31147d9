#include "widgets/session/trace_loader.h"

#include "core/analysis/analyze.h"
#include "core/base/format.h"
#include "core/import/importer.h"

#include <QMetaObject>

#include <exception>
#include <filesystem>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

constexpr qint64 progress_interval_ms = 40;
constexpr double import_share = 0.9; // of the progress bar; the rest is the analysis

std::vector<std::filesystem::path> toPaths(const QStringList& paths)
{
    std::vector<std::filesystem::path> result;
    for (const QString& path : paths)
        result.emplace_back(path.toStdString());
    return result;
}

std::shared_ptr<const MeasuredRun> analyzedRun(TraceSet traces, const Scenario* layout,
                                               std::shared_ptr<const ClassificationRules> rules)
{
    AnalysisOptions options;
    options.layout = layout;
    if (rules)
        options.rules = *rules;
    auto run = std::make_shared<MeasuredRun>();
    run->traces = std::move(traces);
    run->measurement = analyze(run->traces, options);
    run->rules = std::move(rules);
    return run;
}

double fractionOf(const ImportProgress& progress)
{
    if (progress.bytes_total <= 0)
        return 0.0;
    return import_share * static_cast<double>(progress.bytes_done)
           / static_cast<double>(progress.bytes_total);
}

QString sentenceOf(const ImportProgress& progress)
{
    const QString bytes = QString::fromStdString(formatBytes(static_cast<double>(progress.bytes_done)))
                          + " of "
                          + QString::fromStdString(formatBytes(static_cast<double>(progress.bytes_total)));
    return QString{"Reading traces: %1 of %2 files, %3"}
        .arg(progress.files_done)
        .arg(progress.files_total)
        .arg(bytes);
}

} // namespace

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

void TraceLoader::load(const QStringList& paths, std::shared_ptr<const Scenario> layout)
{
    cancel();
    m_importing = true;
    m_pool.start([this, generation = m_generation.load(), paths, layout = std::move(layout),
                  rules = m_rules] { loadOnWorker(generation, paths, layout, rules); });
}

void TraceLoader::cancel()
{
    ++m_generation;
    m_importing = false;
    m_waitingRun.reset();
    m_waitingLayout.reset();
}

void TraceLoader::loadOnWorker(int generation, const QStringList& paths,
                               const std::shared_ptr<const Scenario>& layout,
                               std::shared_ptr<const ClassificationRules> rules)
{
    QElapsedTimer sinceTold;
    ImportOptions options;
    options.on_progress = [&](const ImportProgress& progress) {
        if (!sinceTold.isValid() || sinceTold.elapsed() >= progress_interval_ms) {
            sinceTold.start();
            tell(generation, fractionOf(progress), sentenceOf(progress));
        }
        return generation == m_generation.load();
    };
    std::shared_ptr<const MeasuredRun> run;
    QString sentence;
    try {
        Result<TraceSet> traces = importTraces(toPaths(paths), options);
        if (!traces) {
            sentence = QString::fromStdString(traces.error().sentence);
        } else if (generation == m_generation.load()) {
            tell(generation, import_share, "Analysing the traces");
            run = analyzedRun(std::move(traces).value(), layout.get(), std::move(rules));
        }
    } catch (const std::bad_alloc&) {
        sentence = "there is not enough memory for these traces: open fewer ranks at once";
    }
    QMetaObject::invokeMethod(
        this, [this, generation, run, sentence] { finish(generation, run, sentence); }, Qt::QueuedConnection);
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

void TraceLoader::finish(int generation, std::shared_ptr<const MeasuredRun> run, const QString& sentence)
{
    if (generation != m_generation.load())
        return;
    m_importing = false;
    if (run)
        emit loaded(std::move(run));
    else
        emit failed(sentence);
}

void TraceLoader::analyzeAgain(std::shared_ptr<const MeasuredRun> run, std::shared_ptr<const Scenario> layout)
{
    m_waitingRun = std::move(run);
    m_waitingLayout = std::move(layout);
    startNextAnalysis();
}

void TraceLoader::startNextAnalysis()
{
    if (m_analyzing || !m_waitingRun)
        return;
    m_analyzing = true;
    m_pool.start([this, generation = m_generation.load(), run = std::exchange(m_waitingRun, nullptr),
                  layout = std::exchange(m_waitingLayout, nullptr), rules = m_rules] {
        std::shared_ptr<const MeasuredRun> answer;
        try {
            answer = analyzedRun(run->traces, layout.get(), rules);
        } catch (const std::bad_alloc&) {
            answer = run; // the older analysis is still right for the traces themselves
        }
        QMetaObject::invokeMethod(
            this, [this, generation, answer] { finishAnalysis(generation, answer); }, Qt::QueuedConnection);
    });
}

void TraceLoader::finishAnalysis(int generation, std::shared_ptr<const MeasuredRun> run)
{
    m_analyzing = false;
    // With a newer request waiting, this answer would flash by.
    if (generation == m_generation.load() && !m_waitingRun)
        emit analyzed(std::move(run));
    startNextAnalysis();
}

} // namespace shardscope
