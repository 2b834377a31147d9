#include "widgets/plots/timeline_strips.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// A closed rank shows computation in its upper half and communication in its lower one.
enum class Half { upper, lower };

std::optional<Half> halfOf(LanePaint paint)
{
    if (kindOf(paint))
        return Half::lower;
    if (paint == LanePaint::compute || paint == LanePaint::memory)
        return Half::upper;
    return std::nullopt;
}

void appendSummary(const MeasuredRank& rank, const Lane& lane, const TimeRange& range, int width,
                   std::vector<LaneStrip>& strips)
{
    LaneStrip upper{lane.top, lane.height / 2, {TimelineSection::measured, lane.rank, 0, 0, 0}, true, {}};
    LaneStrip lower{lane.top + upper.height, lane.height - upper.height, upper.row, true, {}};
    std::vector<LaneBar> bars;
    for (const MeasuredTrack& track : rank.tracks) {
        if (!track.is_of_interest)
            continue;
        for (const TraceRow& row : track.rows) {
            bars.clear();
            row.appendBars(range, width, bars);
            for (LaneBar& bar : bars) {
                const std::optional<Half> half = halfOf(bar.paint);
                if (!half)
                    continue;
                bar.span = no_span;
                (*half == Half::upper ? upper : lower).bars.push_back(bar);
            }
        }
    }
    strips.push_back(std::move(upper));
    strips.push_back(std::move(lower));
}

// All rows of a track over each other, the innermost on top. What only wraps others is left out.
void appendClosedTrack(const MeasuredTrack& track, const Lane& lane, const TimeRange& range, int width,
                       std::vector<LaneStrip>& strips)
{
    LaneStrip strip{
        lane.top, lane.height, {TimelineSection::measured, lane.rank, lane.track, 0, 0}, true, {}};
    std::vector<LaneBar> bars;
    for (const TraceRow& row : track.rows) {
        bars.clear();
        row.appendBars(range, width, bars);
        for (const LaneBar& bar : bars)
            if (bar.paint != LanePaint::annotation && bar.paint != LanePaint::other)
                strip.bars.push_back(bar);
    }
    strips.push_back(std::move(strip));
}

void appendTrack(const MeasuredTrack& track, const Lane& lane, const TimeRange& range, int width,
                 std::vector<LaneStrip>& strips)
{
    if (!lane.is_open && track.rows.size() > 1) {
        appendClosedTrack(track, lane, range, width, strips);
        return;
    }
    for (std::size_t row = 0; row < track.rows.size(); ++row) {
        const auto [top, height] = rowPlace(lane, static_cast<int>(row));
        LaneStrip strip{
            lane.top + top, height, {TimelineSection::measured, lane.rank, lane.track, row, 0}, false, {}};
        track.rows[row].appendBars(range, width, strip.bars);
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
        LaneStrip strip{lane.top, lane.height, {TimelineSection::predicted, lane.rank, 0, 0, 0}, false, {}};
        appendBars(predicted.stages[lane.rank], range, width, strip.bars);
        strips.push_back(std::move(strip));
    }
    return strips;
}

std::vector<LaneStrip> measuredStrips(const MeasuredLanes& measured, const std::vector<Lane>& lanes,
                                      std::size_t first, std::size_t last, const TimeRange& range, int width)
{
    std::vector<LaneStrip> strips;
    for (std::size_t i = first; i < last; ++i) {
        const Lane& lane = lanes[i];
        const MeasuredRank& rank = measured.ranks[lane.rank];
        if (lane.role == LaneRole::rank && !lane.is_open)
            appendSummary(rank, lane, range, width, strips);
        else if (lane.role == LaneRole::track)
            appendTrack(rank.tracks[lane.track], lane, range, width, strips);
    }
    return strips;
}

std::optional<TimelineSpot> predictedSpot(const PredictedLanes& predicted, const Lane& lane,
                                          const TimeRange& range, int width, int column)
{
    const std::uint32_t span = spanAt(predicted.stages[lane.rank], range, width, column);
    if (span == no_span)
        return std::nullopt;
    return TimelineSpot{TimelineSection::predicted, lane.rank, 0, 0, span};
}

std::optional<TimelineSpot> measuredSpot(const MeasuredLanes& measured, const Lane& lane, int y,
                                         const TimeRange& range, int width, int column)
{
    const MeasuredRank& rank = measured.ranks[lane.rank];
    if (lane.role == LaneRole::rank && !lane.is_open)
        return spotInSummary(rank, lane, y < lane.height / 2 ? Half::upper : Half::lower, range, width,
                             column);
    if (lane.role != LaneRole::track)
        return std::nullopt;
    if (!lane.is_open && rank.tracks[lane.track].rows.size() > 1)
        return spotInClosedTrack(rank, lane, range, width, column);
    const auto row = static_cast<std::size_t>(rowAt(lane, y));
    const std::uint32_t span = rank.tracks[lane.track].rows[row].spanAt(range, width, column);
    if (span == no_span)
        return std::nullopt;
    return TimelineSpot{TimelineSection::measured, lane.rank, lane.track, row, span};
}

TimeRange spotRange(const TimelineScene& scene, const TimelineSpot& spot)
{
    if (spot.section == TimelineSection::predicted) {
        const LaneSpan& span = scene.predicted->stages[spot.rank][spot.span];
        return {span.start_ns, span.duration_ns};
    }
    const MeasuredRank& rank = scene.measured->ranks[spot.rank];
    const EventIndex event = rank.tracks[spot.track].rows[spot.row].event(spot.span);
    return {rank.store->start(event), rank.store->duration(event)};
}

LanePaint spotPaint(const TimelineScene& scene, const TimelineSpot& spot)
{
    if (spot.section == TimelineSection::predicted)
        return scene.predicted->stages[spot.rank][spot.span].paint;
    const MeasuredRank& rank = scene.measured->ranks[spot.rank];
    return rank.paints->paint(
        static_cast<std::size_t>(rank.tracks[spot.track].rows[spot.row].event(spot.span)));
}

} // namespace shardscope
