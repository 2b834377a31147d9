#include "widgets/plots/timeline/timeline_strips.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr int narrowest_split = 6; // device pixels

// A closed rank shows computation in its upper half and communication in its lower one.
enum class Half { upper, lower };

std::optional<Half> halfOf(LanePaint paint)
{
    if (kindOf(paint))
        return Half::lower;
    if (isCompute(paint) || isPass(paint) || paint == LanePaint::memory)
        return Half::upper;
    return std::nullopt;
}

template<class Predicate>
PaintSet paintsThat(Predicate is)
{
    PaintSet paints;
    for (int i = 0; i < lane_paint_count; ++i)
        if (is(static_cast<LanePaint>(i)))
            paints.insert(static_cast<LanePaint>(i));
    return paints;
}

// What stands around others and is nothing by itself.
bool wraps(LanePaint paint)
{
    return paint == LanePaint::annotation || paint == LanePaint::other;
}

// Marks the columns in which calls wait, of bars that are wide enough to show it.
void markWaits(const MeasuredRank& rank, const TraceRow& row, const TimeRange& range, int width,
               LanePicture& picture)
{
    if (rank.waits.empty())
        return;
    for (LaneBar& bar : picture.bars) {
        if (bar.right - bar.left < narrowest_split || !kindOf(bar.paint))
            continue;
        const EventIndex event = row.event(bar.span);
        const auto wait = std::ranges::lower_bound(rank.waits, event, {}, &CallWait::event);
        if (wait == rank.waits.end() || wait->event != event)
            continue;
        const std::int64_t end = columnOf(rank.store->start(event) + wait->wait_ns, range, width);
        bar.waiting = static_cast<int>(std::clamp<std::int64_t>(end, bar.left, bar.right)) - bar.left;
        for (int column = bar.left; column < bar.left + bar.waiting; ++column)
            if (const auto at = static_cast<std::size_t>(column); picture.columns.isOnly(at, bar.paint))
                picture.columns.setWaiting(at);
    }
}

// What computes and what communicates.
struct RankColumns {
    LaneColumns computation;
    LaneColumns communication;

    explicit RankColumns(int width)
        : computation{static_cast<std::size_t>(width)}, communication{static_cast<std::size_t>(width)}
    {
    }
    void layOver(const LaneColumns& upper, const LaneColumns& lower, LaneColumns::Meeting meeting)
    {
        static const PaintSet of_upper = paintsThat([](LanePaint one) { return halfOf(one) == Half::upper; });
        static const PaintSet of_lower = paintsThat([](LanePaint one) { return halfOf(one) == Half::lower; });
        computation.layOver(upper, of_upper, meeting);
        communication.layOver(lower, of_lower, meeting);
    }
};

// A rank's tracks of interest over each other.
RankColumns columnsOf(const MeasuredRank& rank, const TimeRange& range, int width)
{
    using Meeting = LaneColumns::Meeting;
    RankColumns columns{width};
    LanePicture picture;
    for (const MeasuredTrack& track : rank.tracks) {
        if (!track.is_of_interest)
            continue;
        RankColumns rows{width};
        for (const TraceRow& row : track.rows) {
            row.draw(range, width, picture);
            markWaits(rank, row, range, width, picture);
            rows.layOver(picture.columns, picture.columns, Meeting::nested);
        }
        columns.layOver(rows.computation, rows.communication, Meeting::by_chance);
    }
    return columns;
}

void appendSummary(const MeasuredRank& rank, const Lane& lane, const TimeRange& range, int width,
                   std::vector<LaneStrip>& strips)
{
    RankColumns columns = columnsOf(rank, range, width);
    const TimelineSpot spot{TimelineSection::measured, lane.rank, 0, 0, 0};
    const int upper = lane.height / 2;
    strips.push_back({lane.top, upper, spot, {std::move(columns.computation), {}}});
    strips.push_back({lane.top + upper, lane.height - upper, spot, {std::move(columns.communication), {}}});
}

