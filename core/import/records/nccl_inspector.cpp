// NCCL Inspector: one JSON object for each operation.
//   {"header": {"id": "0x7f", "rank": 2, "n_ranks": 8, "nnodes": 1}, "metadata": {...},
//    "coll_perf": {"coll": "AllReduce", "coll_msg_size_bytes": 1024, "coll_exec_time_us": 12,
//    "coll_busbw_gbs": 4.8, ...}}
#include "core/base/median.h"
#include "core/import/json/json_fields.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

constexpr std::size_t longest_object = std::size_t{1} << 20;

// Gathers equal operations, with the times of all of them.
class Operations
{
public:
    // False where the object tells of none.
    bool take(const Json& object);
    bool isEmpty() const { return m_operations.empty(); }
    // In the largest communicator; -1: not told.
    std::int64_t rank() const { return world().rank; }
    void fill(TraceFile& file) const;

private:
    struct Header {
        std::string communicator;
        std::string name;
        std::int64_t rank = -1;
        std::int64_t ranks = 0;
    };
    struct Figures {
        std::vector<double> times_s;
        std::vector<double> algbw_GBps;
        std::vector<double> busbw_GBps;
    };
    // Operation, bytes, peer, communicator.
    using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::string>;

    void takeHeader(const Json& header);
    Header world() const;
    void noteWhatIsLost(TraceFile& file) const;
    void fillRow(const Key& key, const Figures& figures, const Header& world, TraceFile& file) const;

    Header m_header; // of the last object that had one; the newest files give it once
    std::map<std::string, Header> m_communicators;
    std::map<Key, Figures> m_operations;
    // By communicator and counter: what Inspector itself has lost.
    std::map<std::pair<std::string, std::string>, std::int64_t> m_dropped;
};

void Operations::takeHeader(const Json& header)
{
    if (!header.is_object())
        return;
    m_header = {textIn(header, "id"), textIn(header, "comm_name"), integerIn(header, "rank").value_or(-1),
                integerIn(header, "n_ranks").value_or(0)};
    m_communicators[m_header.communicator] = m_header;
}

bool Operations::take(const Json& object)
{
    takeHeader(memberIn(object, "header"));
    const Json& collective = memberIn(object, "coll_perf");
    const Json& message = memberIn(object, "p2p_perf");
    const bool is_message = message.is_object();
    for (const char* const total : {"coll_dropped_total", "p2p_dropped_total"})
        if (const auto dropped = integerIn(memberIn(object, "dump_stats"), total)) {
            std::int64_t& most = m_dropped[{m_header.communicator, total}];
            most = std::max(most, *dropped);
        }
    if (!collective.is_object() && !is_message)
        return memberIn(object, "header").is_object() || memberIn(object, "metadata").is_object()
               || memberIn(object, "dump_stats").is_object() || memberIn(object, "proxy_trace").is_object();
    const Json& figures = is_message ? message : collective;
    const std::string prefix = is_message ? "p2p" : "coll";
    const std::string name = textIn(figures, prefix);
    const std::int64_t bytes = integerIn(figures, prefix + "_msg_size_bytes").value_or(-1);
    if (name.empty() || bytes < 0)
        return false;
    const std::int64_t peer = is_message ? integerIn(figures, "p2p_peer").value_or(-1) : -1;
    Figures& row = m_operations[{name, bytes, peer, m_header.communicator}];
    row.times_s.push_back(numberIn(figures, prefix + "_exec_time_us").value_or(0.0) * 1e-6);
    row.algbw_GBps.push_back(numberIn(figures, prefix + "_algobw_gbs").value_or(0.0));
    row.busbw_GBps.push_back(numberIn(figures, prefix + "_busbw_gbs").value_or(0.0));
    return true;
}

Operations::Header Operations::world() const
{
    Header world;
    for (const auto& [id, header] : m_communicators)
        if (header.ranks > world.ranks)
            world = header;
    return world;
}

void Operations::fill(TraceFile& file) const
{
    const Header world = this->world();
    for (const auto& [id, header] : m_communicators)
        file.groups.push_back({id, header.name, {}, header.ranks});
    file.rank_is_known = world.rank >= 0;
    file.rank = std::max<std::int64_t>(world.rank, 0);
    file.world_size = world.ranks;
    noteWhatIsLost(file);
    for (const auto& [key, figures] : m_operations)
        fillRow(key, figures, world, file);
}

void Operations::noteWhatIsLost(TraceFile& file) const
{
    std::int64_t dropped = 0;
    for (const auto& [counter, count] : m_dropped)
        dropped += count;
    if (dropped > 0)
        file.notes.push_back("NCCL Inspector has lost " + std::to_string(dropped)
                             + (dropped == 1 ? " operation before it wrote it: it is missing here."
                                             : " operations before it wrote them: they are missing here."));
}

