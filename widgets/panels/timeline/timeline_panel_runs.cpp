#include "widgets/panels/timeline/timeline_panel.h"

#include "widgets/panels/controls/segment_button.h"
#include "widgets/session/trace_loader.h"

#include <QSignalBlocker>

// Which of two measured runs is shown, the one that is open or the pinned one.

namespace shardscope
{

std::shared_ptr<const MeasuredRun> TimelinePanel::runToShow() const
{
    if (m_content.partial)
        return m_content.partial;
    const bool is_pinned = m_content.comparesRuns() && m_pinned_button->isChecked();
    return is_pinned ? m_content.pinned_run : m_content.measured;
}

bool TimelinePanel::showsPinnedRun() const
{
    return m_measured && m_content.comparesRuns() && m_measured->run == m_content.pinned_run;
}

// A run that is opened is what somebody wants to see.
void TimelinePanel::offerPinnedRun(const Content& before)
{
    const bool is_same_run = before.measured && m_content.measured
                             && areOfSameFiles(before.measured->traces, m_content.measured->traces);
    if (!m_content.comparesRuns() || !is_same_run) {
        const QSignalBlocker quiet{m_pinned_button};
        m_pinned_button->setChecked(false);
    }
    m_pinned_button->setVisible(m_content.comparesRuns() && !m_content.partial);
}

void TimelinePanel::swapRuns()
{
    m_swaps = true;
    readMeasured();
    refresh();
    askAgain();
    catchUpWithWalk();
}

// That of the layout: the scenario on screen is no pinned run's.
const Scenario* TimelinePanel::scenarioOfRun() const
{
    if (showsPinnedRun())
        return m_measured->run->layout.get();
    return m_content.predicted ? &m_content.predicted->scenario : nullptr;
}

PicturePanel::Sources TimelinePanel::sources() const
{
    Sources sources;
    sources.measured = !showsPinnedRun();
    sources.pinned_run = showsPinnedRun();
    return sources;
}

} // namespace shardscope
