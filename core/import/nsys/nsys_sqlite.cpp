// Nsight Systems, exported as SQLite: kernels, copies, CUDA calls, NVTX ranges and calls of the operating
// system. The tables are those of its exporter's documentation; their columns differ from version to version.
#include "core/import/json/json_members.h"
#include "core/import/nsys/nsys_processes.h"
#include "core/import/nsys/sqlite_database.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

namespace shardscope
{

namespace
{

constexpr std::string_view magic{"SQLite format 3\0", 16};
constexpr std::size_t largest_in_memory = std::size_t{4} << 30; // for exports that lie in an archive

// Takes an export apart by its processes: each one that ran kernels is a rank.
class NsysReader
{
public:
    NsysReader(const SqliteDatabase& database, ReadJob& job)
        : m_database(database), m_job(job), m_payloads(database)
    {
    }

    // Why nothing could be read. Ranks beyond the first are the job's further files.
    std::optional<Rejection> read(TraceFile& file);

private:
    // What the rows of one table become.
    struct Table {
        std::string name;
        std::string_view category;
        std::vector<std::string> wanted; // behind start and end; null where the table has no such column
        std::string condition = {};
    };

    template<class Take>
    void readRows(const Table& table, const Take& take);
    std::optional<NsysSpan> spanOf(const SqliteRow& row);
    void readNames();
    void readOrigin();
    void readKernels();
    void readCopies();
    void takeMove(const SqliteRow& row, const NsysSpan& span, std::string_view name,
                  std::string_view category);
    void readSets();
    void readWaits();
    void readCalls(const std::string& table, std::string_view category);
    void readRanges();
    void readGraphs();
    Rejection whyNoTable() const;