void Operations::fillRow(const Key& key, const Figures& figures, const Header& world, TraceFile& file) const
{
    const auto& [name, bytes, peer, communicator] = key;
    SizedCall call;
    call.name = name;
    // The size is a rank's part: bandwidths follow from it times the ranks.
    (name == "ReduceScatter" ? call.out_bytes : call.in_bytes) = bytes;
    call.group = communicator;
    if (const auto known = m_communicators.find(communicator); known != m_communicators.end()) {
        call.group_size = known->second.ranks;
        call.group_description = known->second.name;
    }
    call.peer = communicator == world.communicator ? peer : -1;
    std::map<double, std::int64_t> calls_by_time; // few, as times are whole microseconds
    for (const double time_s : figures.times_s)
        ++calls_by_time[time_s];
    for (const auto& [time_s, count] : calls_by_time) {
        call.time_s = time_s;
        call.count = count;
        file.calls.push_back(call);
    }
    const bool is_part = name == "ReduceScatter" || name == "AllGather";
    file.points.push_back({name, "", is_part && call.group_size > 0 ? bytes * call.group_size : bytes,
                           median(figures.times_s), median(figures.algbw_GBps), median(figures.busbw_GBps)});
}

// What each process wrote, by host and number. A file of several is taken apart by their ranks.
class Processes
{
public:
    bool take(const Json& object)
    {
        const Json& metadata = memberIn(object, "metadata");
        if (metadata.is_object())
            m_writer =
                textIn(metadata, "hostname") + ':' + std::to_string(integerIn(metadata, "pid").value_or(0));
        return m_operations[m_writer].take(object);
    }

    void fill(TraceFile& file, std::vector<TraceFile>& further)
    {
        std::erase_if(m_operations, [](const auto& process) { return process.second.isEmpty(); });
        std::map<std::int64_t, const Operations*> by_rank;
        for (const auto& [writer, operations] : m_operations)
            by_rank.emplace(operations.rank(), &operations);
        const bool is_told = by_rank.size() == m_operations.size() && !by_rank.contains(-1);
        if (m_operations.size() < 2 || !is_told) {
            for (const auto& [writer, operations] : m_operations)
                operations.fill(file);
            if (m_operations.size() < 2)
                return;
            file.rank_is_known = false;
            file.notes.push_back("the calls of " + std::to_string(m_operations.size())
                                 + " processes stand with one rank: the file does not tell theirs");
            return;
        }
        const std::string path = file.path;
        for (const auto& [rank, operations] : by_rank) {
            TraceFile& of_rank = operations == by_rank.begin()->second ? file : further.emplace_back();
            of_rank.path = path + "/rank " + std::to_string(rank);
            of_rank.format = "nccl_inspector";
            operations->fill(of_rank);
        }
    }

private:
    std::map<std::string, Operations> m_operations;
    std::string m_writer; // of the object at hand; the newest files give it once
};

// Whether an object goes on, as far as lines were taken: braces within strings are none.
class Braces
{
public:
    void take(std::string_view line)
    {
        for (const char letter : line) {
            if (m_in_string) {
                m_in_string = m_is_escaped || letter != '"';
                m_is_escaped = letter == '\\' && !m_is_escaped;
            } else if (letter == '"') {
                m_in_string = true;
            } else {
                m_depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
            }
        }
        m_in_string = false; // no string goes on in another line
        m_is_escaped = false;
    }
    bool areOpen() const { return m_depth > 0; }

private:
    int m_depth = 0;
    bool m_in_string = false;
    bool m_is_escaped = false;
};

} // namespace

bool looksLikeNcclInspector(std::string_view head)
{
    const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
    return head.find_first_not_of(" \n\r\t") == head.find('{')
           && (has("\"coll_perf\"") || has("\"p2p_perf\"") || has("\"inspector_output_format_version\""));
}

std::optional<Rejection> readNcclInspector(ReadJob& job, TraceFile& file)
{
    LineReader lines(job.stream);
    std::string_view line;
    std::string object; // of several lines, where the file is laid out so
    Braces braces;
    Processes processes;
    while (lines.next(line)) {
        if (!job.control.goOn(job.thread))
            return Rejection{"stopped"};
        object += line;
        braces.take(line);
        if (braces.areOpen() && object.size() < longest_object)
            continue;
        const bool is_blank = object.find_first_not_of(" \r\t") == std::string::npos;
        const Json parsed = is_blank ? Json() : parsedJson(object);
        if (!is_blank && (parsed.is_discarded() || !processes.take(parsed)))
            job.warnings.add("line that is no record", lines.bytesRead());
        object.clear();
        braces = {};
    }
    if (!object.empty())
        job.warnings.add("the file ends within a record", lines.bytesRead());
    file.bytes_uncompressed = lines.bytesRead();
    file.format = "nccl_inspector";
    processes.fill(file, job.further);
    if (file.calls.empty())
        return Rejection{"not one operation of this NCCL Inspector file could be read"};
    return std::nullopt;
}

} // namespace shardscope
