#include "widgets/main_window/timeline_export.h"

#include "core/prediction/predict.h"
#include "core/report/rank_choice.h"

#include <QDir>
#include <QFileInfo>
#include <QProgressDialog>

namespace shardscope
{

namespace
{

constexpr int steps = 1000; // of the progress
constexpr int patience_ms = 400;
constexpr int update_ms = 50;

// `go_on` is told the share that is written; false ends it.
Result<bool> write(const Scenario& scenario, const std::string& file, TimelineDetail detail,
                   const std::function<bool(double)>& go_on)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return Error{"there is no timeline to export: " + prediction.error().sentence};
    const RankChoice every_class;
    const auto ranks = chosenRanks(every_class, RankLayout{scenario.parallel}, RankParts{scenario});
    if (!ranks)
        return ranks.error();
    return saveTimelineTrace(file, scenario, predictTimeline(scenario, prediction.value()), detail,
                             ranks.value(), go_on);
}

} // namespace

TimelineExport::TimelineExport(QWidget& window)
    : QObject{&window}, m_window{window}, m_job{[this](const Result<bool>& saved) { finished(saved); }}
{
    m_update.setInterval(update_ms);
    connect(&m_update, &QTimer::timeout, this,
            [this] { m_progress->setValue(static_cast<int>(steps * m_share)); });
}

TimelineExport::~TimelineExport()
{
    m_stops = true;
}

void TimelineExport::start(const Scenario& scenario, const QString& file, TimelineDetail detail)
{
    stop();
    m_job.finish();
    m_file = file;
    m_share = 0.0;
    m_stops = false;
    m_progress = new QProgressDialog{tr("Writing %1").arg(QFileInfo{file}.fileName()), tr("Cancel"), 0, steps,
                                     &m_window};
    m_progress->setWindowTitle(tr("Export predicted timeline"));
    m_progress->setMinimumDuration(patience_ms);
    m_progress->setAutoClose(false);
    m_progress->setAutoReset(false);
    connect(m_progress, &QProgressDialog::canceled, this, &TimelineExport::cancel);
    m_update.start();
    m_job.start([this, scenario, file, detail] {
        return write(scenario, file.toStdString(), detail, [this](double share) {
            m_share = share;
            return !m_stops;
        });
    });
}

void TimelineExport::cancel()
{
    stop();
    emit notified(tr("%1 is not written").arg(QDir::toNativeSeparators(m_file)));
}

// The dialog would come back with its next value.
void TimelineExport::stop()
{
    m_stops = true;
    closeProgress();
}

void TimelineExport::closeProgress()
{
    m_update.stop();
    if (m_progress == nullptr)
        return;
    m_progress->hide();
    m_progress->deleteLater();
    m_progress = nullptr;
}

void TimelineExport::finished(const Result<bool>& saved)
{
    closeProgress();
    if (saved)
        emit notified(
            tr("%1 is written; it opens in Perfetto and here.").arg(QDir::toNativeSeparators(m_file)));
    else if (!m_stops)
        emit failed(QString::fromStdString(saved.error().sentence));
}

} // namespace shardscope
