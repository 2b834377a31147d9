#pragma once

#include "core/trace/trace_builder.h"
#include "widgets/plots/timeline/timeline_scene.h"

#include <functional>
#include <memory>

// Small runs made by hand, as lanes.
namespace shardscope
{

inline constexpr TraceTime ms = 1'000'000;

// A lane for each track of a store; `paint` for its events.
inline MeasuredRank laneOf(std::shared_ptr<const TraceStore> store,
                           const std::function<LanePaint(EventIndex)>& paint)
{
    MeasuredRank lane;
    lane.store = std::move(store);
    lane.paints = std::make_unique<const EventPaints>(*lane.store, paint);
    lane.worked = WorkedTime{*lane.store, *lane.paints};
    for (const Track& track : lane.store->tracks())
        lane.tracks.push_back(
            {QString::fromStdString(track.tid), true, TraceRow::rowsOf(*lane.store, *lane.paints, track)});
    return lane;
}

// A thread launches two kernels with one call at [0, 1) ms: on its stream at 3 ms and at 5 ms.
inline std::shared_ptr<const MeasuredLanes> oneLaunch()
{
    TraceBuilder builder;
    const TrackIndex thread = builder.addTrack("100", "100");
    const TrackIndex stream = builder.addTrack("0", "7", true);
    const EventIndex call = builder.addEvent(thread, 0, 1 * ms, "cudaGraphLaunch", "cuda_runtime");
    const EventIndex second = builder.addEvent(stream, 5 * ms, 1 * ms, "gemm", "kernel");
    const EventIndex first = builder.addEvent(stream, 3 * ms, 1 * ms, "copy", "kernel");
    builder.addLaunch({second, call});
    builder.addLaunch({first, call});
    auto lanes = std::make_shared<MeasuredLanes>();
    lanes->ranks.push_back(laneOf(builder.finish(), [](EventIndex) { return LanePaint::compute; }));
    lanes->shapes.push_back({{{1, true}, {1, true}}});
    lanes->whole = {0, 6 * ms};
    return lanes;
}

// One stream on each of two ranks: gemm, then all_reduce, ten times, every 10 ms. Rank 1 begins its
// all_reduce 1 ms later and both end together.
inline std::shared_ptr<const MeasuredLanes> twoRanks()
{
    auto run = std::make_shared<MeasuredRun>();
    auto lanes = std::make_shared<MeasuredLanes>();
    lanes->ranks.resize(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const TraceTime late = static_cast<TraceTime>(rank) * ms;
        TraceBuilder builder;
        const TrackIndex track = builder.addTrack("0", "7", true);
        const NameId category = builder.intern("kernel");
        for (int i = 0; i < 10; ++i) {
            builder.addEvent(track, i * 10 * ms, 4 * ms + late, builder.intern("gemm_128"), category);
            builder.addEvent(track, i * 10 * ms + 4 * ms + late, 3 * ms - late, builder.intern("AllReduce"),
                             category);
        }
        TraceFile file;
        file.rank = static_cast<std::int64_t>(rank);
        file.store = builder.finish();
        MeasuredRank& lane = lanes->ranks[rank];
        lane.rank = file.rank;
        lane.name = QStringLiteral("rank %1").arg(rank);
        lane.file = rank;
        lane.store = file.store;
        lane.paints = std::make_unique<const EventPaints>(*file.store, [&file](EventIndex event) {
            return file.store->name(event) == "AllReduce" ? paintOf(Kind::dp) : LanePaint::compute;
        });
        lane.worked = WorkedTime{*lane.store, *lane.paints};
        lane.tracks.push_back({QStringLiteral("stream 7"), true,
                               TraceRow::rowsOf(*lane.store, *lane.paints, lane.store->tracks().front())});
        lanes->shapes.push_back({{{1, true}}});
        for (std::uint32_t event = 1; event < 20; event += 2) {
            MeasuredCall call;
            call.file = rank;
            call.event = EventIndex{event};
            call.kind = Kind::dp;
            call.match = static_cast<std::int32_t>(event);
            run->measurement.calls.push_back(call);
        }
        run->traces.files.push_back(std::move(file));
    }
    lanes->whole = {0, 97 * ms};
    lanes->run = run;
    return lanes;
}

inline TimelineSpot spot(std::size_t rank, std::uint32_t span)
{
    return {TimelineSection::measured, rank, 0, 0, span};
}

inline TimelineScene sceneOf(std::shared_ptr<const MeasuredLanes> lanes)
{
    TimelineScene scene;
    scene.measured = std::move(lanes);
    scene.shows_traffic = false;
    return scene;
}

} // namespace shardscope
