#include "widgets/plots/timeline/timeline_scene.h"

#include <algorithm>

namespace shardscope
{

const std::vector<PassPart>& partsIn(const PassParts& pass, StageRow row)
{
    return row == StageRow::beneath ? pass.beside : pass.in_turn;
}

ShownBar shownBar(const PredictedLanes& lanes, const TimelineSpot& spot)
{
    const PredictedRow& row = lanes.stages[spot.rank][spot.row];
    const StageRow shown = lanes.shown[spot.row];
    const std::uint32_t source = row.bar(spot.span).source;
    if (shown == StageRow::replicas)
        return {lanes.timeline.hidden[source]};
    if (shown == StageRow::sends)
        return {lanes.timeline.sends[source]};
    ShownBar bar{lanes.timeline.spans[source]};
    if (const std::optional<std::size_t> part = row.part(spot.span))
        bar.part = &partsIn(lanes.timeline.passes[static_cast<std::size_t>(bar.span.pass)], shown)[*part];
    return bar;
}

std::optional<TimelineSpot> spotOf(const PredictedLanes& lanes, std::uint32_t source)
{
    const TimelineSpan& span = lanes.timeline.spans[source];
    const std::size_t row = span.activity == Activity::communication ? 1 : 0;
    const auto stage = static_cast<std::size_t>(span.stage);
    const std::uint32_t bar = lanes.stages[stage][row].barOf(source);
    if (bar == no_span)
        return std::nullopt;
    return TimelineSpot{TimelineSection::predicted, stage, 0, row, bar};
}

namespace
{

// The passes of a schedule are made anew for each picture, into a store of theirs: what tells them is the
// file's.
const TraceStore* storeOfFile(const MeasuredLanes& lanes, const MeasuredRank& rank)
{
    return (lanes.shows_passes ? lanes.run->traces.files[rank.file].store : rank.store).get();
}

} // namespace

bool areOfOneRun(const MeasuredLanes* a, const MeasuredLanes* b)
{
    if (!a || !b)
        return a == b;
    return std::ranges::equal(
        a->ranks, b->ranks, {}, [a](const MeasuredRank& rank) { return storeOfFile(*a, rank); },
        [b](const MeasuredRank& rank) { return storeOfFile(*b, rank); });
}

TimeRange wholePredicted(const TimelineScene& scene)
{
    TraceTime length = 1;
    if (scene.predicted)
        length = std::max(length, scene.predicted->iteration_ns);
    return {0, length};
}

TimeRange wholeMeasured(const TimelineScene& scene)
{
    return scene.measured ? scene.measured->whole : TimeRange{};
}

TimeRange boundsOf(const TimelineScene& scene)
{
    if (!scene.measured) {
        TimeRange range = wholePredicted(scene);
        if (scene.pinned) // the slower one is no less of interest
            range.length_ns = std::max(range.length_ns, scene.pinned->iteration_ns - range.start_ns);
        return range;
    }
    const TimeRange measured = wholeMeasured(scene);
    if (!scene.predicted || scene.own_scales)
        return measured;
    const TraceTime start = std::min<TraceTime>(0, measured.start_ns);
    return {start, std::max(measured.end_ns(), wholePredicted(scene).end_ns()) - start};
}

TimeRange inSection(const TimelineScene& scene, TimelineSection section, const TimeRange& axis)
{
    if (section == TimelineSection::measured)
        return {axis.start_ns + (scene.measured ? scene.measured->origin_ns : 0), axis.length_ns};
    if (scene.own_scales && scene.measured)
        return onOtherScale(axis, wholeMeasured(scene), wholePredicted(scene));
    return axis;
}

TraceTime MeasuredRank::worked_ns(const TimeRange& own) const
{
    std::vector<const TraceRow*> rows;
    for (const MeasuredTrack& track : tracks)
        if (track.is_of_interest)
            for (const TraceRow& row : track.rows)
                rows.push_back(&row);
    return worked.within(own, rows);
}

RangeSummary summarize(const TimelineScene& scene, const TimeRange& axis)
{
    RangeSummary summary;
    summary.range = axis;
    if (scene.predicted) {
        const TimeRange range = inSection(scene, TimelineSection::predicted, axis);
        summary.predicted_room_ns = range.length_ns * static_cast<TraceTime>(scene.predicted->stages.size());
        for (const std::vector<PredictedRow>& rows : scene.predicted->stages)
            for (const PredictedRow& row : rows)
                row.addDurations(range, summary.predicted);
    }
    if (scene.measured) {
        const TimeRange range = inSection(scene, TimelineSection::measured, axis);
        summary.measured_room_ns = range.length_ns * static_cast<TraceTime>(scene.measured->ranks.size());
        for (const MeasuredRank& rank : scene.measured->ranks) {
            const TimeRange own = rank.ownTime(range);
            for (const MeasuredTrack& track : rank.tracks)
                if (track.is_of_interest)
                    for (const TraceRow& row : track.rows)
                        row.addDurations(own, summary.measured);
            rank.overlaps.subtract(own, summary.measured);
            summary.measured_idle_ns += own.length_ns - rank.worked_ns(own);
        }
    }
    return summary;
}

} // namespace shardscope
