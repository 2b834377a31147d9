#pragma once

#include "widgets/main_window/message_line.h"
#include "widgets/main_window/picture_export.h"
#include "widgets/session/content.h"

#include "core/scenario/presets.h"

#include <QMainWindow>
#include <QStringList>

class QLabel;
class QMenu;
class QMenuBar;

namespace shardscope
{

struct EventWalk;
class DockArrangement;
class FileActions;
class HeadlineBar;
class ImportProgressBar;
class LessonGuide;
class PictureDock;
class PopupEscape;
class ScenarioPanel;
class Session;
class StaleVeil;
class TraceFilesDialog;

// The window: it makes the panels, gives them what the session holds and passes on what they wish. It
// computes nothing.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    // `remembers`: geometry, layout and recent files are read from the settings and kept there.
    MainWindow(Presets presets, bool remembers, QWidget* parent = nullptr);
    ~MainWindow() override;

    Session& session() { return *m_session; }
    HeadlineBar& headline() { return *m_headline; }
    MessageLine& messages() { return *m_messages; }
    // Names for --panel: every picture, "scenario" and "headline".
    QStringList panelNames() const;
    QWidget* panel(const QString& name) const; // null: none has it

    void openSample();
    // What a start without files shows.
    void openFirstExample();
    // What the program was started with, else the first example: nothing of it can be undone.
    void begin(const QStringList& paths);
    void enlarge(const QString& key);
    // Nothing is being read, computed or waiting to be shown.
    bool isSettled() const;

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void makeTop();
    void makeDocks();
    void makeStatusBar();
    void makeMenus();
    void makeFileMenu(QMenu& menu);
    void makeEditMenu(QMenu& menu);
    void makeViewMenu(QMenu& menu);
    void makeScenarioMenu(QMenu& menu);
    void addPinOfRun(QMenu& menu);
    void makeStepsMenu(QMenu& menu);
    void makeAppearanceMenu(QMenu& menu);
    void addColoursOfPictures(QMenu& menu);
    void connectSession();
    void connectMessages();
    MessageLine::Remedy remedyOf(Offer offer);
    void goBackTo(int undo_index);
    void showRunsMenu();
    void showCollectives();
    void tell(const QString& sentence);     // that something is done
    void complain(const QString& sentence); // that something cannot be done
    void connectPicture(PictureDock& dock);
    void goAlong(PictureDock& wisher, const EventWalk& walk);
    void editFromPicture(const shardscope::Scenario& scenario, const QString& gesture, int drag_id);
    void showContent(const Content& content);
    void showProblems();
    void showTitle();
    void showRunSummary(const Content& content);
    void showRemarks(const Content& content);
    void exportFrom(PictureDock& dock, const QString& ending);
    void saveInto(PictureDock& dock, const QString& ending, const QString& file);
    PictureDock* pictureInUse() const;
    void enlargeInUse();
    void exportWindow();
    void leaveSpecialState();
    void restoreLayout();
    void showTraceFiles();
    void showInference();
    void askForMemory(const QStringList& traces, const QString& sentence);

    bool m_remembers;
    PictureColours m_colours = PictureColours::light; // of what leaves the window
    Session* m_session;
    FileActions* m_files;
    LessonGuide* m_lessons = nullptr;
    QMenuBar* m_menus = nullptr;
    HeadlineBar* m_headline = nullptr;
    StaleVeil* m_problem = nullptr; // over the headline, in sight whatever picture is enlarged
    MessageLine* m_messages = nullptr;
    ScenarioPanel* m_scenario_panel = nullptr;
    DockArrangement* m_docks = nullptr;
    PopupEscape* m_popup_escape = nullptr;
    ImportProgressBar* m_progress = nullptr;
    QLabel* m_run = nullptr;                   // what is laid over the prediction
    QLabel* m_remark = nullptr;                // what the prediction had to assume
    TraceFilesDialog* m_trace_files = nullptr; // made when first asked for
};

} // namespace shardscope
