#include "core/report/activity_report.h"

#include <nlohmann/json.hpp>

namespace shardscope
{

namespace
{

using Json = nlohmann::ordered_json;

Json idleJson(const IdleCauses& idle)
{
    return {{"host_wait_ns", idle.host_wait_ns},
            {"kernel_wait_ns", idle.kernel_wait_ns},
            {"other_ns", idle.other_ns},
            {"host_wait_count", idle.host_wait_count},
            {"kernel_wait_count", idle.kernel_wait_count},
            {"other_count", idle.other_count}};
}

Json streamJson(const StreamActivity& stream)
{
    Json json{{"device", stream.device},
              {"stream", stream.stream},
              {"events", stream.events},
              {"busy_ns", stream.busy_ns},
              {"idle", idleJson(stream.idle)}};
    if (stream.queue.points > 0)
        json["queue_length"] = {{"points", stream.queue.points},
                                {"mean", stream.queue.mean},
                                {"mean_of_time", stream.queue.mean_of_time},
                                {"median", stream.queue.median},
                                {"max", stream.queue.max}};
    return json;
}

Json launchJson(const LaunchFigures& launch)
{
    return {{"call", launch.call},
            {"count", launch.count},
            {"call_ns", launch.call_ns},
            {"gpu_ns", launch.gpu_ns},
            {"delay_ns", launch.delay_ns},
            {"delay_median_ns", launch.delay_median_ns},
            {"delay_max_ns", launch.delay_max_ns},
            {"short_count", launch.short_count}};
}

Json moveJson(const MemoryMoveRow& move)
{
    return {{"name", move.name},
            {"count", move.count},
            {"bytes", move.bytes},
            {"time_ns", move.time_ns},
            {"mean_GBps", move.mean_GBps},
            {"min_GBps", move.min_GBps},
            {"median_GBps", move.median_GBps},
            {"max_GBps", move.max_GBps}};
}

Json operatorJson(const OperatorRow& row)
{
    return {{"name", row.name},
            {"calls", row.calls},
            {"total_ns", row.total_ns},
            {"self_ns", row.self_ns},
            {"launches", row.launches},
            {"gpu_ns", row.gpu_ns},
            {"gpu_idle_ns", row.gpu_idle_ns}};
}

template<class Rows, class ToJson>
Json listJson(const Rows& rows, ToJson to_json)
{
    Json json = Json::array();
    for (const auto& row : rows)
        json.push_back(to_json(row));
    return json;
}

} // namespace

void addStepsJson(const RankMeasurement& rank, Json& json)
{
    for (const StepMeasurement& step : rank.steps)
        json["steps"].push_back({{"step", step.number},
                                 {"start_ns", step.start_ns},
                                 {"duration_ns", step.duration_ns},
                                 {"window_ns", step.times.window_ns},
                                 {"busy_ns", step.times.busy_ns},
                                 {"idle_ns", step.times.idle_ns},
                                 {"compute_ns", step.times.compute_ns},
                                 {"communication_ns", step.times.communication_ns},
                                 {"memory_ns", step.times.memory_ns},
                                 {"non_compute_ns", step.times.non_compute_ns},
                                 {"overlap_ns", step.times.overlap_ns},
                                 {"exposed_communication_ns", step.times.exposed_communication_ns},
                                 {"gpu_events", step.times.gpu_events}});
}

void addActivityJson(const RankActivity& rank, Json& json)
{
    const TimeDistribution& times = rank.distribution;
    json["time_distribution"] = {{"window_ns", times.window_ns},
                                 {"communication_ns", times.communication_ns},
                                 {"kernel_ns", times.kernel_ns},
                                 {"memory_ns", times.memory_ns},
                                 {"intra_operator_ns", times.intra_operator_ns},
                                 {"inter_operator_ns", times.inter_operator_ns},
                                 {"kernel_share", times.kernelShare()}};
    json["idle_causes"] = idleJson(rank.idle);
    json["streams"] = listJson(rank.streams, streamJson);
    json["launches"] = listJson(rank.launches, launchJson);
    json["memory_moves"] = listJson(rank.memory_moves, moveJson);
    json["operators"] = listJson(rank.operators, operatorJson);
}

} // namespace shardscope
