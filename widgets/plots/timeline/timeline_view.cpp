#include "widgets/plots/timeline/timeline_view.h"

#include "widgets/plots/timeline/lane_heights.h"
#include "widgets/plots/timeline/strip_painting.h"
#include "widgets/plots/timeline/traffic_painting.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope
{

namespace
{

// Thin lines through the lanes below the ticks of the ruler.
LaneLines linesAt(const TimeTicks& ticks, const TimeRange& range, int width, const Theme& theme)
{
    LaneLines lines;
    for (const TimeTick& tick : ticks.ticks)
        lines.places.push_back(static_cast<int>(columnOf(tick.time_ns, range, width)));
    lines.colour = theme.text();
    lines.colour.setAlpha(theme.isDark() ? 26 : 20);
    return lines;
}

} // namespace

TimelineView::TimelineView(QWidget* parent) : QWidget{parent}
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline"));
}

void TimelineView::setRange(const TimeRange& range)
{
    if (range != m_range && underMouse())
        QToolTip::hideText(); // it was of what was there
    m_range = range;
    m_shows_all = false;
    m_layer_is_fresh = false; // the gutter stays
    update();
}

void TimelineView::showAll()
{
    setRange(padded(boundsOf(m_scene)));
    m_shows_all = true;
}

void TimelineView::setOpenLanes(OpenLanes open)
{
    m_open = std::move(open);
    placeLanes();
    spoil();
}

void TimelineView::openAllRanks(bool open)
{
    OpenLanes lanes = m_open;
    lanes.ranks.clear();
    for (std::size_t rank = 0; open && m_scene.measured && rank < m_scene.measured->ranks.size(); ++rank)
        lanes.ranks.insert(rank);
    setOpenLanes(std::move(lanes));
}

void TimelineView::openAllGroups(bool open)
{
    OpenLanes lanes = m_open;
    lanes.closed_groups.clear();
    for (std::size_t group = 0; !open && group < m_scene.groups.size(); ++group)
        lanes.closed_groups.insert(group);
    setOpenLanes(std::move(lanes));
}

void TimelineView::revealRank(std::int64_t rank)
{
    for (const Lane& lane : m_rank_lanes) {
        const bool is_it = lane.role == LaneRole::rank && m_scene.measured->ranks[lane.rank].rank == rank;
        if (!is_it)
            continue;
        const int height = m_layout.measured_lanes.height();
        m_rank_scroll = std::min(m_rank_scroll, lane.top);
        if (lane.bottom() > m_rank_scroll + height)
            m_rank_scroll = lane.bottom() - height;
        spoil();
        return;
    }
}

std::vector<std::size_t> TimelineView::ranksOnScreen() const
{
    std::vector<std::size_t> ranks;
    const int height = m_layout.measured_lanes.height();
    const auto [first, last] = lanesBetween(m_rank_lanes, m_rank_scroll, m_rank_scroll + height);
    for (std::size_t i = first; i < last; ++i) {
        const Lane& lane = m_rank_lanes[i];
        if (lane.role != LaneRole::group)
            ranks.push_back(lane.rank);
        else if (!lane.is_open)
            ranks.insert(ranks.end(), m_scene.groups[lane.rank].ranks.begin(),
                         m_scene.groups[lane.rank].ranks.end());
    }
    std::ranges::sort(ranks);
    const auto same = std::ranges::unique(ranks);
    ranks.erase(same.begin(), same.end());
    return ranks;
}

// Everything that depends on which lanes there are.
void TimelineView::placeLanes()
{
    const LaneHeights heights =
        heightsFor(QFontMetricsF{font()}.height(), m_scene.predicted ? m_scene.predicted->stages.size() : 0);
    RankGroups groups;
    for (const RankGroup& group : m_scene.groups)
        groups.push_back(group.ranks);
    const auto place = [this, &groups](const LaneHeights& with) {
        m_stage_lanes = m_scene.predicted
                            ? layOutStages(m_scene.predicted->stages.size(),
                                           static_cast<int>(m_scene.predicted->shown.size()), with)
                            : std::vector<Lane>{};
        m_rank_lanes = m_scene.measured ? layOutRanks(m_scene.measured->shapes, m_open, with, groups)
                                        : std::vector<Lane>{};
        m_layout = layoutIn(rect());
    };
    place(heights);
    if (const int needed = labelWidth(); needed != m_label_width) {
        m_label_width = needed;
        place(heights);
    }
    const int content = heightOf(m_stage_lanes) + heightOf(m_rank_lanes);
    const int room = m_layout.predicted_lanes.height() + m_layout.measured_lanes.height();
    if (content > 0 && room > content)
        place(grown(heights, 0.95 * room / content));
    else if (content > room && m_rank_lanes.empty())
        place(thinned(heights, static_cast<double>(room) / content, QFontMetricsF{font()}.height()));
    tellTrafficRoom();
    for (const TimelineSection section : {TimelineSection::predicted, TimelineSection::measured})
        scrollOf(section) = std::clamp(scrollOf(section), 0,
                                       std::max(0, heightOf(lanes(section)) - lanesPlace(section).height()));
}

