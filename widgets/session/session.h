#pragma once

#include "widgets/session/content.h"
#include "widgets/session/selection.h"

#include "core/scenario/presets.h"
#include "core/scenario/validation.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>

#include <memory>
#include <vector>

namespace shardscope {

class TraceLoader;

// The one owner of what is on screen: scenario, prediction, pin, traces, selection, undo. Panels show its values and
// ask it for changes; it knows no panel. Edits that arrive within one turn of the event loop are answered once.
class Session : public QObject
{
    Q_OBJECT
public:
    explicit Session(Presets presets, QObject* parent = nullptr);
    ~Session() override;

    const Presets& presets() const { return m_presets; }
    const Scenario& scenario() const { return m_scenario; }
    const std::vector<Problem>& problems() const { return m_problems; }
    const Content& content() const { return m_content; }
    const Selection& selection() const { return m_selection; }
    QUndoStack& undoStack() { return m_undo; }
    QString scenarioFile() const { return m_scenarioFile; }
    bool isImporting() const;

public slots:
    // `gesture` names the edit for the undo menu ("Tensor parallel"); edits of one drag share a `dragId` >= 0 and
    // become one undo step.
    void editScenario(const shardscope::Scenario& scenario, const QString& gesture, int dragId = -1);
    void select(const shardscope::Selection& selection);
    void pin();
    void unpin();
    // Scenario files replace the scenario; everything else is imported as one trace set, off this thread.
    void open(const QStringList& paths);
    void cancelImport();
    void closeTraces();
    bool save(const QString& file);

signals:
    void scenarioChanged(const shardscope::Scenario& scenario); // at once, for the controls
    void problemsChanged(const std::vector<shardscope::Problem>& problems);
    void contentChanged(const shardscope::Content& content); // once for each turn of the event loop
    void selectionChanged(const shardscope::Selection& selection);
    void scenarioFileChanged(const QString& file);
    void importStarted(const QStringList& paths);
    void importProgressed(double fraction, const QString& what);
    void importEnded();
    void failed(const QString& sentence);   // the user's mistakes and bad files
    void notified(const QString& sentence); // warnings worth a line in the status bar

private:
    friend class ScenarioEdit;
    void apply(const Scenario& scenario);
    void scheduleUpdate();
    void update();

    Presets m_presets;
    Scenario m_scenario;
    std::vector<Problem> m_problems;
    Content m_content;
    Selection m_selection;
    QUndoStack m_undo;
    QString m_scenarioFile;
    std::unique_ptr<TraceLoader> m_loader;
    bool m_updateScheduled = false;
};

} // namespace shardscope
