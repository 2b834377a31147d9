// nccl-tests and rccl-tests with their results as JSON. Since 2025 (-J) one object:
//   {"version": 2, "args": ["./all_reduce_perf", ...], "env": [...], "nccl_version": 22703,
//    "config": {"nthreads": 1, "ngpus": 1, "devices": [{"rank": 0, "group": 0, "hostname": "node07", ...}]},
//    "results": [{"size": 1048576, "count": 262144, "type": "float", "redop": "sum", "root": "-1",
//    "out_of_place": {"time": 52.34, "alg_bw": 20.03, "bus_bw": 35.06, "nwrong": 0}, "in_place": {...}}]}
// rccl-tests before (-Z json) a list of rows, out of place and in place:
//   [{"numCycle": 0, "name": "AllReduce", "size": 1048576, "type": "float", "redop": "sum", "inPlace": 0,
//     "time": 52.34, "algBw": 20.03, "busBw": 35.06, "wrong": 0}]
#include "core/import/json/json_fields.h"
#include "core/import/logs/nccl_tests_rows.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

constexpr std::size_t largest_report = std::size_t{1} << 28; // bytes; a row has some hundred

struct FigureNames {
    const char* time;
    const char* algbw;
    const char* busbw;
    const char* wrong;
};

std::optional<NcclTestsFigures> figuresIn(const Json& row, const FigureNames& names)
{
    const auto cpu_time = numberIn(row, "cpu_time");
    const auto time = cpu_time ? cpu_time : numberIn(row, names.time);
    const auto algbw = numberIn(row, names.algbw);
    const auto busbw = numberIn(row, names.busbw);
    if (!time || !algbw || !busbw || *time < 0.0)
        return std::nullopt;
    constexpr double time_unit_s = 1e-6;
    return NcclTestsFigures{*time * time_unit_s, *algbw, *busbw, cpu_time.has_value(),
                            numberIn(row, names.wrong).value_or(0.0) > 0.0};
}

// "./build/all_reduce_perf_mpi" is a test of all_reduce.
std::string testIn(const Json& arguments)
{
    if (!arguments.is_array() || arguments.empty() || !arguments[0].is_string())
        return {};
    const auto& program = arguments[0].get_ref<const std::string&>();
    const std::size_t begin = program.find_last_of('/') + 1;
    return program.substr(begin, program.find("_perf", begin) - begin);
}

// Of each process the first rank alone is listed, in the versions that are known; a list without gaps has
// them all.
NcclTestsRanks ranksIn(const Json& config)
{
    NcclTestsRanks ranks;
    const Json& devices = memberIn(config, "devices");
    if (!devices.is_array())
        return ranks;
    constexpr std::int64_t most = 64;
    std::int64_t of_a_process = std::clamp<std::int64_t>(integerIn(config, "nthreads").value_or(1), 1, most)
                                * std::clamp<std::int64_t>(integerIn(config, "ngpus").value_or(1), 1, most);
    if (devices.size() > 1 && integerIn(devices[1], "rank") == 1)
        of_a_process = 1;
    for (const Json& device : devices)
        for (std::int64_t i = 0; i < of_a_process; ++i)
            ranks.add(textIn(device, "hostname"), integerIn(device, "group").value_or(0));
    return ranks;
}

void takeReport(const Json& report, NcclTestsRows& rows)
{
    const NcclTestsRanks ranks = ranksIn(memberIn(report, "config"));
    BandwidthPoint point;
    point.name = testIn(memberIn(report, "args"));
    point.ranks = ranks.count();
    point.per_node = ranks.mostOnAHost();
    for (const Json& row : memberIn(report, "results")) {
        const Json& out_of_place = memberIn(row, "out_of_place");
        const auto figures = figuresIn(out_of_place.is_object() ? out_of_place : memberIn(row, "in_place"),
                                       {"time", "alg_bw", "bus_bw", "nwrong"});
        point.bytes = integerIn(row, "size").value_or(-1);
        point.dtype = textIn(row, "type");
        if (figures && point.bytes >= 0)
            rows.add(point, *figures);
        else
            rows.addUnread();
    }
}

void takeList(const Json& list, NcclTestsRows& rows)
{
    for (const Json& row : list) {
        if (integerIn(row, "inPlace").value_or(0) != 0)
            continue;
        const auto figures = figuresIn(row, {"time", "algBw", "busBw", "wrong"});
        BandwidthPoint point{textIn(row, "name"), textIn(row, "type"), integerIn(row, "size").value_or(-1)};
        if (figures && point.bytes >= 0)
            rows.add(std::move(point), *figures);
        else
            rows.addUnread();
    }
}

} // namespace

bool looksLikeNcclTestsJson(std::string_view head)
{
    const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
    const std::size_t first = head.find_first_not_of(" \n\r\t");
    if (first == std::string_view::npos || has("\"traceEvents\""))
        return false;
    return (head[first] == '{' && has("\"start_time\"") && has("\"args\"") && has("_perf"))
           || (head[first] == '[' && has("\"algBw\"") && has("\"busBw\""));
}

std::optional<Rejection> readNcclTestsJson(ReadJob& job, TraceFile& file)
{
    const auto text = readWholeForTree(job.stream, largest_report);
    if (!text)
        return Rejection{"the report of nccl-tests is larger than 256 MiB, or than memory suffices for"};
    file.bytes_uncompressed = static_cast<std::int64_t>(text->size());
    const Json report = parsedJson(*text);
    if (report.is_discarded())
        return Rejection{"this looks like a report of nccl-tests, but its JSON is damaged"};
    NcclTestsRows rows;
    if (report.is_array())
        takeList(report, rows);
    else
        takeReport(report, rows);
    file.format = "nccl_tests";
    if (!rows.fill(file))
        return Rejection{"not one row of this report of nccl-tests could be read"};
    for (const ImportWarning& warning : file.warnings)
        job.warnings.add(warning);
    return std::nullopt;
}

} // namespace shardscope