TimelineNeeds TimelineView::needs() const
{
    TimelineNeeds needs;
    needs.line_height = static_cast<int>(std::ceil(QFontMetricsF{font()}.height()));
    needs.label_width = m_label_width;
    needs.has_predicted = m_scene.predicted != nullptr;
    needs.has_measured = m_scene.measured != nullptr;
    needs.has_traffic = m_scene.shows_traffic;
    needs.predicted_height = heightOf(m_stage_lanes);
    if (m_stage_lanes.size() > 1)
        needs.predicted_lane_height = m_stage_lanes[1].top - m_stage_lanes[0].top;
    needs.measured_height = heightOf(m_rank_lanes);
    needs.predicted_share = m_predicted_share;
    return needs;
}

TimelineLayout TimelineView::layoutIn(const QRect& area) const
{
    return layOutTimeline(area, needs());
}

int TimelineView::wholeHeight() const
{
    return shardscope::wholeHeight(needs());
}

const std::vector<Lane>& TimelineView::lanes(TimelineSection section) const
{
    return section == TimelineSection::predicted ? m_stage_lanes : m_rank_lanes;
}

int& TimelineView::scrollOf(TimelineSection section)
{
    return section == TimelineSection::predicted ? m_stage_scroll : m_rank_scroll;
}

int TimelineView::scrollOf(TimelineSection section) const
{
    return section == TimelineSection::predicted ? m_stage_scroll : m_rank_scroll;
}

QRect TimelineView::lanesPlace(TimelineSection section) const
{
    return section == TimelineSection::predicted ? m_layout.predicted_lanes : m_layout.measured_lanes;
}

TimelineStyle TimelineView::style() const
{
    const Theme theme{palette()};
    return {theme, font(), laneColours(theme, m_scene.kind), devicePixelRatioF()};
}

void TimelineView::spoil()
{
    m_layer_is_fresh = false;
    m_gutter_is_fresh = false;
    update();
}

// What the lanes and the gutter do not write to.
void TimelineView::clearLayer(const TimelineStyle& look)
{
    const bool is_whole = look.pixel_ratio == std::floor(look.pixel_ratio);
    if (!is_whole || (!m_scene.predicted && !m_scene.measured)) {
        m_layer.fill(look.theme.background());
        return;
    }
    const QRect traffic = m_layout.traffic;
    QPainter painter{&m_layer};
    painter.fillRect(QRect{0, traffic.top(), width(), traffic.height()}, look.theme.background());
}

void TimelineView::renderLayer()
{
    const TimelineStyle look = style();
    const QSize pixels = (QSizeF{size()} * look.pixel_ratio).toSize();
    if (m_layer.size() != pixels)
        m_layer = QImage{pixels, QImage::Format_RGB32};
    m_layer.setDevicePixelRatio(look.pixel_ratio);
    clearLayer(look);
    QPainter painter{&m_layer};
    paintParts(painter, m_layout, look, &m_layer);
    if (m_scene.predicted || m_scene.measured)
        drawGutter(painter, look);
    m_layer_is_fresh = true;
}

void TimelineView::paintParts(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& look,
                              QImage* image)
{
    if (!m_scene.predicted && !m_scene.measured) {
        painter.setFont(look.font);
        painter.setPen(look.theme.faintText());
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, m_scene.hint);
        return;
    }
    if (m_scene.predicted)
        paintSection(painter, TimelineSection::predicted, layout, look, image);
    if (m_scene.measured)
        paintSection(painter, TimelineSection::measured, layout, look, image);
    if (!layout.divider.isEmpty())
        painter.fillRect(layout.divider, blend(look.theme.background(), look.theme.text(), 0.14));
    if (m_scene.shows_traffic)
        paintTraffic(painter, layout.traffic, m_scene, m_range, look);
}

