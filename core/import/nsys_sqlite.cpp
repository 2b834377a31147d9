// Nsight Systems, exported as SQLite: kernels, copies, CUDA calls, NVTX ranges and calls of the operating
// system. The tables are those of its exporter's documentation; their columns differ from version to version.
#include "core/import/collective_links.h"
#include "core/import/json_fields.h"
#include "core/import/json_members.h"
#include "core/import/nsys_tracks.h"
#include "core/import/sqlite_database.h"
#include "core/import/trace_format.h"
#include "core/import/whole_text.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <set>
#include <unordered_map>

namespace shardscope
{

namespace
{

constexpr std::string_view magic{"SQLite format 3\0", 16};
constexpr std::size_t largest_in_memory = std::size_t{4} << 30; // for exports that lie in an archive

// ENUM_CUDA_MEMCPY_OPER, in the words of PyTorch's profiler.
std::string copyName(std::int64_t kind)
{
    constexpr std::array<std::string_view, 14> names{"unknown",
                                                     "HtoD",
                                                     "DtoH",
                                                     "HtoA",
                                                     "AtoH",
                                                     "AtoA",
                                                     "AtoD",
                                                     "DtoA",
                                                     "DtoD",
                                                     "HtoH",
                                                     "PtoP",
                                                     "HtoD (unified memory)",
                                                     "DtoH (unified memory)",
                                                     "DtoD (unified memory)"};
    const bool is_known = kind >= 0 && kind < static_cast<std::int64_t>(names.size());
    return "Memcpy " + std::string(names[is_known ? static_cast<std::size_t>(kind) : 0]);
}

class NsysReader
{
public:
    NsysReader(const SqliteDatabase& database, ReadJob& job)
        : m_database(database), m_job(job), m_tracks(database, m_builder)
    {
    }

    // Why nothing could be read.
    std::optional<Rejection> read(TraceFile& file);

private:
    // What the rows of one table become.
    struct Table {
        std::string name;
        std::string_view category;
        std::vector<std::string> wanted; // behind start and end; null where the table has no such column
        std::string condition = {};
    };
    struct Span {
        TraceTime start = 0;
        TraceTime duration = 0;
    };

    template<class Take>
    void readRows(const Table& table, const Take& take);
    std::optional<Span> spanOf(const SqliteRow& row);
    void readNames();
    void readOrigin();
    void readKernels();
    void readCopies();
    void takeMove(const SqliteRow& row, const Span& span, NameId name, std::string_view category);
    void readSets();
    void readWaits();
    void readCalls(const std::string& table, std::string_view category);
    void readRanges();
    void takeNcclRange(std::string_view name, const std::string& payload, const Span& span, TrackIndex track);

    Rejection whyNoTable() const;
    static std::int64_t correlationOf(std::int64_t global_id, std::int64_t correlation);
    void readGraphs();
    NameId name(std::optional<std::int64_t> id) const;
    EventIndex add(TrackIndex track, const Span& span, NameId name, std::string_view category)
    {
        return m_builder.addEvent(track, span.start, span.duration, name, m_builder.intern(category));
    }

