#include "widgets/models/analysis_table.h"

#include "widgets/models/analysis_cells.h"
#include "widgets/models/analysis_heading.h"
#include "widgets/session/shown_text.h"

#include "core/analysis/classification/kernel_class.h"
#include "core/collectives/collective.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace shardscope
{

namespace
{

using namespace cells;

double ratio(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

AnalysisTable ranksTable(const std::vector<RankActivity>& activity)
{
    AnalysisTable table{
        {"rank", "window", "communication", "kernels", "copies", "in operators", "between", "kernel share"},
        {"rank", "window_ns", "communication_ns", "kernel_ns", "memory_ns", "intra_operator_ns",
         "inter_operator_ns", "kernel_share"},
        {BarPart::communication, BarPart::kernels, BarPart::copies, BarPart::within_operators,
         BarPart::between_operators},
        {}};
    for (const RankActivity& rank : activity) {
        const TimeDistribution& times = rank.distribution;
        const auto part = [&](std::int64_t time_ns) { return ratio(time_ns, times.window_ns); };
        table.rows.push_back({{count(rank.rank), time(times.window_ns), time(times.communication_ns),
                               time(times.kernel_ns), time(times.memory_ns), time(times.intra_operator_ns),
                               time(times.inter_operator_ns), share(times.kernelShare())},
                              {{BarPart::communication, part(times.communication_ns)},
                               {BarPart::kernels, part(times.kernel_ns)},
                               {BarPart::copies, part(times.memory_ns)},
                               {BarPart::within_operators, part(times.intra_operator_ns)},
                               {BarPart::between_operators, part(times.inter_operator_ns)}},
                              rank.rank});
    }
    return table;
}

AnalysisTable stepsTable(const Measurement& measurement)
{
    AnalysisTable table{{"rank", "step", "marked", "window", "compute", "communication", "exposed", "idle"},
                        {"rank", "step", "duration_ns", "window_ns", "compute_ns", "communication_ns",
                         "exposed_communication_ns", "idle_ns"},
                        {BarPart::communication, BarPart::kernels, BarPart::copies, BarPart::idle},
                        {}};
    for (const RankMeasurement& rank : measurement.ranks)
        for (const StepMeasurement& step : rank.steps) {
            const BreakdownTimes& times = step.times;
            const auto part = [&](std::int64_t time_ns) { return ratio(time_ns, times.window_ns); };
            const std::int64_t kernels_ns = times.compute_ns - times.overlap_ns;
            table.rows.push_back(
                {{count(rank.rank), count(step.number), time(step.duration_ns), time(times.window_ns),
                  time(times.compute_ns), time(times.communication_ns), time(times.exposed_communication_ns),
                  time(times.idle_ns)},
                 {{BarPart::communication, part(times.communication_ns)},
                  {BarPart::kernels, part(kernels_ns)},
                  {BarPart::copies, part(times.busy_ns - times.communication_ns - kernels_ns)},
                  {BarPart::idle, part(times.idle_ns)}},
                 rank.rank,
                 {},
                 step.number});
        }
    return table;
}

AnalysisRow idleRow(const RankActivity& rank, const QString& name, const IdleCauses& idle,
                    const QueueLength& queue)
{
    const auto part = [&](std::int64_t time_ns) { return ratio(time_ns, idle.total_ns()); };
    return {{count(rank.rank), stream(name), time(idle.total_ns()), time(idle.host_wait_ns),
             time(idle.kernel_wait_ns), time(idle.other_ns), figure(queue.mean), count(queue.max)},
            {{BarPart::host_wait, part(idle.host_wait_ns)},
             {BarPart::kernel_wait, part(idle.kernel_wait_ns)},
             {BarPart::other_wait, part(idle.other_ns)}},
            rank.rank};
}

AnalysisTable idleTable(const std::vector<RankActivity>& activity)
{
    AnalysisTable table{
        {"rank", "stream", "idle", "host wait", "kernel wait", "other", "queue mean", "queue longest"},
        {"rank", "stream", "idle_ns", "host_wait_ns", "kernel_wait_ns", "other_ns", "queue_mean",
         "queue_max"},
        {BarPart::host_wait, BarPart::kernel_wait, BarPart::other_wait},
        {}};
    for (const RankActivity& rank : activity) {
        table.rows.push_back(idleRow(rank, QStringLiteral("all together"), rank.idle, {}));
        table.rows.back().cells[6] = unknown({});
        table.rows.back().cells[7] = unknown({});
        for (const StreamActivity& each : rank.streams) {
            table.rows.push_back(idleRow(rank, toQString(each.stream), each.idle, each.queue));
            table.rows.back().name = each.stream;
        }
    }
    return table;
}

BarPart partOf(const KernelRow& row)
{
    return row.of == EventClass::communication ? BarPart::communication
           : row.of == EventClass::memory      ? BarPart::copies
                                               : BarPart::kernels;
}

// What a kernel does, as far as its name tells.
AnalysisCell purposeOf(const KernelRow& row)
{
    const BarPart part = partOf(row);
    return {part == BarPart::kernels ? toQString(word(kernelClassOf(row.name))) : partName(part),
            std::nullopt};
}

// The ranks' kernels added up, or those of one.
struct KernelSums {
    std::map<std::pair<std::string_view, EventClass>, KernelRow> rows;
    std::int64_t all_ns = 0;
    bool has_inner = false; // operators without a GPU, which stand within each other

    KernelSums(const Measurement& measurement, std::optional<std::int64_t> only)
    {
        for (const RankMeasurement& rank : measurement.ranks)
            for (const KernelRow& row : rank.kernels) {
                if (only && *only != rank.rank)
                    continue;
                const auto [known, is_new] = rows.try_emplace({row.name, row.of}, row);
                all_ns += row.own_ns();
                has_inner = has_inner || row.inner_ns != 0;
                if (!is_new)
                    known->second.add(row);
            }
    }
};

AnalysisTable kernelsTable(const Measurement& measurement, std::optional<std::int64_t> only)
{
    const KernelSums sums{measurement, only};
    AnalysisTable table{
        {"name", "what", "calls", "time", "share", "mean", "shortest", "longest"},
        {"name", "what", "count", "sum_ns", "time_share", "mean_ns", "shortest_ns", "longest_ns"},
        {BarPart::communication, BarPart::kernels, BarPart::copies},
        {}};
    constexpr int own_time = 3;
    constexpr int whole_time = 5; // a column only where the time is not all the event's own
    if (sums.has_inner) {
        table.headings[own_time] = QStringLiteral("own time");
        table.file_headings[own_time] = QStringLiteral("own_ns");
        table.headings.insert(whole_time, QStringLiteral("time"));
        table.file_headings.insert(whole_time, QStringLiteral("sum_ns"));
    }
    for (const auto& [key, row] : sums.rows) {
        const double of_all = ratio(row.own_ns(), sums.all_ns);
        std::vector<AnalysisCell> cells{name(row.name),   purposeOf(row),
                                        count(row.count), time(row.own_ns()),
                                        share(of_all),    time(std::llround(row.mean_ns())),
                                        time(row.min_ns), time(row.max_ns)};
        if (sums.has_inner)
            cells.insert(cells.begin() + whole_time, time(row.sum_ns));
        table.rows.push_back({std::move(cells), {{partOf(row), of_all}}, std::nullopt, row.name});
    }
    std::ranges::stable_sort(table.rows, std::greater{},
                             [](const AnalysisRow& row) { return *row.cells[own_time].number; });
    return table;
}

// The ranks' rows added up, or those of one.
AnalysisTable operatorsTable(const std::vector<RankActivity>& activity, std::optional<std::int64_t> only)
{
    std::map<std::string, OperatorRow> sums;
    for (const RankActivity& rank : activity)
        for (const OperatorRow& row : rank.operators) {
            if (only && *only != rank.rank)
                continue;
            OperatorRow& sum = sums[row.name];
            sum.calls += row.calls;
            sum.total_ns += row.total_ns;
            sum.self_ns += row.self_ns;
            sum.launches += row.launches;
            sum.gpu_ns += row.gpu_ns;
            sum.gpu_idle_ns += row.gpu_idle_ns;
        }
    AnalysisTable table{
        {"operator", "calls", "own time", "with inner ones", "GPU idle meanwhile", "launches", "on the GPU"},
        {"operator", "calls", "self_ns", "total_ns", "gpu_idle_ns", "launches", "gpu_ns"},
        {},
        {}};
    for (const auto& [operation, row] : sums)
        table.rows.push_back({{name(operation), count(row.calls), time(row.self_ns), time(row.total_ns),
                               time(row.gpu_idle_ns), count(row.launches), time(row.gpu_ns)},
                              {},
                              std::nullopt,
                              operation});
    std::ranges::stable_sort(table.rows, std::greater{},
                             [](const AnalysisRow& row) { return *row.cells[2].number; });
    return table;
}

AnalysisTable launchesTable(const std::vector<RankActivity>& activity)
{
    AnalysisTable table{
        {"rank", "launched by", "launches", "in the call", "on the GPU", "median delay", "longest delay",
         "shorter than the call"},
        {"rank", "call", "count", "call_ns", "gpu_ns", "delay_median_ns", "delay_max_ns", "short_count"},
        {},
        {}};
    for (const RankActivity& rank : activity)
        for (const LaunchFigures& row : rank.launches)
            table.rows.push_back(
                {{count(rank.rank), name(row.call), count(row.count), time(row.call_ns), time(row.gpu_ns),
                  time(row.delay_median_ns), time(row.delay_max_ns), count(row.short_count)},
                 {},
                 rank.rank,
                 row.call});
    return table;
}

AnalysisTable copiesTable(const std::vector<RankActivity>& activity)
{
    AnalysisTable table{
        {"rank", "copy", "count", "bytes", "time", "mean GB/s", "least GB/s", "median GB/s", "most GB/s"},
        {"rank", "copy", "count", "bytes", "time_ns", "mean_GBps", "min_GBps", "median_GBps", "max_GBps"},
        {},
        {}};
    for (const RankActivity& rank : activity)
        for (const MemoryMoveRow& row : rank.memory_moves)
            table.rows.push_back(
                {{count(rank.rank), name(row.name), count(row.count), bytes(row.bytes), time(row.time_ns),
                  figure(row.mean_GBps), figure(row.min_GBps), figure(row.median_GBps), figure(row.max_GBps)},
                 {},
                 rank.rank,
                 row.name});
    return table;
}

// What the trace calls it, else its number, else the ranks that were seen in it.
std::string groupName(const GroupTransferRow& row)
{
    if (!row.description.empty())
        return row.description;
    if (!row.group.empty())
        return row.group;
    constexpr std::size_t most_ranks = 8;
    std::string text = row.ranks.size() == 1 ? "rank" : "ranks";
    for (std::size_t i = 0; i < std::min(most_ranks, row.ranks.size()); ++i)
        text += (i > 0 ? ", " : " ") + std::to_string(row.ranks[i]);
    return row.ranks.size() > most_ranks ? text + ", ... " + std::to_string(row.ranks.back()) : text;
}

// Bytes on the wire follow the group's size.
AnalysisCell onBus(const TransferRow& row, double GBps)
{
    return row.group_size > 1 ? figure(GBps) : unknown({});
}

AnalysisTable groupsTable(const CrossRank& across)
{
    AnalysisTable table{{"kind", "group", "ranks", "call", "size", "calls", "waiting", "shortest", "median",
                         "longest", "algbw GB/s", "busbw GB/s", "least GB/s", "most GB/s"},
                        {"kind", "group", "group_size", "op", "message_bytes", "count", "wait_ns", "min_ns",
                         "median_ns", "max_ns", "algbw_GBps", "busbw_GBps", "busbw_min_GBps",
                         "busbw_max_GBps"},
                        {},
                        {}};
    for (const GroupTransferRow& row : across.group_transfers)
        table.rows.push_back(
            {{name(std::string{word(row.kind)}), name(groupName(row)), groupSize(row.group_size),
              name(std::string{word(row.op)}), bytes(row.message_bytes), count(row.count), time(row.wait_ns),
              time(row.min_ns), time(row.median_ns), time(row.max_ns), figure(row.algbw_GBps),
              onBus(row, row.busbw_GBps), onBus(row, row.busbw_min_GBps), onBus(row, row.busbw_max_GBps)},
             {},
             std::nullopt,
             {},
             static_cast<std::int64_t>(table.rows.size())});
    return table;
}

AnalysisTable stragglersTable(const CrossRank& across)
{
    AnalysisTable table{{"rank", "started last", "of calls", "share", "made others wait", "longest", "in"},
                        {"rank", "last", "calls", "share", "delay_ns", "longest_delay_ns", "longest_call"},
                        {},
                        {}};
    for (const Straggler& row : across.stragglers) {
        if (row.calls == 0)
            continue;
        table.rows.push_back(
            {{count(row.rank), count(row.last), count(row.calls), share(ratio(row.last, row.calls)),
              time(row.delay_ns), time(row.longest_delay_ns), name(row.longest_call)},
             {},
             row.rank});
    }
    return table;
}

AnalysisTable timersTable(const std::vector<MeasuredTimer>& timers)
{
    AnalysisTable table{{"timer", "records", "median"}, {"timer", "count", "median_s"}, {}, {}};
    for (const MeasuredTimer& timer : timers)
        table.rows.push_back(
            {{name(timer.name), count(timer.count), {secondsText(timer.median_s), timer.median_s}},
             {},
             std::nullopt});
    return table;
}

AnalysisTable scheduleTable(const std::optional<MeasuredBubble>& bubble)
{
    AnalysisTable table{{"idle time of the pipeline's ranks", "share"}, {"figure", "share"}, {}, {}};
    if (!bubble)
        return table;
    table.rows.push_back({{name("as recorded"), share(bubble->measured_ratio)}, {}, std::nullopt});
    table.rows.push_back(
        {{name("which the schedule makes unavoidable"), share(bubble->ideal_ratio)}, {}, std::nullopt});
    return table;
}

AnalysisTable bareTable(AnalysisSection section, const Measurement& measurement,
                        const std::vector<RankActivity>& activity, std::optional<std::int64_t> rank)
{
    switch (section) {
    case AnalysisSection::ranks:
        return ranksTable(activity);
    case AnalysisSection::steps:
        return stepsTable(measurement);
    case AnalysisSection::idle:
        return idleTable(activity);
    case AnalysisSection::kernels:
        return kernelsTable(measurement, rank);
    case AnalysisSection::operators:
        return operatorsTable(activity, rank);
    case AnalysisSection::launches:
        return launchesTable(activity);
    case AnalysisSection::copies:
        return copiesTable(activity);
    case AnalysisSection::groups:
        return groupsTable(measurement.cross_rank);
    case AnalysisSection::stragglers:
        return stragglersTable(measurement.cross_rank);
    case AnalysisSection::timers:
        return timersTable(measurement.timers);
    case AnalysisSection::schedule:
        return scheduleTable(measurement.bubble);
    default: // of two runs: differenceTable()
        break;
    }
    return {};
}

} // namespace

AnalysisTable analysisTable(AnalysisSection section, const Measurement& measurement,
                            const std::vector<RankActivity>& activity, std::optional<std::int64_t> rank)
{
    AnalysisTable table = bareTable(section, measurement, activity, rank);
    for (const QString& heading : table.file_headings)
        table.meanings << headingMeaning(section, heading);
    return table;
}

} // namespace shardscope
