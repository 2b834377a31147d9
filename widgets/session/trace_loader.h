#pragma once

#include "widgets/session/content.h"
#include "widgets/session/several_runs.h"

#include "core/base/result.h"
#include "core/import/source_files.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace shardscope
{

class PartialRun;

// What was read is the same, however it was analysed.
bool areOfSameFiles(const TraceSet& a, const TraceSet& b);

// Imports and analyses traces off the GUI thread. Every request has a generation number; answers to an older
// one are dropped. All signals are emitted on the thread that this object lives in.
class TraceLoader : public QObject
{
    Q_OBJECT
public:
    explicit TraceLoader(QObject* parent = nullptr);
    ~TraceLoader() override;

    // Replaces any import under way. `layout` tells the kinds of calls that nothing else names; may be null.
    // Many files, or more than memory holds, are read as digests. What would not fit even so is refused by
    // tooLarge(), unless it is to be read regardless. Paths that are not there stand in the run as rejected
    // files, and of several runs the first is analysed.
    void load(const QStringList& paths, std::shared_ptr<const Scenario> layout, bool is_regardless = false);
    // Reads the traces that some files of the run are digests of, and puts them in their places: loaded() or
    // failed() tells.
    void readInFull(std::shared_ptr<const MeasuredRun> run, std::vector<std::size_t> files,
                    std::shared_ptr<const Scenario> layout);
    // Analyses a run that is already read with another layout, or a step of it alone. Requests that pile up
    // are answered once, by the newest.
    void analyzeAgain(std::shared_ptr<const MeasuredRun> run, std::shared_ptr<const Scenario> layout,
                      std::optional<std::int64_t> step = {});
    // The rules of every analysis from now on; null: the shipped ones.
    void setRules(std::shared_ptr<const ClassificationRules> rules) { m_rules = std::move(rules); }
    // Forgets the import under way; it emits nothing any more. Answers what it had read, unanalysed; null
    // where that is nothing.
    std::shared_ptr<const MeasuredRun> cancel();
    bool isImporting() const { return m_importing; }
    bool isBusy() const { return m_importing || m_analyzing; }

signals:
    void progressed(double fraction, const QString& what);
    void partlyLoaded(std::shared_ptr<const shardscope::MeasuredRun> run); // more each time, before loaded()
    // `several` is null where all that was read is of one run.
    void loaded(std::shared_ptr<const shardscope::MeasuredRun> run,
                std::shared_ptr<const shardscope::SeveralRuns> several);
    void analyzed(std::shared_ptr<const shardscope::MeasuredRun> run);
    void notAnalyzed(const QString& sentence); // before analyzed() with the run as it was
    void failed(const QString& sentence);
    void tooLarge(const QString& sentence); // instead of failed()

private:
    // What an import is given, and what became of it.
    struct Request {
        int generation = 0;
        std::vector<std::filesystem::path> paths;
        std::shared_ptr<const Scenario> layout;
        std::shared_ptr<const ClassificationRules> rules;
        std::shared_ptr<PartialRun> partial;
        bool is_regardless = false;
        std::shared_ptr<const MeasuredRun> digested = nullptr; // the run whose files are to be read in full
        std::vector<std::size_t> files = {};                   // of it
        std::vector<RefusedPath> refused = {};                 // that were named and cannot be read
    };
    struct Answer {
        std::shared_ptr<const MeasuredRun> run;
        std::shared_ptr<const SeveralRuns> several = nullptr;
        QString sentence = {}; // where there is no run
        bool is_too_large = false;
    };

    void loadOnWorker(Request request);
    Answer answerOf(const Request& request);
    Result<TraceSet> readTraces(const Request& request, Answer& answer);
    void glance(const Request& request);
    void tellPartial(int generation, std::shared_ptr<const MeasuredRun> run);
    void tell(int generation, double fraction, const QString& what);
    void finish(int generation, const Answer& answer);
    void startNextAnalysis();
    void finishAnalysis(int generation, std::shared_ptr<const MeasuredRun> run,
                        const std::exception_ptr& failure);

    std::atomic<int> m_generation{0};
    bool m_importing = false;
    bool m_analyzing = false;
    std::shared_ptr<const MeasuredRun> m_waiting_run; // the newest request that has not begun
    std::shared_ptr<const Scenario> m_waiting_layout;
    std::optional<std::int64_t> m_waiting_step;
    std::shared_ptr<const MeasuredRun> m_waiting_known; // what an earlier analysis of it found out
    std::shared_ptr<const ClassificationRules> m_rules;
    std::shared_ptr<PartialRun> m_partial; // of the import under way
    QThreadPool m_pool;
};

} // namespace shardscope
