#include "widgets/plots/timeline/timeline_flow.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// A graph launches thousands at once; nobody walks further.
constexpr std::size_t most_launched = 1'000;

std::vector<TimelineSpot> membersOf(const MeasuredLanes& lanes, const TimelineSpot& spot)
{
    const MeasuredCall* own = callOf(lanes, spot);
    if (!own || own->match < 0)
        return {};
    std::vector<TimelineSpot> members;
    for (const MeasuredCall& call : lanes.run->measurement.calls) {
        if (call.match != own->match)
            continue;
        if (const auto member = spotOf(lanes, RunEvent{call.file, call.event}))
            members.push_back(*member);
    }
    return members;
}

std::optional<std::pair<TimelineSpot, TimelineSpot>> messageOf(const MeasuredLanes& lanes,
                                                               const std::vector<TimelineSpot>& members)
{
    if (members.size() != 2)
        return std::nullopt;
    const Op first = callOf(lanes, members[0])->op;
    const Op second = callOf(lanes, members[1])->op;
    if (first == Op::send && second == Op::recv)
        return std::pair{members[0], members[1]};
    if (first == Op::recv && second == Op::send)
        return std::pair{members[1], members[0]};
    return std::nullopt;
}

std::vector<TimelineSpot> launchedBy(const MeasuredLanes& lanes, std::size_t rank, EventIndex call)
{
    const TraceStore& store = *lanes.ranks[rank].store;
    std::vector<EventIndex> events;
    for (const GpuLaunch& launch : store.launches())
        if (launch.call == call)
            events.push_back(launch.gpu);
    std::ranges::stable_sort(events, {}, [&](EventIndex event) { return store.start(event); });
    events.resize(std::min(events.size(), most_launched));
    std::vector<TimelineSpot> spots;
    for (const EventIndex event : events)
        if (const auto spot = spotOf(lanes, rank, event))
            spots.push_back(*spot);
    return spots;
}

} // namespace

TimelineFlow flowOf(const MeasuredLanes& lanes, const TimelineSpot& spot)
{
    TimelineFlow flow;
    if (spot.section != TimelineSection::measured)
        return flow;
    const EventIndex event = eventOf(lanes, spot);
    if (lanes.run)
        flow.members = membersOf(lanes, spot);
    flow.message = messageOf(lanes, flow.members);
    std::vector<TimelineSpot> others = flow.members;
    if (const auto call = lanes.ranks[spot.rank].store->launchOf(event)) {
        flow.launch = spotOf(lanes, spot.rank, *call);
        if (others.empty())
            others = launchedBy(lanes, spot.rank, *call);
    } else {
        flow.launched = launchedBy(lanes, spot.rank, event);
        if (!flow.launched.empty())
            flow.stops.push_back(spot);
        if (others.empty())
            others = flow.launched;
    }
    if (flow.launch)
        flow.stops.push_back(*flow.launch);
    flow.stops.insert(flow.stops.end(), others.begin(), others.end());
    return flow;
}

EventIndex eventOf(const MeasuredLanes& lanes, const TimelineSpot& spot)
{
    return lanes.ranks[spot.rank].tracks[spot.track].rows[spot.row].event(spot.span);
}

std::optional<TimelineSpot> spotOf(const MeasuredLanes& lanes, std::size_t rank, EventIndex event)
{
    const std::vector<MeasuredTrack>& tracks = lanes.ranks[rank].tracks;
    const std::size_t depth = lanes.ranks[rank].store->depth(event);
    for (std::size_t track = 0; track < tracks.size(); ++track)
        if (depth < tracks[track].rows.size())
            if (const std::optional<std::uint32_t> span = tracks[track].rows[depth].indexOf(event))
                return TimelineSpot{TimelineSection::measured, rank, track, depth, *span};
    return std::nullopt;
}

std::optional<TimelineSpot> spotOf(const MeasuredLanes& lanes, const RunEvent& event)
{
    const auto rank = std::ranges::find(lanes.ranks, event.file, &MeasuredRank::file);
    if (rank == lanes.ranks.end())
        return std::nullopt;
    return spotOf(lanes, static_cast<std::size_t>(rank - lanes.ranks.begin()), event.event);
}

const MeasuredCall* callOf(const MeasuredLanes& lanes, const TimelineSpot& spot)
{
    if (!lanes.run)
        return nullptr;
    const std::vector<MeasuredCall>& calls = lanes.run->measurement.calls;
    const std::pair key{lanes.ranks[spot.rank].file, eventOf(lanes, spot)};
    const auto keyOf = [](const MeasuredCall& call) { return std::pair{call.file, call.event}; };
    const auto call = std::ranges::lower_bound(calls, key, {}, keyOf);
    return call != calls.end() && keyOf(*call) == key ? &*call : nullptr;
}

TraceTime launchDelay(const MeasuredLanes& lanes, const TimelineSpot& launch, const TimelineSpot& launched)
{
    const TraceStore& store = *lanes.ranks[launch.rank].store;
    return std::max<TraceTime>(0, store.start(eventOf(lanes, launched)) - store.end(eventOf(lanes, launch)));
}

} // namespace shardscope