    const SqliteDatabase& m_database;
    ReadJob& m_job;
    TraceBuilder m_builder;
    NsysTracks m_tracks;
    TraceTime m_origin = 0; // of the session, since 1970
    std::unordered_map<std::int64_t, NameId> m_names;
    std::set<std::int64_t> m_processes; // that ran kernels
    std::vector<std::string> m_notes;
    CollectiveLinks m_links;
    bool m_has_table = false;
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

std::optional<NsysReader::Span> NsysReader::spanOf(const SqliteRow& row)
{
    const auto start = row.integer(0);
    const auto end = row.integer(1);
    Span span;
    TraceTime absolute_end = 0;
    if (!start || !end)
        m_job.warnings.add("row without a beginning or an end");
    else if (*end < *start)
        m_job.warnings.add("event of negative duration");
    else if (__builtin_add_overflow(*start, m_origin, &span.start)
             || __builtin_add_overflow(*end, m_origin, &absolute_end)
             || __builtin_sub_overflow(absolute_end, span.start, &span.duration))
        m_job.warnings.add("time beyond what 64 bits of nanoseconds hold");
    else
        return span;
    return std::nullopt;
}

void NsysReader::readNames()
{
    if (m_database.columns("StringIds").contains("value"))
        m_database.read("SELECT id, value FROM StringIds", [&](const SqliteRow& row) {
            const std::string text(row.text(1).value_or(""));
            m_names[row.integer(0).value_or(-1)] = m_builder.intern(repairedUtf8(text).value_or(text));
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

NameId NsysReader::name(std::optional<std::int64_t> id) const
{
    const auto found = m_names.find(id.value_or(-1));
    return found != m_names.end() ? found->second : no_name;
}

// Each process counts its own calls.
std::int64_t NsysReader::correlationOf(std::int64_t global_id, std::int64_t correlation)
{
    return (nsysProcessOf(global_id) << 32) | (correlation & 0xffffffff);
}

void NsysReader::readKernels()
{
    const Table table{"CUPTI_ACTIVITY_KIND_KERNEL",
                      "kernel",
                      {"deviceId", "streamId", "correlationId", "globalPid", "demangledName", "shortName"}};
    readRows(table, [&](const SqliteRow& row, const Span& span) {
        const NameId full = name(row.integer(6));
        const EventIndex event =
            add(m_tracks.ofStream(row.integer(2).value_or(0), row.integer(3).value_or(0)), span,
                full != no_name ? full : name(row.integer(7)), table.category);
        const std::int64_t process = row.integer(5).value_or(0);
        if (const auto correlation = row.integer(4))
            m_links.launched.push_back({correlationOf(process, *correlation), -1, event, true});
        m_processes.insert(nsysProcessOf(process));
    });
}

// Where graphs were recorded as a whole, their kernels are in no table.
void NsysReader::readGraphs()
{
    const Table table{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                      "kernel",
                      {"deviceId", "streamId", "correlationId", "globalPid", "graphId"}};
    std::int64_t graphs = 0;
    readRows(table, [&](const SqliteRow& row, const Span& span) {
        const std::string graph = "CUDA graph " + std::to_string(row.integer(6).value_or(0));
        const EventIndex event =
            add(m_tracks.ofStream(row.integer(2).value_or(0), row.integer(3).value_or(0)), span,
                m_builder.intern(graph), table.category);
        if (const auto correlation = row.integer(4))
            m_links.launched.push_back(
                {correlationOf(row.integer(5).value_or(0), *correlation), -1, event, false});
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
    readRows(table, [&](const SqliteRow& row, const Span& span) {
        takeMove(row, span, m_builder.intern(copyName(row.integer(4).value_or(0))), table.category);
    });
}

void NsysReader::readSets()
{
    const Table table{"CUPTI_ACTIVITY_KIND_MEMSET",
                      "gpu_memset",
                      {"deviceId", "streamId", "value", "correlationId", "bytes", "globalPid"}};
    readRows(table, [&](const SqliteRow& row, const Span& span) {
        takeMove(row, span, m_builder.intern("Memset"), table.category);
    });
}

// A row of copies or fills: device, stream, something of its own, correlation, bytes, process.
void NsysReader::takeMove(const SqliteRow& row, const Span& span, NameId name, std::string_view category)
{
    const EventIndex event =
        add(m_tracks.ofStream(row.integer(2).value_or(0), row.integer(3).value_or(0)), span, name, category);
    if (const auto correlation = row.integer(5))
        m_links.launched.push_back(
            {correlationOf(row.integer(7).value_or(0), *correlation), -1, event, false});
    if (const auto bytes = row.integer(6); bytes && *bytes >= 0)
        m_builder.addMemoryMove({event, *bytes, -1.0});
}

void NsysReader::readWaits()
{
    const Table table{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "cuda_sync", {"deviceId", "syncType"}};
    constexpr std::array<std::string_view, 5> names{"Synchronization", "Event Sync", "Stream Wait Event",
                                                    "Stream Sync", "Context Sync"};
    readRows(table, [&](const SqliteRow& row, const Span& span) {
        const std::int64_t type = row.integer(3).value_or(0);
        const bool is_known = type >= 0 && type < static_cast<std::int64_t>(names.size());
        add(m_tracks.ofStream(row.integer(2).value_or(0), -1), span,
            m_builder.intern(names[is_known ? static_cast<std::size_t>(type) : 0]), table.category);
    });
}

void NsysReader::readCalls(const std::string& table_name, std::string_view category)
{
    const Table table{table_name, category, {"globalTid", "nameId", "correlationId"}};
    readRows(table, [&](const SqliteRow& row, const Span& span) {
        const std::int64_t thread = row.integer(2).value_or(0);
        const TrackIndex track = m_tracks.ofThread(thread);
        const NameId called = name(row.integer(3));
        const EventIndex event =
            add(track, span, called != no_name ? called : m_builder.intern("unnamed call"), table.category);
        if (const auto correlation = row.integer(4))
            m_links.launches.push_back({span.start, correlationOf(thread, *correlation), track, event});
    });
}

// NVTX ranges: type 59 is pushed and popped, 60 is started and ended. Others have no duration.
void NsysReader::readRanges()
{
    const Table table{"NVTX_EVENTS",
                      "user_annotation",
                      {"globalTid", "text", "textId", "jsonText"},
                      " WHERE eventType IN (59, 60) AND \"end\" IS NOT NULL"};
    readRows(table, [&](const SqliteRow& row, const Span& span) {
        const TrackIndex track = m_tracks.ofThread(row.integer(2).value_or(0));
        const std::string text(row.text(3).value_or(""));
        const NameId called =
            text.empty() ? name(row.integer(4)) : m_builder.intern(repairedUtf8(text).value_or(text));
        add(track, span, called, table.category);
        takeNcclRange(m_builder.text(called), std::string(row.text(5).value_or("")), span, track);
    });
}

// NCCL marks its calls in its own domain, "ncclAllReduce", with the bytes of the rank's part as payload.
void NsysReader::takeNcclRange(std::string_view name, const std::string& payload, const Span& span,
                               TrackIndex track)
{
    constexpr std::array<std::string_view, 12> calls{
        "ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclReduce", "ncclBroadcast", "ncclBcast",
        "ncclAlltoAll",  "ncclAllToAll",  "ncclSend",          "ncclRecv",   "ncclGather",    "ncclScatter"};
    if (std::ranges::find(calls, name) == calls.end())
        return;
    CommunicationRow row;
    row.start = span.start;
    row.end = span.start + span.duration;
    row.track = track;
    row.call.name = m_builder.intern(name.substr(4));
    if (name == "ncclAlltoAll" || name == "ncclAllToAll")
        return m_links.communications.push_back(
            row); // the payload is one peer's part; of how many is not told
    const nlohmann::json values = parsedJson(payload);
    if (const auto bytes = integerIn(values, "Message size [bytes]"); bytes && *bytes >= 0) {
        const bool is_part_of_input = name == "ncclReduceScatter" || name == "ncclScatter";
        (is_part_of_input ? row.call.out_bytes : row.call.in_bytes) = *bytes;
        row.call.sizes_from = SizesFrom::annotation;
    }
    m_links.communications.push_back(row);
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
    linkLaunches(m_links, m_builder);
    linkCollectives(std::move(m_links), m_builder);
    m_tracks.nameAll();
    file.devices = m_tracks.devices();
    file.store = m_builder.finish();
    file.notes = std::move(m_notes);
    if (m_origin == 0)
        file.notes.push_back(
            "the export does not tell when the session began: its times cannot be laid beside "
            "those of other files");
    if (m_processes.size() > 1)
        file.notes.push_back("the export holds " + std::to_string(m_processes.size())
                             + " processes with kernels; they are shown as one rank");
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