    const SqliteDatabase& m_database;
    ReadJob& m_job;
    NsysPayloads m_payloads;
    NsysTexts m_texts;
    TraceTime m_origin = 0; // of the session, since 1970
    NsysProcesses m_processes{m_database, m_texts};
    std::vector<std::string> m_notes;
    bool m_has_table = false;
    std::size_t m_events = 0; // of all processes
};

// Reads start and end, then the wanted columns from 2 on.
template<class Take>
void NsysReader::readRows(const Table& table, const Take& take)
{
    const std::set<std::string> columns = m_database.columns(table.name);
    if (!columns.contains("start") || !columns.contains("end"))
        return;
    m_has_table = true;
    std::string question = "SELECT start, \"end\"";
    for (const std::string& column : table.wanted)
        question += columns.contains(column) ? ", \"" + column + "\"" : ", NULL";
    std::int64_t rows = 0;
    const auto error =
        m_database.read(question + " FROM " + table.name + table.condition, [&](const SqliteRow& row) {
            if (const auto span = spanOf(row))
                take(row, *span);
            return ++rows % 4096 != 0 || m_job.control.goOn(m_job.thread);
        });
    if (error)
        m_job.warnings.add("table that is damaged (" + table.name + "): " + error->sentence);
}

std::optional<NsysSpan> NsysReader::spanOf(const SqliteRow& row)
{
    const auto start = row.integer(0);
    const auto end = row.integer(1);
    NsysSpan span;
    TraceTime absolute_end = 0;
    if (!start || !end)
        m_job.warnings.add("row without a beginning or an end");
    else if (*end < *start)
        m_job.warnings.add("event of negative duration");
    else if (__builtin_add_overflow(*start, m_origin, &span.start)
             || __builtin_add_overflow(*end, m_origin, &absolute_end)
             || __builtin_sub_overflow(absolute_end, span.start, &span.duration))
        m_job.warnings.add("time beyond what 64 bits of nanoseconds hold");
    else if (m_events++ >= TraceBuilder::most_events)
        m_job.warnings.add("event beyond the 4,294,967,295 that are kept of one file");
    else
        return span;
    return std::nullopt;
}

void NsysReader::readNames()
{
    if (m_database.columns("StringIds").contains("value"))
        m_database.read("SELECT id, value FROM StringIds", [&](const SqliteRow& row) {
            const std::string text(row.text(1).value_or(""));
            m_texts[row.integer(0).value_or(-1)] = repairedUtf8(text).value_or(text);
            return true;
        });
}

// Old exports do not tell when the session began: their times count from there.
void NsysReader::readOrigin()
{
    if (m_database.columns("TARGET_INFO_SESSION_START_TIME").contains("utcEpochNs"))
        m_database.read("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME", [&](const SqliteRow& row) {
            m_origin = std::max<TraceTime>(row.integer(0).value_or(0), 0);
            return false;
        });
}

void NsysReader::readKernels()
{
    const Table table{"CUPTI_ACTIVITY_KIND_KERNEL",
                      "kernel",
                      {"deviceId", "streamId", "correlationId", "globalPid", "demangledName", "shortName"}};
    readRows(table, [&](const SqliteRow& row, const NsysSpan& span) {
        const std::int64_t global_id = row.integer(5).value_or(0);
        NsysProcess& process = m_processes.add(global_id);
        const NameId full = process.name(row.integer(6).value_or(-1));
        const EventIndex event = process.add(
            process.tracks().ofStream(row.integer(2).value_or(0), row.integer(3).value_or(0)), span,
            full != no_name ? full : process.name(row.integer(7).value_or(-1)), table.category);
        if (const auto correlation = row.integer(4))
            process.links().launched.push_back({process.ownCall(global_id, *correlation), -1, event, true});
    });
}

// Where graphs were recorded as a whole, their kernels are in no table.
void NsysReader::readGraphs()
{
    const Table table{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                      "kernel",
                      {"deviceId", "streamId", "correlationId", "globalPid", "graphId"}};
    std::int64_t graphs = 0;
    readRows(table, [&](const SqliteRow& row, const NsysSpan& span) {
        const std::int64_t global_id = row.integer(5).value_or(0);
        NsysProcess& process = m_processes.add(global_id);
        const std::string graph = "CUDA graph " + std::to_string(row.integer(6).value_or(0));
        const EventIndex event =
            process.add(process.tracks().ofStream(row.integer(2).value_or(0), row.integer(3).value_or(0)),
                        span, process.intern(graph), table.category);
        if (const auto correlation = row.integer(4))
            process.links().launched.push_back({process.ownCall(global_id, *correlation), -1, event, false});
        ++graphs;
    });
    if (graphs > 0)
        m_notes.push_back(
            std::to_string(graphs)
            + " runs of CUDA graphs were recorded as a whole and count as computation, what they "
              "send included: record with --cuda-graph-trace=node to see inside");
}

void NsysReader::readCopies()
{
    const Table table{"CUPTI_ACTIVITY_KIND_MEMCPY",
                      "gpu_memcpy",
                      {"deviceId", "streamId", "copyKind", "correlationId", "bytes", "globalPid"}};
    readRows(table, [&](const SqliteRow& row, const NsysSpan& span) {
        takeMove(row, span, nsysCopyName(row.integer(4).value_or(0)), table.category);
    });
}

void NsysReader::readSets()
{
    const Table table{"CUPTI_ACTIVITY_KIND_MEMSET",
                      "gpu_memset",
                      {"deviceId", "streamId", "value", "correlationId", "bytes", "globalPid"}};
    readRows(table, [&](const SqliteRow& row, const NsysSpan& span) {
        takeMove(row, span, "Memset", table.category);
    });
}

// A row of copies or fills: device, stream, something of its own, correlation, bytes, process.
void NsysReader::takeMove(const SqliteRow& row, const NsysSpan& span, std::string_view name,
                          std::string_view category)
{
    NsysProcess& process = m_processes.of(row.integer(7));
    const EventIndex event =
        process.add(process.tracks().ofStream(row.integer(2).value_or(0), row.integer(3).value_or(0)), span,
                    process.intern(name), category);
    if (const auto correlation = row.integer(5))
        process.links().launched.push_back(
            {process.ownCall(row.integer(7).value_or(0), *correlation), -1, event, false});
    if (const auto bytes = row.integer(6); bytes && *bytes >= 0)
        process.addMemoryMove({event, *bytes, -1.0});
}

void NsysReader::readWaits()
{
    const Table table{
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "cuda_sync", {"deviceId", "syncType", "globalPid"}};
    readRows(table, [&](const SqliteRow& row, const NsysSpan& span) {
        NsysProcess& process = m_processes.of(row.integer(4));
        process.add(process.tracks().ofStream(row.integer(2).value_or(0), -1), span,
                    process.intern(nsysWaitName(row.integer(3).value_or(0))), table.category);
    });
}

void NsysReader::readCalls(const std::string& table_name, std::string_view category)
{
    const Table table{table_name, category, {"globalTid", "nameId", "correlationId"}};
    readRows(table, [&](const SqliteRow& row, const NsysSpan& span) {
        const std::int64_t thread = row.integer(2).value_or(0);
        NsysProcess& process = m_processes.of(row.integer(2));
        const TrackIndex track = process.tracks().ofThread(thread);
        const NameId called = process.name(row.integer(3).value_or(-1));
        const EventIndex event = process.add(
            track, span, called != no_name ? called : process.intern("unnamed call"), table.category);
        if (const auto correlation = row.integer(4))
            process.links().launches.push_back(
                {span.start, process.ownCall(thread, *correlation), track, event});
    });
}

// NVTX ranges: type 59 is pushed and popped, 60 is started and ended. Others have no duration.
void NsysReader::readRanges()
{
    const Table table{"NVTX_EVENTS",
                      "user_annotation",
                      {"globalTid", "text", "textId", "jsonText", "binaryData"},
                      " WHERE eventType IN (59, 60) AND \"end\" IS NOT NULL"};
    readRows(table, [&](const SqliteRow& row, const NsysSpan& span) {
        NsysProcess& process = m_processes.of(row.integer(2));
        const TrackIndex track = process.tracks().ofThread(row.integer(2).value_or(0));
        const std::string text(row.text(3).value_or(""));
        const NameId called = text.empty() ? process.name(row.integer(4).value_or(-1))
                                           : process.intern(repairedUtf8(text).value_or(text));
        process.add(track, span, called, table.category);
        if (!process.isOfNccl(called))
            return;
        const std::string_view json = row.text(5).value_or("");
        const NcclPayload payload = json.empty() ? m_payloads.ofBytes(row.blob(6)) : m_payloads.ofText(json);
        process.takeNcclRange(called, payload, span, track);
    });
}

Rejection NsysReader::whyNoTable() const
{
    if (const auto damage = m_database.damage())
        return {"this SQLite file is damaged or was cut short (" + damage->sentence + "): export it again"};
    return {"this SQLite file is no export of Nsight Systems: it has none of its tables", true};
}

std::optional<Rejection> NsysReader::read(TraceFile& file)
{
    readOrigin();
    readNames();
    readKernels();
    readGraphs();
    m_processes.sort();
    readCopies();
    readSets();
    readWaits();
    readCalls("CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime");
    readCalls("OSRT_API", "os_runtime");
    readRanges();
    if (m_job.control.isStopped())
        return Rejection{"stopped"};
    if (!m_has_table)
        return whyNoTable();
    if (m_origin == 0)
        m_notes.push_back("the export does not tell when the session began: its times cannot be laid beside "
                          "those of other files");
    file.notes = m_notes;
    m_processes.finish(file, m_job.further);
    return std::nullopt;
}

} // namespace

bool looksLikeSqlite(std::string_view head)
{
    return head.starts_with(magic);
}

std::optional<Rejection> readNsysSqlite(ReadJob& job, TraceFile& file)
{
    std::array<char, magic.size()> first{};
    std::ifstream(job.path, std::ios::binary).read(first.data(), first.size());
    const bool is_plain = std::string_view(first.data(), first.size()) == magic;
    std::optional<std::string> content;
    if (!is_plain) {
        content = readWhole(job.stream, largest_in_memory);
        if (!content)
            return Rejection{"the export is larger than 4 GiB: unpack it and open the .sqlite file itself"};
    }
    const Result<SqliteDatabase> database =
        is_plain ? SqliteDatabase::open(job.path) : SqliteDatabase::open(*content);
    if (!database)
        return Rejection{database.error().sentence};
    std::error_code unknown;
    file.format = "nsys_sqlite";
    file.bytes_uncompressed = is_plain
                                  ? static_cast<std::int64_t>(std::filesystem::file_size(job.path, unknown))
                                  : static_cast<std::int64_t>(content->size());
    return NsysReader(database.value(), job).read(file);
}

} // namespace shardscope