void TimelineView::paintSection(QPainter& painter, TimelineSection section, const TimelineLayout& layout,
                                const TimelineStyle& look, QImage* image)
{
    const bool is_predicted = section == TimelineSection::predicted;
    const QRect ruler = is_predicted ? layout.predicted_ruler : layout.measured_ruler;
    const LaneArea area{is_predicted ? layout.predicted_lanes : layout.measured_lanes, scrollOf(section)};
    const std::vector<Lane>& all = lanes(section);
    const auto [first, last] = lanesBetween(all, area.scroll, area.scroll + area.place.height());
    const TimeRange range = inSection(m_scene, section, m_range);
    const int width = std::max(1, static_cast<int>(std::lround(area.place.width() * look.pixel_ratio)));
    const std::vector<LaneStrip> strips =
        is_predicted ? predictedStrips(*m_scene.predicted, all, first, last, range, width)
                     : measuredStrips(*m_scene.measured, all, first, last, range, width, m_scene.groups);
    // The measured ruler counts from the origin, whatever the clocks say.
    const TimeRange shown = is_predicted ? range : m_range;
    const TimeTicks ticks = rulerTicks(shown, ruler.width());
    const LaneLines lines = linesAt(ticks, shown, area.place.width(), look.theme);
    if (image)
        fillStrips(*image, area, strips, lines, look);
    else
        fillStrips(painter, area, strips, lines, look);
    if (is_predicted && m_scene.pinned)
        paintGhost(painter, layout, look);
    if (!is_predicted)
        paintCounters(painter, area.place, look);
    labelStrips(painter, area, strips, m_label, look, m_labels);
    if (!image)
        paintTitles(painter, section, area.place, look);
    paintScrollHandle(painter, section, area.place, look);
    paintRuler(painter,
               {ruler, shown, ticks, is_predicted ? tr("Predicted") : m_scene.measured_title,
                is_predicted && m_scene.measured ? QString{} : m_scene.scale_note},
               look);
}

// The pinned scenario: a thin strip at the foot of each stage, on the time scale of the new one.
void TimelineView::paintGhost(QPainter& painter, const TimelineLayout& layout,
                              const TimelineStyle& look) const
{
    constexpr int ghost_height = 3;
    const LaneArea area{layout.predicted_lanes, m_stage_scroll};
    const TimeRange range = inSection(m_scene, TimelineSection::predicted, m_range);
    const int width = std::max(1, static_cast<int>(std::lround(area.place.width() * look.pixel_ratio)));
    std::vector<LaneStrip> strips;
    for (const Lane& lane : m_stage_lanes) {
        if (lane.rank >= m_scene.pinned->stages.size())
            break;
        LaneStrip strip{lane.bottom() - ghost_height, ghost_height, {}, {}, false};
        m_scene.pinned->stages[lane.rank].front().draw(range, width, strip.picture);
        partBars(strip.picture);
        strips.push_back(std::move(strip));
    }
    fillStrips(painter, area, strips, {}, look);
    const TraceTime end = m_scene.pinned->iteration_ns;
    const auto x = area.place.left() + static_cast<int>(columnOf(end, range, area.place.width()));
    if (x >= area.place.left() && x < area.place.left() + area.place.width()) {
        painter.setPen(QPen{look.theme.text(), 1.0, Qt::DashLine});
        painter.drawLine(x, area.place.top(), x, area.place.bottom());
    }
}

void TimelineView::paintEvent(QPaintEvent*)
{
    if (!m_layer_is_fresh)
        renderLayer();
    QPainter painter{this};
    painter.drawImage(QPointF{0.0, 0.0}, m_layer);
    if (m_scene.predicted || m_scene.measured)
        paintOverlay(painter);
}

void TimelineView::paintTo(QPainter& painter, const QRectF& rectangle)
{
    TimelineStyle look = style();
    look.pixel_ratio = 1.0;
    TimelineNeeds whole = needs();
    whole.predicted_share = -1.0; // where the divider was dragged to fits the screen
    const int stage_scroll = std::exchange(m_stage_scroll, 0);
    const int rank_scroll = std::exchange(m_rank_scroll, 0);
    painter.save();
    painter.fillRect(rectangle, look.theme.background());
    painter.translate(rectangle.topLeft());
    painter.setClipRect(QRectF{{0.0, 0.0}, rectangle.size()});
    paintParts(painter, layOutTimeline(QRect{QPoint{0, 0}, rectangle.size().toSize()}, whole), look, nullptr);
    painter.restore();
    m_stage_scroll = stage_scroll;
    m_rank_scroll = rank_scroll;
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeLanes();
    spoil();
}

void TimelineView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_labels.clear();
        placeLanes();
        spoil();
    }
}

} // namespace shardscope
