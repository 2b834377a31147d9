#include "widgets/panels/sweep/sweep_panel.h"

#include "widgets/panels/sweep/search_hint.h"
#include "widgets/plots/bars/bar_chart.h"

#include <cmath>

// The search for layouts: the one study that takes seconds.
namespace shardscope
{

bool SweepPanel::isSearching() const
{
    return m_job.isRunning() && m_running == &study() && study().picture == StudyPicture::layouts;
}

// Instead of a picture, or above that of the scenario before.
void SweepPanel::showProgress()
{
    if (!isSearching()) {
        m_progress.stop();
        return;
    }
    const double share = m_share ? m_share->load() : 0.0;
    const QString progress = tr("Trying layouts: %1 %").arg(std::floor(100.0 * share));
    if (!isAnswered()) {
        m_hint->setText(progress, tr("Stop"));
        return;
    }
    BarScene scene = m_chart->scene();
    scene.note = tr("of the scenario before. %1").arg(progress);
    m_chart->setScene(std::move(scene));
}

void SweepPanel::stopOrSearch()
{
    if (!isSearching())
        return ask();
    m_stop->store(true);
    m_job.forget();
    m_hint->setText(tr("The search was stopped"), tr("Search"));
}

} // namespace shardscope
