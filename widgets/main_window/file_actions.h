#pragma once

#include "widgets/session/recent_files.h"

#include <QObject>
#include <QString>
#include <QStringList>

class QMenu;
class QMimeData;
class QWidget;

namespace shardscope
{

class Session;
class TimelineExport;

// Everything of the File menu that opens and saves: dialogs, samples, examples, recent files, dropped files.
class FileActions : public QObject
{
    Q_OBJECT
public:
    FileActions(Session& session, QWidget& window);

    void addTo(QMenu& menu);
    // Remembers what is opened from here on, and keeps what gives way without a file; not called for
    // screenshots.
    void remember();
    // The runs that the open traces' folder holds, to choose one.
    QMenu& runsMenu() { return *m_runs; }
    void openSample();
    void openFirstExample();
    bool save();
    bool saveAs();
    // Writes the predicted timeline as a Chrome trace; above 64 ranks one for each that differs.
    void exportTimeline();
    // Keeps a changed scenario that has no file, so that the next run can go on with it.
    void keepForNextRun() const;
    // The one that the last run kept and nobody was told of yet; empty: none.
    static QString takeUntoldUnsaved();
    // Asks what to do about changes to a scenario that has a file. False: the user wants to stay.
    bool mayLeave();

    static QStringList droppedPaths(const QMimeData& data);

signals:
    void failed(const QString& sentence);
    void notified(const QString& sentence);

private:
    bool mayReplace();
    QString keepUnsaved() const;
    void takeTyped() const;
    void openFiles();
    void openFolder();
    void fillExamples(QMenu& menu);
    void fillRecent(QMenu& menu);
    void fillRuns();
    QString lastFolder() const;

    Session& m_session;
    QWidget& m_window;
    RecentFiles m_recent;
    TimelineExport* m_export;
    QMenu* m_runs;
    bool m_remembers = false;
};

} // namespace shardscope