// Each rank of a closed group is a line, communication over computation. Ranks that share a pixel with one
// before them are left out.
void appendGroup(const MeasuredLanes& measured, const RankGroup& group, const Lane& lane,
                 const TimeRange& range, int width, std::vector<LaneStrip>& strips)
{
    static const PaintSet all = paintsThat([](LanePaint) { return true; });
    int bottom = 0;
    for (std::size_t i = 0; i < group.ranks.size(); ++i) {
        const auto [top, height] = rowPlace(lane, static_cast<int>(i));
        if (top + height <= bottom)
            continue;
        bottom = top + height;
        const MeasuredRank& rank = measured.ranks[group.ranks[i]];
        RankColumns columns = columnsOf(rank, rank.ownTime(range), width);
        columns.computation.layOver(columns.communication, all, LaneColumns::Meeting::by_chance);
        strips.push_back({lane.top + top,
                          height,
                          {TimelineSection::measured, group.ranks[i], 0, 0, 0},
                          {std::move(columns.computation), {}}});
    }
}

// All rows of a track over each other, the innermost on top. What only wraps others is left out.
void appendClosedTrack(const MeasuredRank& rank, const MeasuredTrack& track, const Lane& lane,
                       const TimeRange& range, int width, std::vector<LaneStrip>& strips)
{
    static const PaintSet shown = paintsThat([](LanePaint one) { return !wraps(one); });
    LaneColumns columns{static_cast<std::size_t>(width)};
    LanePicture picture;
    for (const TraceRow& row : track.rows) {
        row.draw(range, width, picture);
        partBars(picture);
        markWaits(rank, row, range, width, picture);
        columns.layOver(picture.columns, shown, LaneColumns::Meeting::nested);
    }
    strips.push_back({lane.top,
                      lane.height,
                      {TimelineSection::measured, lane.rank, lane.track, 0, 0},
                      {std::move(columns), {}}});
}

void appendTrack(const MeasuredRank& rank, const Lane& lane, const TimeRange& range, int width,
                 std::vector<LaneStrip>& strips)
{
    const MeasuredTrack& track = rank.tracks[lane.track];
    if (!lane.is_open && track.rows.size() > 1) {
        appendClosedTrack(rank, track, lane, range, width, strips);
        return;
    }
    for (std::size_t row = 0; row < track.rows.size(); ++row) {
        const auto [top, height] = rowPlace(lane, static_cast<int>(row));
        LaneStrip strip{
            lane.top + top, height, {TimelineSection::measured, lane.rank, lane.track, row, 0}, {}};
        track.rows[row].draw(range, width, strip.picture);
        partBars(strip.picture);
        markWaits(rank, track.rows[row], range, width, strip.picture);
        strips.push_back(std::move(strip));
    }
}

// The innermost event of a closed track, as it is drawn last.
std::optional<TimelineSpot> spotInClosedTrack(const MeasuredRank& rank, const Lane& lane,
                                              const TimeRange& range, int width, int column)
{
    const MeasuredTrack& track = rank.tracks[lane.track];
    for (std::size_t r = track.rows.size(); r-- > 0;) {
        const std::uint32_t span = track.rows[r].spanAt(range, width, column);
        if (span != no_span)
            return TimelineSpot{TimelineSection::measured, lane.rank, lane.track, r, span};
    }
    return std::nullopt;
}

std::optional<TimelineSpot> spotInSummary(const MeasuredRank& rank, const Lane& lane, Half half,
                                          const TimeRange& range, int width, int column)
{
    // The innermost, as it is drawn last.
    std::optional<TimelineSpot> found;
    for (std::size_t t = 0; t < rank.tracks.size(); ++t) {
        const MeasuredTrack& track = rank.tracks[t];
        if (!track.is_of_interest)
            continue;
        for (std::size_t r = 0; r < track.rows.size(); ++r) {
            const std::uint32_t span = track.rows[r].spanAt(range, width, column);
            if (span == no_span)
                continue;
            const auto event = static_cast<std::size_t>(track.rows[r].event(span));
            if (halfOf(rank.paints->paint(event)) == half)
                found = TimelineSpot{TimelineSection::measured, lane.rank, t, r, span};
        }
    }
    return found;
}

} // namespace

std::vector<LaneStrip> predictedStrips(const PredictedLanes& predicted, const std::vector<Lane>& lanes,
                                       std::size_t first, std::size_t last, const TimeRange& range, int width)
{
    std::vector<LaneStrip> strips;
    for (std::size_t i = first; i < last; ++i) {
        const Lane& lane = lanes[i];
        const std::vector<PredictedRow>& rows = predicted.stages[lane.rank];
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto [top, height] = rowPlace(lane, static_cast<int>(row));
            LaneStrip strip{lane.top + top,
                            height,
                            {TimelineSection::predicted, lane.rank, 0, row, 0},
                            {},
                            isHidden(predicted.shown[row])};
            rows[row].draw(range, width, strip.picture);
            partBars(strip.picture);
            strips.push_back(std::move(strip));
        }
    }
    return strips;
}

