#include "core/analysis/digest/digest_figures.h"

#include "core/base/protobuf_fields.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// RankActivity is there or not: a list of at most one.
struct FiguresMessage {
    BreakdownTimes times;
    std::vector<KernelRow> kernels;
    std::vector<StepFigures> steps;
    std::vector<RankActivity> activity;
};

bool areCounted(const std::vector<KernelRow>& kernels)
{
    return std::ranges::all_of(kernels, [](const KernelRow& row) { return isCounted(row.of); });
}

} // namespace

void fields(auto& codec, Like<BreakdownTimes> auto& times)
{
    codec(1, times.window_ns);
    codec(2, times.busy_ns);
    codec(3, times.idle_ns);
    codec(4, times.compute_ns);
    codec(5, times.communication_ns);
    codec(6, times.memory_ns);
    codec(7, times.non_compute_ns);
    codec(8, times.overlap_ns);
    codec(9, times.exposed_communication_ns);
    codec(10, times.gpu_events);
    codec(11, times.compute_count);
    codec(12, times.communication_count);
    codec(13, times.memory_count);
}

void fields(auto& codec, Like<KernelRow> auto& row)
{
    codec(1, row.name);
    codec(2, row.of);
    codec(3, row.count);
    codec(4, row.sum_ns);
    codec(5, row.min_ns);
    codec(6, row.max_ns);
    codec(7, row.inner_ns);
}

void fields(auto& codec, Like<StepFigures> auto& step)
{
    codec(1, step.measured.number);
    codec(2, step.measured.start_ns);
    codec(3, step.measured.duration_ns);
    codec(4, step.measured.times);
    codec(5, step.kernels);
}

void fields(auto& codec, Like<TimeDistribution> auto& times)
{
    codec(1, times.window_ns);
    codec(2, times.communication_ns);
    codec(3, times.kernel_ns);
    codec(4, times.memory_ns);
    codec(5, times.intra_operator_ns);
    codec(6, times.inter_operator_ns);
}

void fields(auto& codec, Like<IdleCauses> auto& idle)
{
    codec(1, idle.host_wait_ns);
    codec(2, idle.kernel_wait_ns);
    codec(3, idle.other_ns);
    codec(4, idle.host_wait_count);
    codec(5, idle.kernel_wait_count);
    codec(6, idle.other_count);
}

void fields(auto& codec, Like<QueueLength> auto& queue)
{
    codec(1, queue.points);
    codec(2, queue.mean);
    codec(3, queue.mean_of_time);
    codec(4, queue.median);
    codec(5, queue.max);
}

void fields(auto& codec, Like<StreamActivity> auto& stream)
{
    codec(1, stream.device);
    codec(2, stream.stream);
    codec(3, stream.events);
    codec(4, stream.busy_ns);
    codec(5, stream.idle);
    codec(6, stream.queue);
}

void fields(auto& codec, Like<LaunchFigures> auto& launch)
{
    codec(1, launch.call);
    codec(2, launch.count);
    codec(3, launch.call_ns);
    codec(4, launch.gpu_ns);
    codec(5, launch.delay_ns);
    codec(6, launch.delay_median_ns);
    codec(7, launch.delay_max_ns);
    codec(8, launch.short_count);
}

void fields(auto& codec, Like<MemoryMoveRow> auto& row)
{
    codec(1, row.name);
    codec(2, row.count);
    codec(3, row.bytes);
    codec(4, row.time_ns);
    codec(5, row.mean_GBps);
    codec(6, row.min_GBps);
    codec(7, row.median_GBps);
    codec(8, row.max_GBps);
}

void fields(auto& codec, Like<OperatorRow> auto& row)
{
    codec(1, row.name);
    codec(2, row.calls);
    codec(3, row.total_ns);
    codec(4, row.self_ns);
    codec(5, row.launches);
    codec(6, row.gpu_ns);
    codec(7, row.gpu_idle_ns);
}

// The rank is the file's, which the user may mend.
void fields(auto& codec, Like<RankActivity> auto& activity)
{
    codec(1, activity.distribution);
    codec(2, activity.idle);
    codec(3, activity.streams);
    codec(4, activity.launches);
    codec(5, activity.memory_moves);
    codec(6, activity.operators);
}

void fields(auto& codec, Like<FiguresMessage> auto& figures)
{
    codec(1, figures.times);
    codec(2, figures.kernels);
    codec(3, figures.steps);
    codec(4, figures.activity);
}

std::string encodeFigures(const DigestFigures& figures)
{
    FiguresMessage message{figures.times, figures.kernels, figures.steps, {}};
    if (figures.activity)
        message.activity.push_back(*figures.activity);
    ProtoFieldWriter writer;
    fields(writer, message);
    return writer.bytes();
}

std::optional<DigestFigures> decodeFigures(std::string_view bytes)
{
    FiguresMessage message;
    ProtoFieldReader reader(bytes);
    fields(reader, message);
    const bool is_right = !reader.isDamaged() && areCounted(message.kernels)
                          && std::ranges::all_of(message.steps, [](const StepFigures& step) {
                                 return areCounted(step.kernels);
                             });
    if (!is_right)
        return std::nullopt;
    DigestFigures figures{std::move(message.times), std::move(message.kernels), std::move(message.steps), {}};
    if (!message.activity.empty())
        figures.activity = std::move(message.activity.front());
    return figures;
}

} // namespace shardscope
