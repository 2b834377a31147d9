#pragma once

#include "widgets/session/latest_job.h"

#include "core/base/result.h"
#include "core/report/timeline/timeline_trace.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <atomic>

class QProgressDialog;
class QWidget;

namespace shardscope
{

// Writes predicted timelines as Chrome traces, off the GUI thread: of hundreds of stages they are many
// millions of events.
class TimelineExport : public QObject
{
    Q_OBJECT
public:
    explicit TimelineExport(QWidget& window);
    ~TimelineExport() override;

    // Above 64 ranks one for each that differs. A file that is being written is given up for the new one.
    void start(const Scenario& scenario, const QString& file, TimelineDetail detail);
    bool isRunning() const { return m_job.isRunning(); }

signals:
    void failed(const QString& sentence);
    void notified(const QString& sentence);

private:
    void stop();
    void cancel();
    void closeProgress();
    void finished(const Result<bool>& saved);

    QWidget& m_window;
    QString m_file;
    QProgressDialog* m_progress = nullptr;
    QTimer m_update;
    std::atomic<double> m_share{0.0};
    std::atomic<bool> m_stops{false};
    LatestJob<Result<bool>> m_job; // the last member: it ends before what it fills
};

} // namespace shardscope
