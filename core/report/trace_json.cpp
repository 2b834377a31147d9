#include "core/report/trace_report.h"

#include "core/report/activity_report.h"
#include "core/report/memory_report.h"
#include "core/report/resized_report.h"
#include "core/report/unfinished_report.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace shardscope
{

namespace
{

using Json = nlohmann::ordered_json;

// Names in traces may hold bytes that are not UTF-8; those become U+FFFD instead of an exception.
std::string dumped(const Json& json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string_view wordOf(FileStatus status)
{
    switch (status) {
    case FileStatus::ok:
        return "ok";
    case FileStatus::recovered:
        return "recovered";
    case FileStatus::rejected:
        break;
    }
    return "rejected";
}

// Of calls on a timeline; formats without one give the sizes themselves ("file").
std::string_view wordOf(SizesFrom from, bool has_timeline)
{
    switch (from) {
    case SizesFrom::kernel:
        return "kernel";
    case SizesFrom::record_param_comms:
        return "record_param_comms";
    case SizesFrom::annotation:
        return "annotation";
    case SizesFrom::none:
        break;
    }
    return has_timeline ? "none" : "file";
}

Json number(double value)
{
    constexpr double exact = 9007199254740992.0; // 2^53
    if (value == std::floor(value) && std::fabs(value) < exact)
        return static_cast<std::int64_t>(value);
    return value;
}

Json told(bool is_told, auto value)
{
    return is_told ? Json(value) : Json(nullptr);
}

Json byRank(const std::map<std::int64_t, std::int64_t>& values)
{
    Json json = Json::object();
    for (const auto& [rank, value] : values)
        json[std::to_string(rank)] = value;
    return json;
}

Json warningsJson(const std::vector<ImportWarning>& warnings)
{
    Json json = Json::array();
    for (const ImportWarning& warning : warnings)
        json.push_back({{"what", warning.what}, {"count", warning.count}});
    return json;
}

// Nothing is written where the file is no log that lists them.
void addArguments(const TraceFile& file, Json& json)
{
    for (const RunArgument& argument : file.arguments)
        json["arguments"][argument.name] = argument.value;
    for (const PlaceParameters& place : file.parameters)
        json["parameters"].push_back(
            {{"tensor_rank", place.tensor_rank}, {"stage", place.stage}, {"parameters", place.parameters}});
}

Json fileJson(const TraceFile& file)
{
    Json json{{"path", file.path},
              {"format", file.format},
              {"rank", file.rank},
              {"status", wordOf(file.status)},
              {"slices", file.slices},
              {"tracks", file.tracks},
              {"flows", file.flows},
              {"devices", file.devices},
              {"bytes_uncompressed", file.bytes_uncompressed},
              {"load_s", file.load_s},
              {"first_ts_ns", file.store ? file.store->firstStart() : 0}};
    if (!file.rejection.empty())
        json["rejection"] = file.rejection;
    json["warnings"] = warningsJson(file.warnings);
    if (!file.notes.empty())
        json["notes"] = file.notes;
    addArguments(file, json);
    return json;
}

Json collectiveJson(const MeasuredCollective& row, bool has_timeline)
{
    Json json{{"name", row.name},
              {"op", word(row.op)},
              {"dtype", row.dtype},
              {"in_bytes", told(row.in_bytes != -1, row.in_bytes)},
              {"out_bytes", told(row.out_bytes != -1, row.out_bytes)},
              {"message_bytes", told(row.message_bytes != -1, row.message_bytes)},
              {"group_size", row.group_size},
              {"group", row.group},
              {"description", row.description},
              {"kind", word(row.kind)},
              {"kind_from", row.kind_from},
              {"sizes_from", wordOf(row.sizes_from, has_timeline)},
              {"count", row.count}};
    if (has_timeline || row.sum_ns > 0) {
        json["sum_ns"] = row.sum_ns;
        json["min_ns"] = row.min_ns;
        json["median_ns"] = row.median_ns;
        json["max_ns"] = row.max_ns;
    }
    if (has_timeline)
        json["exposed_ns"] = row.exposed_ns;
    return json;
}

std::string_view wordOf(EventClass of)
{
    return of == EventClass::compute         ? "compute"
           : of == EventClass::communication ? "communication"
                                             : "memory";
}

Json kernelsJson(const std::vector<KernelRow>& kernels)
{
    Json json = Json::array();
    for (const KernelRow& row : kernels)
        json.push_back({{"name", row.name},
                        {"class", wordOf(row.of)},
                        {"count", row.count},
                        {"own_ns", row.own_ns()},
                        {"sum_ns", row.sum_ns},
                        {"min_ns", row.min_ns},
                        {"mean_ns", row.mean_ns()},
                        {"max_ns", row.max_ns}});
    return json;
}

Json rankJson(const RankMeasurement& rank, bool kernels)
{
    Json json = Json::object();
    if (rank.has_timeline)
        json = {{"window_ns", rank.window_ns},
                {"busy_ns", rank.busy_ns},
                {"idle_ns", rank.idle_ns},
                {"compute_ns", rank.compute_ns},
                {"communication_ns", rank.communication_ns},
                {"memory_ns", rank.memory_ns},
                {"non_compute_ns", rank.non_compute_ns},
                {"overlap_ns", rank.overlap_ns},
                {"exposed_communication_ns", rank.exposed_communication_ns},
                {"gpu_events", rank.gpu_events},
                {"counts",
                 {{"compute", rank.compute_count},
                  {"communication", rank.communication_count},
                  {"memory", rank.memory_count}}}};
    json["collectives"] = Json::array();
    for (const MeasuredCollective& row : rank.collectives)
        json["collectives"].push_back(collectiveJson(row, rank.has_timeline));
    if (kernels && rank.has_timeline)
        json["kernels"] = kernelsJson(rank.kernels);
    return json;
}

Json transferJson(const TransferRow& row)
{
    const bool has_size = row.message_bytes >= 0;
    const bool has_wire = has_size && row.group_size > 1; // what is on it follows from the group's size
    return {{"kind", word(row.kind)},
            {"op", word(row.op)},
            {"message_bytes", told(has_size, row.message_bytes)},
            {"group_size", row.group_size},
            {"count", row.count},
            {"min_ns", row.min_ns},
            {"median_ns", row.median_ns},
            {"max_ns", row.max_ns},
            {"algbw_GBps", told(has_size, row.algbw_GBps)},
            {"busbw_GBps", told(has_wire, row.busbw_GBps)},
            {"busbw_min_GBps", told(has_wire, row.busbw_min_GBps)},
            {"busbw_max_GBps", told(has_wire, row.busbw_max_GBps)}};
}

Json groupTransferJson(const GroupTransferRow& row)
{
    Json json{{"group", row.group}, {"description", row.description}};
    json.update(transferJson(row));
    json["wait_ns"] = row.wait_ns;
    return json;
}

Json stragglerJson(const Straggler& row)
{
    return {{"rank", row.rank},
            {"calls", row.calls},
            {"last", row.last},
            {"delay_ns", row.delay_ns},
            {"longest_delay_ns", row.longest_delay_ns},
            {"longest_call", row.longest_call}};
}

Json crossRankJson(const CrossRank& across)
{
    Json transfers = Json::array();
    for (const TransferRow& row : across.transfers)
        transfers.push_back(transferJson(row));
    Json groups = Json::array();
    for (const GroupTransferRow& row : across.group_transfers)
        groups.push_back(groupTransferJson(row));
    Json stragglers = Json::array();
    for (const Straggler& row : across.stragglers)
        stragglers.push_back(stragglerJson(row));
    return {{"matched", across.matched},
            {"wait_ns", byRank(across.wait_ns)},
            {"transfer_ns", across.transfer_ns},
            {"last_starter", byRank(across.last_starter)},
            {"delay_caused_ns", byRank(across.delay_caused_ns)},
            {"clock_offset_ns", byRank(across.clock_offset_ns)},
            {"alignment",
             {{"median_ns", across.alignment_median_ns},
              {"spread_ns", across.alignment_spread_ns},
              {"trusted", across.alignment_trusted},
              {"applied", false}}},
            {"transfers", transfers},
            {"group_transfers", groups},
            {"stragglers", stragglers}};
}

Json matrixJson(const std::vector<MeasuredCell>& cells)
{
    Json json = Json::object();
    for (const MeasuredCell& cell : cells)
        json[std::string{word(cell.kind)}].push_back({cell.sender, cell.receiver, number(cell.bytes)});
    return json;
}

Json histogramJson(const std::vector<HistogramRow>& rows)
{
    Json json = Json::array();
    for (const HistogramRow& row : rows)
        json.push_back({{"kind", word(row.kind)},
                        {"name", row.name},
                        {"op", word(row.op)},
                        {"bytes", row.bytes},
                        {"count", row.count}});
    return json;
}

Json resizedJson(const std::vector<ResizedRank>& ranks, const Resizing& resizing)
{
    Json rows = Json::array();
    for (const ResizedRank& rank : ranks)
        rows.push_back({{"rank", rank.rank},
                        {"measured_s", rank.measured.total_s()},
                        {"measured_compute_s", rank.measured.compute_s()},
                        {"resized_s", rank.resized.total_s()},
                        {"resized_compute_s", rank.resized.compute_s()}});
    return {{"h", resizing.hidden}, {"s", resizing.sequence}, {"b", resizing.batch}, {"ranks", rows}};
}

// What formats without a timeline bring; nothing is written where none did.
void addOtherFigures(const Measurement& measurement, Json& json)
{
    for (const MeasuredTimer& timer : measurement.timers)
        json["timers"].push_back(
            {{"name", timer.name}, {"count", timer.count}, {"median_s", timer.median_s}});
    if (measurement.bubble)
        json["bubble"] = {{"measured_ratio", measurement.bubble->measured_ratio},
                          {"ideal_ratio", measurement.bubble->ideal_ratio},
                          {"iterations", measurement.bubble->iterations},
                          {"iteration_s", measurement.bubble->iteration_s}};
    for (const BandwidthPoint& point : measurement.points) {
        json["points"].push_back({{"name", point.name},
                                  {"dtype", point.dtype},
                                  {"bytes", point.bytes},
                                  {"time_s", point.time_s},
                                  {"algbw_GBps", point.algbw_GBps},
                                  {"busbw_GBps", point.busbw_GBps}});
        if (point.ranks > 0) {
            json["points"].back()["ranks"] = point.ranks;
            json["points"].back()["ranks_of_host"] = point.per_node;
        }
    }
}

} // namespace

std::string traceJson(const TraceSet& traces, const Measurement& measurement,
                      const TraceReportOptions& options)
{
    Json json{{"shardscope", 1}, {"files", Json::array()}};
    for (const TraceFile& file : traces.files)
        json["files"].push_back(fileJson(file));
    std::int64_t timelines = 0;
    if (!measurement.ranks.empty())
        json["ranks"] = Json::object();
    for (const RankMeasurement& rank : measurement.ranks) {
        json["ranks"][std::to_string(rank.rank)] = rankJson(rank, options.kernels);
        addStepsJson(rank, json["ranks"][std::to_string(rank.rank)]);
        timelines += rank.has_timeline;
    }
    for (const RankActivity& rank : options.activity)
        addActivityJson(rank, json["ranks"][std::to_string(rank.rank)]);
    if (timelines > 1)
        json["cross_rank"] = crossRankJson(measurement.cross_rank);
    if (!measurement.ranks.empty()) {
        json["matrix"] = matrixJson(measurement.matrix);
        json["message_histogram"] = histogramJson(measurement.message_histogram);
    }
    addMemoryJson(measurement, json);
    addOtherFigures(measurement, json);
    addUnfinishedJson(measurement, json);
    if (options.resizing)
        json["resized"] =
            resizedJson(resizedRanks(traces, measurement, *options.resizing), *options.resizing);
    json["warnings"] = warningsJson(traces.warnings);
    json["notes"] = measurement.notes;
    return dumped(json, options.indent);
}

} // namespace shardscope
