#include "widgets/plots/timeline/timeline_view.h"

#include <QToolTip>

#include <algorithm>
#include <utility>

// What the timeline keeps of its view when it is given something else to show.

namespace shardscope
{

namespace
{

constexpr std::size_t ranks_opened_at_first = 2; // of more, all are seen closed

bool isPartial(const std::shared_ptr<const MeasuredLanes>& lanes)
{
    return lanes && lanes->run && lanes->run->is_partial;
}

const std::string& pathOf(const MeasuredLanes& lanes, std::size_t rank)
{
    return lanes.run->traces.files[lanes.ranks[rank].file].path;
}

// The ranks that were open, wherever they stand now.
OpenLanes movedTo(const MeasuredLanes& now, const MeasuredLanes& before, const OpenLanes& open)
{
    OpenLanes moved;
    for (std::size_t rank = 0; rank < now.ranks.size(); ++rank)
        for (const std::size_t old : open.ranks)
            if (old < before.ranks.size() && pathOf(before, old) == pathOf(now, rank))
                moved.ranks.insert(rank);
    return moved;
}

} // namespace

void TimelineView::setScene(TimelineScene scene)
{
    const std::shared_ptr<const MeasuredLanes> before = m_scene.measured;
    const bool other_run = !areOfOneRun(scene.measured.get(), before.get());
    const bool other_lanes = scene.measured != before
                             || (m_chosen && m_chosen->section == TimelineSection::predicted
                                 && scene.predicted != m_scene.predicted);
    const bool other_groups = scene.groups != m_scene.groups;
    const bool takes_turns =
        other_run && scene.measured && before && scene.compared[0] && scene.compared == m_scene.compared;
    m_scene = std::move(scene);
    if (other_groups)
        m_open.closed_groups.clear();
    if (m_chosen && other_lanes)
        choose(std::nullopt);
    if (!other_run && before)
        moveTimes(before->origin_ns - m_scene.measured->origin_ns);
    else if (takes_turns)
        stayAtMoments();
    else if (isPartial(before) && m_scene.measured && m_scene.measured->run)
        goOnFrom(*before);
    else if (other_run)
        beginAnew();
    if (!takes_turns && (other_run || isPartial(before)) && m_open.ranks.empty())
        openFew();
    forgetSpot();
    if (m_selected)
        m_summary = summarize(m_scene, *m_selected);
    placeLanes();
    if (m_shows_all)
        m_range = padded(boundsOf(m_scene));
    spoil();
}

// Of two runs that are compared the other one is shown, whose iteration begins at 0 as well.
void TimelineView::stayAtMoments()
{
    m_shows_all = false;
    std::swap(m_open, m_open_of_other);
    std::swap(m_rank_scroll, m_rank_scroll_of_other);
    emit rangeSelected(m_selected);
}

void TimelineView::forgetSpot()
{
    if (!m_spot)
        return;
    m_spot.reset();
    QToolTip::hideText();
    emit spotHovered(m_spot);
}

void TimelineView::beginAnew()
{
    m_open = {};
    m_open_of_other = {};
    m_rank_scroll = 0;
    m_rank_scroll_of_other = 0;
    if (m_selected)
        emit hinted({});
    m_selected.reset();
    m_bookmarks.clear();
    m_shows_all = true;
    emit rangeSelected(std::nullopt);
}

// More of the run that was shown has been read: times may count from another origin, ranks stand elsewhere.
void TimelineView::goOnFrom(const MeasuredLanes& before)
{
    const MeasuredLanes& now = *m_scene.measured;
    moveTimes(before.origin_ns - now.origin_ns);
    m_open = movedTo(now, before, m_open);
}

// The same moments stay on screen, selected and marked.
void TimelineView::moveTimes(TraceTime later_ns)
{
    m_range.start_ns += later_ns;
    if (m_selected)
        m_selected->start_ns += later_ns;
    for (TraceTime& bookmark : m_bookmarks)
        bookmark += later_ns;
}

// Of a run that is read to its end: there is room for the streams of one or two ranks.
void TimelineView::openFew()
{
    const std::size_t ranks = m_scene.measured ? m_scene.measured->ranks.size() : 0;
    if (ranks > 0 && ranks <= ranks_opened_at_first && !isPartial(m_scene.measured))
        m_open.ranks = {0, 1};
}

} // namespace shardscope
