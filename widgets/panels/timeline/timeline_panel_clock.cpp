#include "widgets/panels/timeline/timeline_panel.h"

#include "widgets/panels/controls/segment_button.h"
#include "widgets/session/shown_text.h"

#include "core/analysis/calls/cross_rank.h"

#include <QSignalBlocker>

#include <algorithm>
#include <limits>
#include <utility>

// By which scale and clock the sections are drawn, and which step of the run is on screen.

namespace shardscope
{

namespace
{

QString exceptionText(std::size_t ranks)
{
    if (ranks == 0)
        return {};
    return ranks == 1 ? QStringLiteral(", but for one rank")
                      : QStringLiteral(", but for %1 ranks").arg(ranks);
}

} // namespace

// Never taken out unasked: what is drawn is what was recorded.
void TimelinePanel::offerOneClock()
{
    const std::shared_ptr<const MeasuredRun> run = m_content.partial ? nullptr : runToShow();
    const TraceStore* first =
        run && !run->traces.files.empty() ? run->traces.files.front().store.get() : nullptr;
    const bool is_other = std::exchange(m_clocks_of, first) != first;
    if (is_other && !m_content.comparesRuns()) { // of another run nobody has asked yet
        const QSignalBlocker quiet{m_clock_button};
        m_clock_button->setChecked(false);
    }
    const ClockOffsets ahead = run ? offsetsToTakeOut(run->measurement.cross_rank) : ClockOffsets{};
    m_clock_button->setVisible(!ahead.empty());
    if (ahead.empty())
        return;
    const CrossRank& across = run->measurement.cross_rank;
    const auto [behind, furthest] = std::ranges::minmax_element(ahead, {}, &ClockOffsets::value_type::second);
    m_clock_button->setToolTip(
        QStringLiteral("The ranks' clocks differ: what ends together ends %1 apart in the files, in the\n"
                       "median of %2 matched calls. Taken out of the times, the clocks being up to\n"
                       "%3 apart, that is %4.")
            .arg(nanosecondsText(across.alignment_median_ns))
            .arg(across.matched)
            .arg(nanosecondsText(furthest->second - behind->second),
                 nanosecondsText(across.alignment_spread_ns)));
}

QString TimelinePanel::scaleNote() const
{
    if (m_predicted && !m_measured && m_predicted->timeline.overlapsTheNext())
        return QStringLiteral("drawn alone; iterations overlap, one every ")
               + secondsText(m_predicted->timeline.period_s);
    QStringList notes;
    if (m_measured && !m_measured->iteration_note.isEmpty())
        notes << m_measured->iteration_note;
    if (m_measured && m_measured->has_one_clock)
        notes << QStringLiteral("one clock") + exceptionText(m_measured->ranks_apart);
    if (m_predicted && m_measured)
        notes << (m_own_scales ? QStringLiteral("own scale each") : QStringLiteral("same scale"));
    return notes.join(QStringLiteral("; "));
}

// A step that alone is counted is on screen, marked as a stretch of time; all of the run once all of it
// counts again.
void TimelinePanel::showStepOfRun()
{
    if (!m_measured || m_measured->run != runToShow())
        return;
    const bool is_swap = std::exchange(m_swaps, false);
    if (m_measured->run->measurement.step == m_step_on_screen)
        return;
    const Measurement& run = m_measured->run->measurement;
    m_step_on_screen = run.step;
    if (is_swap)
        return; // the same moments of the other run
    TraceTime begin = std::numeric_limits<TraceTime>::max();
    TraceTime end = std::numeric_limits<TraceTime>::min();
    for (const RankMeasurement& rank : run.ranks) {
        const auto drawn = std::ranges::find(m_measured->ranks, rank.rank, &MeasuredRank::rank);
        const TraceTime ahead_ns = drawn != m_measured->ranks.end() ? drawn->clock_ahead_ns : 0;
        for (const StepMeasurement& step : rank.steps) {
            const TraceTime start_ns = step.start_ns - ahead_ns;
            begin = std::min(begin, start_ns);
            end = std::max(end, start_ns + std::max(step.duration_ns, step.times.window_ns));
        }
    }
    if (!run.step || begin >= end) {
        m_view->selectRange(std::nullopt);
        m_view->showAll();
        return;
    }
    const TimeRange range{begin - m_measured->origin_ns, end - begin};
    const TraceTime margin_ns = range.length_ns / 20;
    m_view->selectRange(range);
    m_view->setRange({range.start_ns - margin_ns, range.length_ns + 2 * margin_ns});
}

} // namespace shardscope