std::vector<LaneStrip> measuredStrips(const MeasuredLanes& measured, const std::vector<Lane>& lanes,
                                      std::size_t first, std::size_t last, const TimeRange& range, int width,
                                      const std::vector<RankGroup>& groups)
{
    std::vector<LaneStrip> strips;
    for (std::size_t i = first; i < last; ++i) {
        const Lane& lane = lanes[i];
        if (lane.role == LaneRole::group) {
            if (!lane.is_open)
                appendGroup(measured, groups[lane.rank], lane, range, width, strips);
            continue;
        }
        const MeasuredRank& rank = measured.ranks[lane.rank];
        if (lane.role == LaneRole::rank && !lane.is_open)
            appendSummary(rank, lane, rank.ownTime(range), width, strips);
        else if (lane.role == LaneRole::track)
            appendTrack(rank, lane, rank.ownTime(range), width, strips);
    }
    return strips;
}

std::optional<TimelineSpot> predictedSpot(const PredictedLanes& predicted, const Lane& lane, int y,
                                          const TimeRange& range, int width, int column)
{
    const auto row = static_cast<std::size_t>(rowAt(lane, y));
    const std::uint32_t bar = predicted.stages[lane.rank][row].barAt(range, width, column);
    if (bar == no_span)
        return std::nullopt;
    return TimelineSpot{TimelineSection::predicted, lane.rank, 0, row, bar};
}

std::optional<TimelineSpot> measuredSpot(const MeasuredLanes& measured, const Lane& lane, int y,
                                         const TimeRange& range, int width, int column,
                                         const std::vector<RankGroup>& groups)
{
    if (lane.role == LaneRole::group) {
        if (lane.is_open)
            return std::nullopt;
        Lane of_rank = lane;
        of_rank.rank = groups[lane.rank].ranks[static_cast<std::size_t>(rowAt(lane, y))];
        const MeasuredRank& rank = measured.ranks[of_rank.rank];
        const TimeRange own = rank.ownTime(range);
        const auto above = spotInSummary(rank, of_rank, Half::lower, own, width, column);
        return above ? above : spotInSummary(rank, of_rank, Half::upper, own, width, column);
    }
    const MeasuredRank& rank = measured.ranks[lane.rank];
    const TimeRange own = rank.ownTime(range);
    if (lane.role == LaneRole::rank && !lane.is_open)
        return spotInSummary(rank, lane, y < lane.height / 2 ? Half::upper : Half::lower, own, width, column);
    if (lane.role != LaneRole::track)
        return std::nullopt;
    if (!lane.is_open && rank.tracks[lane.track].rows.size() > 1)
        return spotInClosedTrack(rank, lane, own, width, column);
    const auto row = static_cast<std::size_t>(rowAt(lane, y));
    const std::uint32_t span = rank.tracks[lane.track].rows[row].spanAt(own, width, column);
    if (span == no_span)
        return std::nullopt;
    return TimelineSpot{TimelineSection::measured, lane.rank, lane.track, row, span};
}

TimeRange spotRange(const TimelineScene& scene, const TimelineSpot& spot)
{
    if (spot.section == TimelineSection::predicted) {
        const LaneSpan bar = scene.predicted->stages[spot.rank][spot.row].bar(spot.span);
        return {bar.start_ns, bar.duration_ns};
    }
    const MeasuredRank& rank = scene.measured->ranks[spot.rank];
    const EventIndex event = rank.tracks[spot.track].rows[spot.row].event(spot.span);
    return {rank.start(event), rank.store->duration(event)};
}

LanePaint spotPaint(const TimelineScene& scene, const TimelineSpot& spot)
{
    if (spot.section == TimelineSection::predicted)
        return scene.predicted->stages[spot.rank][spot.row].bar(spot.span).paint;
    const MeasuredRank& rank = scene.measured->ranks[spot.rank];
    return rank.paints->paint(
        static_cast<std::size_t>(rank.tracks[spot.track].rows[spot.row].event(spot.span)));
}

} // namespace shardscope
