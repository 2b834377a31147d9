#pragma once

#include "widgets/session/content.h"
#include "widgets/session/latest_job.h"
#include "widgets/session/notice.h"
#include "widgets/session/selection.h"
#include "widgets/session/several_runs.h"

#include "core/inference/infer.h"
#include "core/scenario/own_presets.h"
#include "core/scenario/presets.h"
#include "core/scenario/validation/validation.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QUndoStack>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace shardscope
{

struct ScenarioDocument;
struct ScenarioReading;
enum class ScenarioOrigin : unsigned char;
class TraceLoader;

// The one owner of what is on screen: scenario, prediction, pin, traces, selection, undo. Panels show its
// values and ask it for changes; it knows no panel. Edits that arrive within one turn of the event loop are
// answered once; pictures keep the older answer while one takes longer than a frame.
class Session : public QObject
{
    Q_OBJECT
public:
    // Starts with the default scenario, already predicted.
    explicit Session(Presets presets, QObject* parent = nullptr);
    ~Session() override;

    const Presets& presets() const { return m_presets; }
    const Scenario& scenario() const { return m_scenario; }
    const std::vector<Problem>& problems() const { return m_problems; }
    const Content& content() const { return m_content; }
    const Selection& selection() const { return m_selection; }
    QUndoStack& undoStack() { return m_undo; }
    QString scenarioFile() const; // empty: not saved yet
    // The scenario differs from what its file holds, or from how it was begun where it has none.
    bool isModified() const;
    // It bears the name of another scenario: one that was opened and is edited since.
    bool isEdited() const;
    // Nobody has chosen it: it was shown at the start, or found in traces.
    bool isScenarioNobodys() const;
    // That, and it is not what the open traces show.
    bool isScenarioOfNoTraces() const;
    // Asked before another scenario takes the place of the one on screen, once it has been read. False: the
    // one on screen stays. Nobody is asked at first.
    void setMayReplace(std::function<bool()> may_replace) { m_may_replace = std::move(may_replace); }
    bool isImporting() const;
    // The runs that lie below the folder of the open traces, with the same ranks each; null where it is one.
    std::shared_ptr<const SeveralRuns> severalRuns() const { return m_several; }
    // Which of them is shown; nothing: all of them as one run.
    std::optional<std::size_t> shownRun() const { return m_shown_run; }
    // The pictures are of an older scenario yet: the one on screen takes longer than a frame.
    bool isPredicting() const { return m_prediction.isRunning(); }
    // Nothing is under way: what the pictures were told last is what they will keep showing.
    bool isSettled() const;

public slots:
    // `gesture` names the edit for the undo menu ("Tensor parallel"); edits of one drag share a `drag_id` >=
    // 0 and become one undo step.
    void editScenario(const shardscope::Scenario& scenario, const QString& gesture, int drag_id = -1);
    // The same of a document that nobody need save: a lesson's steps are no work of the user's.
    void editAsKept(const shardscope::Scenario& scenario, const QString& gesture);
    void select(const shardscope::Selection& selection);
    void pin();
    // One that was pinned before.
    void pinAgain(const std::shared_ptr<const shardscope::PredictedScenario>& pinned);
    void unpin() { pinAgain(nullptr); }
    // The measured run stays to be compared with those that are opened after it; one at a time.
    void pinRun();
    void unpinRun();
    // The default scenario, without a file.
    void newScenario();
    // A scenario of its own in the place of the one on screen, without a file. False: the other stays.
    bool openScenario(const shardscope::Scenario& scenario, const QString& gesture);
    // Scenario files replace the scenario (of several, all but the last are pinned in turn); everything else
    // is imported as one trace set, off this thread. A folder's own scenario comes with it where none was
    // set. Examples and the sample, which ship with the program, are opened as copies.
    void open(const QStringList& paths);
    // Imports traces of which memoryAsked() has told that memory may not suffice.
    void openRegardless(const QStringList& traces);
    // Like open, but the scenario stays without a file, so that Save asks for a place: examples.
    void openCopy(const QString& file);
    // The same of what the program shows before anybody has opened something; traces bring their own.
    void openFirst(const QString& file);
    // As it was kept when it gave way without a file: it still is not saved.
    void openUnsaved(const QString& file);
    // These files of the run are digests: reads the traces themselves, off this thread.
    void readInFull(const QStringList& digests);
    // One of severalRuns(), or all of them as one run; it is analysed anew.
    void showRun(std::optional<std::size_t> run);
    // One of the profiler's steps alone, or all that was recorded; the run is analysed anew.
    void showStep(std::optional<std::int64_t> step);
    void cancelImport();
    void closeTraces();
    // A file of the run belongs to that rank, as the user says; the run is analysed anew.
    void assignRank(const QString& path, qint64 rank);
    // The order of ranks that the traces are of, where told() has said that it is another one.
    void takeMapping();
    // Which kernels are communication, and of which kind; the run is analysed anew.
    void setRules(const shardscope::ClassificationRules& rules);
    bool save(const QString& file);
    // Keeps a cluster among the user's own presets, over an older one of the name; `source` says where its
    // constants are from. False: failed() has told why.
    bool saveCluster(const QString& name, const shardscope::Cluster& cluster, const QString& source);
    // The scenario's own model or cluster, as `name`: it is then the preset of that name.
    bool savePreset(shardscope::PresetKind kind, const QString& name);
    bool removePreset(shardscope::PresetKind kind, const QString& name);
    bool renamePreset(shardscope::PresetKind kind, const QString& name, const QString& new_name);

signals:
    // The next scenarioChanged() tells that of this step of the undo history: by a number of its own, which
    // comes again where undo or redo comes back to it.
    void historyStepChanged(int step);
    void documentChanged(); // the next scenarioChanged() tells another document's, as undo may bring it back
    void scenarioChanged(const shardscope::Scenario& scenario); // at once, for the controls
    void presetsChanged();                                      // one was saved, removed or renamed
    void problemsChanged(const std::vector<shardscope::Problem>& problems);
    void contentChanged(const shardscope::Content& content); // once for each turn of the event loop
    void selectionChanged(const shardscope::Selection& selection);
    void scenarioFileChanged(const QString& file);
    void opened(const QString& path); // a file or folder that was read; for the list of recent ones
    void importStarted(const QStringList& paths);
    void importProgressed(double fraction, const QString& what);
    void importEnded();
    // These traces were not read, as memory would not suffice: shall they all the same?
    void memoryAsked(const QStringList& traces, const QString& sentence);
    void tracesReplaced(); // other ones are shown than before, or none
    void failed(const QString& sentence, shardscope::Topic topic = Topic::other); // mistakes, bad files
    void told(const shardscope::Notice& notice);
    void outdated(shardscope::Topic topic); // what was said about it does not hold any more

private:
    friend class ScenarioEdit;
    void apply(const Scenario& scenario, const std::shared_ptr<ScenarioDocument>& document, int step);
    bool changePresets(const Result<bool>& change);
    bool mayReplace() const;
    bool openScenarios(const QStringList& paths, ScenarioOrigin origin);
    void take(const ScenarioReading& reading, const QString& path, ScenarioOrigin origin);
    void replaceScenario(const Scenario& scenario, ScenarioDocument document, const QString& gesture);
    void importTraces(const QStringList& traces, bool is_regardless);
    void scheduleUpdate();
    void update();
    void tellContent();
    void predictScenario();
    void finishPrediction();
    void takePrediction(const Scenario& scenario, Result<Prediction> prediction);
    void setProblems(std::vector<Problem> problems);
    void analyze(std::shared_ptr<const MeasuredRun> run);
    void analyzeAgain();
    // What tells the kinds of calls, and what is counted of the run.
    struct AnalysisInput {
        Scenario layout;
        std::shared_ptr<const ClassificationRules> rules; // null: the shipped ones
        std::optional<std::int64_t> step;                 // nothing: all that was recorded
    };
    AnalysisInput analysisInput() const; // by what is on screen now
    bool isAnalyzedAsAsked() const;
    void takeAnalysis(std::shared_ptr<const MeasuredRun> run);
    void takeRun(std::shared_ptr<const MeasuredRun> run, std::shared_ptr<const SeveralRuns> several);
    void tellRanks(const std::shared_ptr<const MeasuredRun>& run);
    void lookForScenario(const std::shared_ptr<const MeasuredRun>& run);
    void leaveInference();
    void takeInference(const Result<Inference>& found);
    std::optional<Notice> scenarioNotice() const;
    void tellScenario();
    void tellForwardOnly();
    void tellMapping();
    void tellUnfinished();
    void showPartial(std::shared_ptr<const MeasuredRun> run);
    void keepWhatCame(std::shared_ptr<const MeasuredRun> run);
    void endImport();
    void giveUpImport();
    void leaveOlderTraces();

    Presets m_presets;
    const Scenario m_default_scenario; // which an empty file means
    Scenario m_scenario;
    std::vector<Problem> m_problems;
    Content m_content;
    Selection m_selection;
    QUndoStack m_undo;
    int m_history_step = 0;      // that is on screen
    int m_last_history_step = 0; // the newest
    std::shared_ptr<ScenarioDocument> m_document;
    std::function<bool()> m_may_replace;
    QStringList m_importing;                            // the paths that are being read
    std::shared_ptr<const ClassificationRules> m_rules; // of every analysis; null: the shipped ones
    AnalysisInput m_asked_with; // the newest import or analysis, which may be under way
    // That is being analysed, and not shown yet; null: none, or an import's.
    std::shared_ptr<const MeasuredRun> m_asked_run;
    AnalysisInput m_shown_with; // the analysis of the traces that are shown
    std::shared_ptr<const SeveralRuns> m_several;
    std::optional<std::size_t> m_shown_run;
    std::optional<std::int64_t> m_step; // of the run, that is asked for
    bool m_is_forward_only_told = false;
    bool m_is_unfinished_told = false;
    std::optional<RankOrder> m_told_order;     // of the traces' ranks, said to be none of the scenario's
    std::vector<Scenario> m_nobodys_scenarios; // shown at the start, or found in traces
    // What is known of the scenario of the open traces; no ranks: none are open.
    struct ScenarioOfTraces {
        std::int64_t ranks = 0;
        bool may_be_told = false; // by their formats
        std::optional<Scenario> found = {};
        QString what_was_found = {};
        QString why_none = {};
    };
    ScenarioOfTraces m_of_traces;
    QString m_told_of_scenario; // the last of scenarioNotice()
    QTimer m_update;
    QTimer m_analysis; // waits until a drag rests
    std::unique_ptr<TraceLoader> m_loader;
    Scenario m_predicted_beside; // the one that m_prediction works on
    LatestJob<Result<Prediction>> m_prediction;
    std::shared_ptr<std::atomic<bool>> m_stop_inference; // null: none was begun
    LatestJob<Result<Inference>> m_inference;
};

} // namespace shardscope
