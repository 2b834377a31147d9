#include "core/base/format.h"
#include "core/report/activity_report.h"
#include "core/report/text_table.h"

#include <algorithm>

namespace shardscope
{

namespace
{

std::string shareOf(std::int64_t time_ns, std::int64_t whole_ns)
{
    if (whole_ns <= 0)
        return formatNanoseconds(time_ns);
    return formatNanoseconds(time_ns) + " ("
           + formatRatio(static_cast<double>(time_ns) / static_cast<double>(whole_ns)) + ")";
}

std::string distributionText(std::span<const RankActivity> ranks)
{
    TextTable table{{">rank", ">window", ">communication", ">kernels", ">copies", ">within operators",
                     ">between operators", ">kernel share"}};
    for (const RankActivity& rank : ranks) {
        const TimeDistribution& times = rank.distribution;
        const auto cell = [&](std::int64_t time_ns) { return shareOf(time_ns, times.window_ns); };
        table.addRow({std::to_string(rank.rank), formatNanoseconds(times.window_ns),
                      cell(times.communication_ns), cell(times.kernel_ns), cell(times.memory_ns),
                      cell(times.intra_operator_ns), cell(times.inter_operator_ns),
                      formatRatio(times.kernelShare())});
    }
    return table.empty() ? ""
                         : "\nWhat the GPU waits for (communication first, then kernels, then dispatch)\n"
                               + table.text();
}

std::string idleText(std::span<const RankActivity> ranks)
{
    TextTable table{{">rank", ">idle", ">host wait", ">kernel wait", ">other"}};
    for (const RankActivity& rank : ranks) {
        const auto cell = [&](std::int64_t time_ns) { return shareOf(time_ns, rank.idle.total_ns()); };
        table.addRow({std::to_string(rank.rank), formatNanoseconds(rank.idle.total_ns()),
                      cell(rank.idle.host_wait_ns), cell(rank.idle.kernel_wait_ns),
                      cell(rank.idle.other_ns)});
    }
    return table.empty() ? "" : "\nIdle time by its cause\n" + table.text();
}

std::string streamsText(const RankActivity& rank)
{
    TextTable table{{"device", "stream", ">events", ">busy", ">host wait", ">kernel wait", ">other",
                     ">queue mean", ">queue longest"}};
    for (const StreamActivity& stream : rank.streams)
        table.addRow({stream.device, stream.stream, formatGrouped(stream.events),
                      formatNanoseconds(stream.busy_ns), formatNanoseconds(stream.idle.host_wait_ns),
                      formatNanoseconds(stream.idle.kernel_wait_ns), formatNanoseconds(stream.idle.other_ns),
                      formatCount(stream.queue.mean), formatGrouped(stream.queue.max)});
    return "\nStreams of rank " + std::to_string(rank.rank) + '\n' + table.text();
}

std::string launchesText(const RankActivity& rank)
{
    TextTable table{{"launched by", ">launches", ">in the call", ">on the GPU", ">median delay",
                     ">longest delay", ">shorter than the call"}};
    for (const LaunchFigures& row : rank.launches)
        table.addRow({row.call, formatGrouped(row.count), formatNanoseconds(row.call_ns),
                      formatNanoseconds(row.gpu_ns), formatNanoseconds(row.delay_median_ns),
                      formatNanoseconds(row.delay_max_ns), formatGrouped(row.short_count)});
    return table.empty() ? "" : "\nLaunches of rank " + std::to_string(rank.rank) + '\n' + table.text();
}

std::string movesText(const RankActivity& rank)
{
    TextTable table{{"copy", ">count", ">bytes", ">time", ">mean GB/s", ">least", ">median", ">greatest"}};
    for (const MemoryMoveRow& row : rank.memory_moves)
        table.addRow({row.name, formatGrouped(row.count), formatBytes(static_cast<double>(row.bytes)),
                      formatNanoseconds(row.time_ns), formatCount(row.mean_GBps), formatCount(row.min_GBps),
                      formatCount(row.median_GBps), formatCount(row.max_GBps)});
    return table.empty() ? ""
                         : "\nCopies and fills of rank " + std::to_string(rank.rank) + '\n' + table.text();
}

std::string operatorsText(const RankActivity& rank)
{
    constexpr std::size_t most = 20;
    TextTable table{{"operator", ">calls", ">own time", ">with inner ones", ">GPU idle meanwhile",
                     ">launches", ">on the GPU"}};
    for (std::size_t i = 0; i < std::min(most, rank.operators.size()); ++i) {
        const OperatorRow& row = rank.operators[i];
        table.addRow({row.name.substr(0, 80), formatGrouped(row.calls), formatNanoseconds(row.self_ns),
                      formatNanoseconds(row.total_ns), formatNanoseconds(row.gpu_idle_ns),
                      formatGrouped(row.launches), formatNanoseconds(row.gpu_ns)});
    }
    return table.empty() ? ""
                         : "\nOperators of rank " + std::to_string(rank.rank) + " on the CPU, "
                               + formatGrouped(static_cast<std::int64_t>(rank.operators.size())) + " names\n"
                               + table.text();
}

} // namespace

std::string stepsText(std::span<const RankMeasurement> ranks)
{
    TextTable table{
        {">rank", ">step", ">marked", ">window", ">compute", ">communication", ">exposed", ">idle"}};
    for (const RankMeasurement& rank : ranks)
        for (const StepMeasurement& step : rank.steps) {
            const BreakdownTimes& times = step.times;
            const auto cell = [&](std::int64_t time_ns) { return shareOf(time_ns, times.window_ns); };
            table.addRow({std::to_string(rank.rank), std::to_string(step.number),
                          formatNanoseconds(step.duration_ns), formatNanoseconds(times.window_ns),
                          cell(times.compute_ns), cell(times.communication_ns),
                          cell(times.exposed_communication_ns), cell(times.idle_ns)});
        }
    return table.empty() ? "" : "\nTime of each step (what was launched in it)\n" + table.text();
}

std::string activityText(std::span<const RankActivity> ranks, bool details)
{
    std::string text = distributionText(ranks) + idleText(ranks);
    for (const RankActivity& rank : ranks)
        if (details)
            text += streamsText(rank) + launchesText(rank) + movesText(rank) + operatorsText(rank);
    return text;
}

} // namespace shardscope
