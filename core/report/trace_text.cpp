#include "core/report/trace_report.h"

#include "core/analysis/calibration/calibration_points.h"
#include "core/base/format.h"
#include "core/report/activity_report.h"
#include "core/report/memory_report.h"
#include "core/report/resized_report.h"
#include "core/report/text_table.h"
#include "core/report/unfinished_report.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace shardscope
{

namespace
{

std::string texted(std::string_view text)
{
    return std::string{text};
}

// "12.3 ms (4.5 %)" of a window.
std::string timeAndShare(std::int64_t time_ns, std::int64_t window_ns)
{
    if (window_ns <= 0)
        return formatNanoseconds(time_ns);
    return formatNanoseconds(time_ns) + " ("
           + formatRatio(static_cast<double>(time_ns) / static_cast<double>(window_ns)) + ")";
}

std::string bytesOrOpen(std::int64_t bytes)
{
    return bytes < 0 ? "?" : formatBytes(static_cast<double>(bytes));
}

// What a log lists beside its measurements; empty where it does not.
std::string argumentsText(const TraceFile& file)
{
    if (file.arguments.empty() && file.parameters.empty())
        return {};
    std::string text;
    if (!file.arguments.empty())
        text = countedSentence(std::ssize(file.arguments), "1 argument", "# arguments")
               + " of the run, of which `infer` makes a scenario";
    if (!file.parameters.empty())
        text += (text.empty() ? "" : "; ")
                + countedSentence(std::ssize(file.parameters), "1 place tells how many parameters it holds",
                                  "# places tell how many parameters they hold");
    return "  " + file.path + ": " + text + '\n';
}

std::string filesText(const TraceSet& traces)
{
    TextTable table{{"file", "format", ">rank", "status", ">events", ">size", ">read in"}};
    std::string odd;
    for (const TraceFile& file : traces.files) {
        const bool rejected = file.status == FileStatus::rejected;
        table.addRow({file.path, file.format, std::to_string(file.rank),
                      rejected                               ? "rejected"
                      : file.status == FileStatus::recovered ? "recovered"
                                                             : "ok",
                      formatGrouped(file.slices), formatBytes(static_cast<double>(file.bytes_uncompressed)),
                      formatSeconds(file.load_s)});
        if (rejected)
            odd += "  " + file.path + ": " + file.rejection + '\n';
        for (const ImportWarning& warning : file.warnings)
            odd += "  " + file.path + ": " + formatGrouped(warning.count) + " x " + warning.what + '\n';
        for (const std::string& note : file.notes)
            odd += "  " + file.path + ": " + note + '\n';
        odd += argumentsText(file);
    }
    for (const ImportWarning& warning : traces.warnings)
        odd += "  " + warning.sentence + '\n';
    return "Files\n" + table.text() + odd;
}

std::string ranksText(const Measurement& measurement)
{
    TextTable table{
        {">rank", ">window", ">compute", ">communication", ">exposed", ">overlapped", ">memory", ">idle"}};
    for (const RankMeasurement& rank : measurement.ranks) {
        if (!rank.has_timeline)
            continue;
        const auto cell = [&](std::int64_t time_ns) { return timeAndShare(time_ns, rank.window_ns); };
        table.addRow({std::to_string(rank.rank), formatNanoseconds(rank.window_ns), cell(rank.compute_ns),
                      cell(rank.communication_ns), cell(rank.exposed_communication_ns), cell(rank.overlap_ns),
                      cell(rank.memory_ns), cell(rank.idle_ns)});
    }
    return table.empty() ? "" : "\nTime of each rank (share of its window)\n" + table.text();
}

// The ranks' rows added up where all but the group agrees.
std::string collectivesText(const Measurement& measurement)
{
    struct Sum {
        std::int64_t count = 0;
        std::int64_t timed = 0; // of them, calls of rows with times
        std::int64_t sum_ns = 0;
        std::int64_t min_ns = 0;
        std::int64_t max_ns = 0;
    };
    using Key = std::tuple<Kind, std::string, std::string, std::int64_t, std::int64_t, std::string>;
    std::map<Key, Sum> sums;
    for (const RankMeasurement& rank : measurement.ranks)
        for (const MeasuredCollective& row : rank.collectives) {
            Sum& sum =
                sums[{row.kind, row.name, row.dtype, row.message_bytes, row.group_size, row.kind_from}];
            sum.count += row.count;
            if (!rank.has_timeline && row.sum_ns == 0)
                continue;
            sum.min_ns = sum.timed == 0 ? row.min_ns : std::min(sum.min_ns, row.min_ns);
            sum.max_ns = std::max(sum.max_ns, row.max_ns);
            sum.timed += row.count;
            sum.sum_ns += row.sum_ns;
        }
    TextTable table{{"kind", "call", "type", ">message", ">group", ">calls", ">time", ">mean", ">shortest",
                     ">longest", "kind from"}};
    for (const auto& [key, sum] : sums) {
        const auto& [kind, name, dtype, bytes, group_size, from] = key;
        const auto time = [is_timed = sum.timed > 0](std::int64_t time_ns) {
            return is_timed ? formatNanoseconds(time_ns) : "–";
        };
        table.addRow({texted(word(kind)), name, dtype, bytesOrOpen(bytes),
                      group_size > 0 ? std::to_string(group_size) : "?", formatGrouped(sum.count),
                      time(sum.sum_ns), time(sum.sum_ns / std::max<std::int64_t>(1, sum.timed)),
                      time(sum.min_ns), time(sum.max_ns), from});
    }
    return table.empty() ? "" : "\nCommunication calls, all ranks\n" + table.text();
}

std::string acrossText(const CrossRank& across)
{
    if (across.matched == 0)
        return {};
    std::map<std::int64_t, std::int64_t> last;
    for (const Straggler& straggler : across.stragglers)
        last[straggler.rank] = straggler.last;
    TextTable table{{">rank", ">waited", ">started last", ">made others wait", ">clock ahead"}};
    for (const auto& [rank, wait_ns] : across.wait_ns) {
        const auto offset = across.clock_offset_ns.find(rank);
        table.addRow({std::to_string(rank), formatNanoseconds(wait_ns), formatGrouped(last[rank]),
                      formatNanoseconds(across.delay_caused_ns.at(rank)),
                      offset == across.clock_offset_ns.end() ? "?" : formatNanoseconds(offset->second)});
    }
    return "\nAcross ranks: " + formatGrouped(across.matched) + " calls matched, transfer "
           + formatNanoseconds(across.transfer_ns) + "; ends lie "
           + formatNanoseconds(across.alignment_median_ns) + " apart, "
           + formatNanoseconds(across.alignment_spread_ns) + " with the clocks' offsets taken out"
           + (across.alignment_trusted ? "" : " (not to be aligned by them)") + '\n' + table.text();
}

std::string transfersText(const std::vector<TransferRow>& rows)
{
    TextTable table{{"kind", "op", ">message", ">group", ">calls", ">median", ">algbw GB/s", ">busbw GB/s"}};
    for (const TransferRow& row : rows)
        table.addRow({texted(word(row.kind)), texted(word(row.op)), bytesOrOpen(row.message_bytes),
                      std::to_string(row.group_size), formatGrouped(row.count),
                      formatNanoseconds(row.median_ns), formatCount(row.algbw_GBps),
                      row.group_size > 1 ? formatCount(row.busbw_GBps) : ""});
    return table.empty() ? "" : "\nTransfers: the shortest time of a call's ranks\n" + table.text();
}

// Operators without a GPU stand within each other: what is their own is told beside their time.
TextTable kernelTable(const std::vector<KernelRow>& kernels, std::size_t most)
{
    const bool has_inner = std::ranges::any_of(kernels, std::identity{}, &KernelRow::inner_ns);
    std::vector<std::string> headings{">calls", ">time", ">mean", ">shortest", ">longest", "name"};
    if (has_inner)
        headings.insert(headings.begin() + 1, ">own time");
    TextTable table{headings};
    for (std::size_t i = 0; i < std::min(most, kernels.size()); ++i) {
        const KernelRow& row = kernels[i];
        std::vector<std::string> cells{
            formatGrouped(row.count),      formatNanoseconds(row.sum_ns), formatSeconds(row.mean_ns() * 1e-9),
            formatNanoseconds(row.min_ns), formatNanoseconds(row.max_ns), row.name.substr(0, 120)};
        if (has_inner)
            cells.insert(cells.begin() + 1, formatNanoseconds(row.own_ns()));
        table.addRow(std::move(cells));
    }
    return table;
}

std::string kernelsText(const Measurement& measurement)
{
    constexpr std::size_t longest = 20;
    std::string text;
    for (const RankMeasurement& rank : measurement.ranks)
        if (!rank.kernels.empty())
            text += "\nLongest of rank " + std::to_string(rank.rank) + ", "
                    + formatGrouped(static_cast<std::int64_t>(rank.kernels.size())) + " names\n"
                    + kernelTable(rank.kernels, longest).text();
    return text;
}

std::string matrixText(const std::vector<MeasuredCell>& cells)
{
    std::map<Kind, std::pair<std::int64_t, double>> kinds;
    for (const MeasuredCell& cell : cells) {
        ++kinds[cell.kind].first;
        kinds[cell.kind].second += cell.bytes;
    }
    TextTable table{{"kind", ">pairs", ">sent"}};
    for (const auto& [kind, sum] : kinds)
        table.addRow({texted(word(kind)), formatGrouped(sum.first), formatBytes(sum.second)});
    return table.empty() ? "" : "\nSent between ranks (ring convention)\n" + table.text();
}

// Of lines that name no collective, by the fastest line of each table.
std::map<int, std::string> collectivesOfTables(const std::vector<BandwidthPoint>& points)
{
    std::map<int, const BandwidthPoint*> fastest;
    for (const BandwidthPoint& point : points) {
        const BandwidthPoint*& known = fastest[point.table];
        if (known == nullptr || point.busbw_GBps > known->busbw_GBps)
            known = &point;
    }
    std::map<int, std::string> collectives;
    for (const auto& [table, point] : fastest)
        collectives[table] = isOfAllReduce(*point) ? texted(word(Op::all_reduce)) : "?";
    return collectives;
}

std::string pointsText(const std::vector<BandwidthPoint>& points)
{
    const std::map<int, std::string> collectives = collectivesOfTables(points);
    bool has_untold = false;
    const bool lists_ranks = std::ranges::any_of(points, [](const auto& point) { return point.ranks > 0; });
    std::vector<std::string> headings{"collective", "type", ">size", ">time", ">algbw GB/s", ">busbw GB/s"};
    if (lists_ranks)
        headings.insert(headings.begin() + 2, {">ranks", ">on a host"});
    TextTable table{std::move(headings)};
    const auto listed = [](int count) { return count > 0 ? std::to_string(count) : std::string{}; };
    for (const BandwidthPoint& point : points) {
        const std::string& collective = point.name.empty() ? collectives.at(point.table) : point.name;
        has_untold = has_untold || collective == "?";
        std::vector<std::string> row{collective,
                                     point.dtype,
                                     formatBytes(static_cast<double>(point.bytes)),
                                     formatSeconds(point.time_s),
                                     formatCount(point.algbw_GBps),
                                     formatCount(point.busbw_GBps)};
        if (lists_ranks)
            row.insert(row.begin() + 2, {listed(point.ranks), listed(point.per_node)});
        table.addRow(std::move(row));
    }
    if (table.empty())
        return {};
    return "\nBandwidth\n" + table.text()
           + (has_untold ? "  ? the file does not name the collective, and its bandwidths do not tell it\n"
                         : "");
}

std::string otherText(const Measurement& measurement)
{
    std::string text;
    TextTable timers{{"timer", ">records", ">median"}};
    for (const MeasuredTimer& timer : measurement.timers)
        timers.addRow({timer.name, formatGrouped(timer.count), formatSeconds(timer.median_s)});
    if (!timers.empty())
        text += "\nTimers\n" + timers.text();
    if (measurement.bubble)
        text += "\nIteration: " + formatSeconds(measurement.bubble->iteration_s) + ", median of "
                + formatGrouped(measurement.bubble->iterations)
                + "\nPipeline bubble: " + formatRatio(measurement.bubble->measured_ratio)
                + " of the time, at best " + formatRatio(measurement.bubble->ideal_ratio) + '\n';
    return text + pointsText(measurement.points);
}

} // namespace

std::string traceText(const TraceSet& traces, const Measurement& measurement,
                      const TraceReportOptions& options)
{
    std::string text = filesText(traces) + unfinishedText(measurement) + ranksText(measurement)
                       + stepsText(measurement.ranks) + activityText(options.activity, options.details)
                       + collectivesText(measurement) + acrossText(measurement.cross_rank)
                       + transfersText(measurement.cross_rank.transfers) + matrixText(measurement.matrix)
                       + memoryText(measurement) + otherText(measurement);
    if (options.resizing)
        text += resizedText(resizedRanks(traces, measurement, *options.resizing), *options.resizing);
    if (options.kernels)
        text += kernelsText(measurement);
    if (!measurement.notes.empty())
        text += "\nNotes\n";
    for (const std::string& note : measurement.notes)
        text += "  " + note + '\n';
    return text;
}

} // namespace shardscope
