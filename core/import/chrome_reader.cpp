#include "core/import/chrome_assembler.h"
#include "core/import/chrome_header.h"
#include "core/import/chrome_parser.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace shardscope
{

namespace
{

constexpr auto patience = std::chrono::milliseconds(40);

// Reads one file piece by piece on as many threads as have time: cutting is done by one at a time, parsing
// side by side, and the rows are put together in order by whoever finds the next ones, once it is known where
// time begins.
class ChromeReader
{
public:
    explicit ChromeReader(ReadJob& job)
        : m_job(job), m_cutter(job.stream), m_chunks(job.control.threads()), m_parsers(job.control.threads())
    {
    }

    void readPieces()
    {
        m_job.control.runShared(m_job.thread, [this](std::size_t thread) { return readPiece(thread); });
    }

    std::optional<Rejection> fill(TraceFile& file);

private:
    bool readPiece(std::size_t thread);
    bool takeTurn(std::size_t thread);
    void endTurn();
    bool cutNext(EventChunk& chunk);
    struct EndOfTurn {
        void operator()(ChromeReader* reader) const { reader->endTurn(); }
    };
    void findBase();
    void assemble();
    std::optional<Rejection> whyNothing(const ChromeAssembler& assembler) const;
    void drain();

    ReadJob& m_job;
    std::mutex m_cutting; // guards whose turn it is
    std::condition_variable m_cut;
    bool m_is_cutting = false;
    EventCutter m_cutter; // of whose turn it is, as what follows up to the rows
    std::int64_t m_bytes_reported = 0;
    std::vector<EventChunk> m_chunks; // by thread
    std::vector<std::unique_ptr<ChromeParser>> m_parsers;
    bool m_looked_for_base = false;
    std::mutex m_collecting;                   // guards the rows
    std::map<std::int64_t, ChromeRows> m_rows; // by number
    std::mutex m_assembling;                   // guards the assembler
    std::optional<ChromeAssembler> m_assembler;
    std::int64_t m_next_rows = 0;
    std::int64_t m_bytes_behind = 0;
};

bool ChromeReader::readPiece(std::size_t thread)
{
    if (m_job.control.isStopped())
        return false;
    EventChunk& chunk = m_chunks[thread];
    if (!takeTurn(thread))
        return false;
    {
        const std::unique_ptr<ChromeReader, EndOfTurn> turn(this); // ends it whatever happens
        if (!cutNext(chunk))
            return false;
    }
    if (!m_parsers[thread])
        m_parsers[thread] = std::make_unique<ChromeParser>(thread);
    ChromeRows rows = m_parsers[thread]->parse(chunk);
    {
        const std::lock_guard lock(m_collecting);
        m_rows.emplace(rows.number, std::move(rows));
    }
    assemble();
    return m_job.control.goOn(thread);
}

// Cutting is one thread's at a time and may take long where nothing is found: who waits still tells how it
// goes, and hears when to stop. False: stop.
bool ChromeReader::takeTurn(std::size_t thread)
{
    std::unique_lock lock(m_cutting);
    while (!m_cut.wait_for(lock, patience, [this] { return !m_is_cutting; })) {
        lock.unlock();
        if (!m_job.control.goOn(thread))
            return false;
        lock.lock();
    }
    m_is_cutting = true;
    return true;
}

void ChromeReader::endTurn()
{
    {
        const std::lock_guard lock(m_cutting);
        m_is_cutting = false;
    }
    m_cut.notify_one();
}

// In one's turn: puts the next events into the chunk.
bool ChromeReader::cutNext(EventChunk& chunk)
{
    const bool has_more = m_cutter.next(chunk);
    const std::int64_t bytes = m_job.stream.bytesOfFile();
    m_job.control.addBytes(bytes - m_bytes_reported);
    m_bytes_reported = bytes;
    if (has_more && !std::exchange(m_looked_for_base, true))
        findBase();
    return has_more;
}

// Nearly every file tells its base before the events.
void ChromeReader::findBase()
{
    if (!m_cutter.header().contains("baseTimeNanoseconds"))
        return;
    const std::lock_guard lock(m_assembling);
    m_assembler.emplace(readChromeHeader(m_cutter.header()).base_ns);
}

// Adds the rows that come next, as far as they are there and nobody else is at it.
void ChromeReader::assemble()
{
    const std::unique_lock lock(m_assembling, std::try_to_lock);
    if (!lock || !m_assembler)
        return;
    while (true) {
        ChromeRows rows;
        {
            const std::lock_guard collecting(m_collecting);
            const auto next = m_rows.find(m_next_rows);
            if (next == m_rows.end())
                return;
            rows = std::move(next->second);
            m_rows.erase(next);
        }
        ++m_next_rows;
        m_assembler->add(std::move(rows));
    }
}

std::optional<Rejection> ChromeReader::fill(TraceFile& file)
{
    std::vector<EventChunk>().swap(m_chunks);
    const ChromeHeader header = readChromeHeader(m_cutter.header());
    if (!m_assembler)
        m_assembler.emplace(header.base_ns);
    assemble();
    ChromeAssembler& assembler = *m_assembler;
    for (std::size_t worker = 0; worker < m_parsers.size(); ++worker) {
        if (m_parsers[worker])
            assembler.markGpus(worker, m_parsers[worker]->tables());
    }
    file.store = assembler.finish(m_job.control.threads());
    drain();
    m_job.warnings.add(m_cutter.warnings());
    m_job.warnings.add(assembler.warnings());
    file.format = header.is_kineto || assembler.hasKinetoCategories() ? "kineto" : "chrome";
    file.rank_is_known = header.rank.has_value();
    file.rank = header.rank.value_or(0);
    file.world_size = header.world_size;
    file.groups = header.groups;
    file.flows = assembler.flows();
    file.bytes_uncompressed = m_cutter.bytesRead() + m_bytes_behind;
    std::set<std::string> devices;
    for (const Track& track : file.store->tracks()) {
        if (track.is_gpu)
            devices.insert(track.pid);
    }
    file.devices = static_cast<std::int64_t>(devices.size());
    return whyNothing(assembler);
}

// Reads what lies behind the end, so that the file's size is told right.
void ChromeReader::drain()
{
    std::vector<char> buffer(64 * 1024);
    for (std::size_t got = buffer.size(); got == buffer.size() && !m_job.control.isStopped();) {
        got = m_job.stream.read(buffer);
        m_bytes_behind += static_cast<std::int64_t>(got);
    }
}

std::optional<Rejection> ChromeReader::whyNothing(const ChromeAssembler& assembler) const
{
    if (assembler.records() > 0)
        return std::nullopt;
    if (!m_cutter.isJson())
        return Rejection{"this is no trace that is known here: it does not begin like JSON", true};
    if (!m_cutter.foundEvents())
        return Rejection{"this JSON file has no \"traceEvents\": is it a trace of the PyTorch profiler, or "
                         "another file of "
                         "the run?",
                         true};
    if (!m_cutter.warnings().empty() || !assembler.warnings().empty())
        return Rejection{
            "not one event of this trace could be read: the file is damaged or was cut at its beginning"};
    return std::nullopt;
}

} // namespace

std::optional<Rejection> readChromeTrace(ReadJob& job, TraceFile& file)
{
    ChromeReader reader(job);
    reader.readPieces();
    if (job.control.isStopped())
        return Rejection{"stopped"};
    return reader.fill(file);
}

bool looksLikeChromeTrace(std::string_view head)
{
    if (head.starts_with("\xef\xbb\xbf"))
        head.remove_prefix(3);
    const std::size_t first = head.find_first_not_of(" \n\r\t");
    if (first == std::string_view::npos || (head[first] != '{' && head[first] != '['))
        return false;
    const std::size_t second = head.find_first_not_of(" \n\r\t", first + 1);
    const char next = second == std::string_view::npos ? '\0' : head[second];
    // "[2022-06-26 ..." begins a line of a log, "[[" a list of lists.
    return head[first] == '{' ? next == '"' || next == '}' || next == '\0'
                              : next == '{' || next == ']' || next == '\0';
}

} // namespace shardscope
