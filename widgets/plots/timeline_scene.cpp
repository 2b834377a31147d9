#include "widgets/plots/timeline_scene.h"

#include <algorithm>

namespace shardscope
{

bool areOfOneRun(const MeasuredLanes* a, const MeasuredLanes* b)
{
    if (!a || !b)
        return a == b;
    return std::ranges::equal(a->ranks, b->ranks, {}, &MeasuredRank::store, &MeasuredRank::store);
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
    if (!scene.measured)
        return wholePredicted(scene);
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

RangeSummary summarize(const TimelineScene& scene, const TimeRange& axis)
{
    RangeSummary summary;
    summary.range = axis;
    if (scene.predicted) {
        const TimeRange range = inSection(scene, TimelineSection::predicted, axis);
        summary.predicted_room_ns = range.length_ns * static_cast<TraceTime>(scene.predicted->stages.size());
        for (const std::vector<LaneSpan>& spans : scene.predicted->stages)
            for (std::size_t i = firstEndingAfter(spans, range.start_ns);
                 i < spans.size() && spans[i].start_ns < range.end_ns(); ++i)
                summary.predicted[static_cast<std::size_t>(spans[i].paint)] +=
                    std::min(spans[i].end_ns(), range.end_ns()) - std::max(spans[i].start_ns, range.start_ns);
    }
    if (scene.measured) {
        const TimeRange range = inSection(scene, TimelineSection::measured, axis);
        summary.measured_room_ns = range.length_ns * static_cast<TraceTime>(scene.measured->ranks.size());
        for (const MeasuredRank& rank : scene.measured->ranks)
            for (const MeasuredTrack& track : rank.tracks)
                if (track.is_of_interest)
                    for (const TraceRow& row : track.rows)
                        row.addDurations(range, summary.measured);
    }
    return summary;
}

} // namespace shardscope
