#include "core/import/chrome/chrome_assembler.h"
#include "core/import/chrome/chrome_header.h"
#include "core/import/chrome/chrome_parser.h"
#include "core/import/chrome/rank_processes.h"
#include "core/import/chrome/xla_devices.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

constexpr auto patience = std::chrono::milliseconds(40);
constexpr auto restless = std::chrono::microseconds(200); // cutting a piece takes less than being woken
constexpr int pauses_between_looks = 32;
constexpr TraceTime first_dated{1'000'000'000'000'000'000}; // in 2001; traces that count from 1970 are later

// Leaves the memory alone for some hundred cycles, without giving up the processor.
void pauseBetweenLooks()
{
    for (int i = 0; i < pauses_between_looks; ++i) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
    }
}

// Accelerators whose rows are not understood; empty: none.
std::string unreadDevices(const TraceStore& store, bool has_work_of_mtia)
{
    if (std::ranges::any_of(store.tracks(),
                            [](const Track& track) { return track.process_name == "Ascend Hardware"; }))
        return "Huawei's NPUs";
    return has_work_of_mtia ? "Meta's MTIA" : "";
}

// A piece that has been read.
struct ReadPiece {
    EventChunk chunk;
    ChromeRows rows;
    bool isWhole() const { return rows.bytes_read == chunk.size(); }
};

// Reads one file piece by piece on as many threads as have time. Where a piece ends is guessed, by one thread
// at a time, and they are read side by side; a piece counts once all before it were read to their ends, which
// proves that it began where an event begins. Behind a wrong guess pieces are cut exactly. The rows are put
// together in order by whoever finds the next ones, once it is known where time begins.
class ChromeReader
{
public:
    explicit ChromeReader(ReadJob& job)
        : m_job(job), m_cutter(job.stream), m_spare(job.control.threads()), m_parsers(job.control.threads())
    {
    }

    void readPieces()
    {
        m_job.control.runShared(m_job.thread, [this](std::size_t thread) { return readPiece(thread); });
    }

    std::optional<Rejection> fill(TraceFile& file);

private:
    bool readPiece(std::size_t thread);
    bool takeTurn(std::size_t thread, EventChunk& chunk);
    template<class Condition>
    bool waitUntil(std::unique_lock<std::mutex>& lock, std::size_t thread, const Condition& condition);
    void endTurn();
    bool cutNext(std::size_t thread, EventChunk& chunk);
    // Whether a guess is known to be wrong: nothing behind it counts, so it is to be taken back before more
    // pile up. Under the mutex.
    bool isWrong() const { return !m_waiting.empty() && m_waiting.begin()->first == m_settled; }
    bool settleAll(std::size_t thread);
    void takeBack();
    struct EndOfTurn {
        void operator()(ChromeReader* reader) const { reader->endTurn(); }
    };
    void findBase();
    void settle(ReadPiece piece);
    void assemble();
    std::optional<Rejection> whyNothing(const ChromeAssembler& assembler) const;
    void drain();
    void warnOfHeader(const ChromeHeader& header, TraceTime first_start);

    ReadJob& m_job;
    EventCutter m_cutter; // of whose turn it is, as what follows up to the mutex
    std::int64_t m_bytes_reported = 0;
    bool m_looked_for_base = false;
    std::mutex m_mutex; // guards what follows up to the parsers
    std::condition_variable m_changed;
    bool m_is_cutting = false;
    std::int64_t m_cut = 0;                               // pieces
    std::int64_t m_settled = 0;                           // those that count
    std::map<std::int64_t, ReadPiece> m_waiting;          // by number: read, but not all before them are
    std::vector<std::vector<EventChunk>> m_spare;         // by thread, in whose cache their memory is
    std::deque<ChromeRows> m_rows;                        // of the pieces that count
    std::vector<std::unique_ptr<ChromeParser>> m_parsers; // by thread
    std::mutex m_assembling;                              // guards the assembler
    std::optional<ChromeAssembler> m_assembler;
    std::int64_t m_bytes_behind = 0;
};

bool ChromeReader::readPiece(std::size_t thread)
{
    if (m_job.control.isStopped())
        return false;
    ReadPiece piece;
    if (!takeTurn(thread, piece.chunk))
        return false;
    {
        const std::unique_ptr<ChromeReader, EndOfTurn> turn(this); // ends it whatever happens
        if (!cutNext(thread, piece.chunk))
            return false;
    }
    if (!m_parsers[thread])
        m_parsers[thread] = std::make_unique<ChromeParser>(thread);
    piece.rows = m_parsers[thread]->parse(piece.chunk);
    settle(std::move(piece));
    assemble();
    return m_job.control.goOn(thread);
}

// Who waits still tells how it goes, and hears when to stop. False: stop.
template<class Condition>
bool ChromeReader::waitUntil(std::unique_lock<std::mutex>& lock, std::size_t thread,
                             const Condition& condition)
{
    while (!m_changed.wait_for(lock, patience, condition)) {
        lock.unlock();
        if (!m_job.control.goOn(thread))
            return false;
        lock.lock();
    }
    return true;
}

// Cutting is one thread's at a time, and may take long where nothing is found. Gives memory for a chunk, as
// long as not too much of it waits for a slower thread.
bool ChromeReader::takeTurn(std::size_t thread, EventChunk& chunk)
{
    const auto is_free = [&] {
        return !m_is_cutting && (m_waiting.size() < 2 * m_parsers.size() + 2 || isWrong());
    };
    std::unique_lock lock(m_mutex);
    for (const auto since = std::chrono::steady_clock::now();
         !is_free() && std::chrono::steady_clock::now() - since < restless;) {
        lock.unlock();
        pauseBetweenLooks();
        lock.lock();
    }
    if (!waitUntil(lock, thread, is_free))
        return false;
    m_is_cutting = true;
    if (std::vector<EventChunk>& spare = m_spare[thread]; !spare.empty()) {
        chunk = std::move(spare.back());
        spare.pop_back();
    }
    return true;
}

void ChromeReader::endTurn()
{
    {
        const std::lock_guard lock(m_mutex);
        m_is_cutting = false;
    }
    m_changed.notify_all();
}

// In one's turn: puts the next events into the chunk. False at the end, or where the import is to stop.
bool ChromeReader::cutNext(std::size_t thread, EventChunk& chunk)
{
    bool is_wrong = false;
    {
        const std::lock_guard lock(m_mutex);
        is_wrong = isWrong();
    }
    bool has_more = !is_wrong && m_cutter.guess(chunk);
    if (!has_more)
        has_more = settleAll(thread) && m_cutter.next(chunk);
    const std::int64_t bytes = m_job.stream.bytesOfFile();
    m_job.control.addBytes(bytes - m_bytes_reported);
    m_bytes_reported = bytes;
    if (has_more && !std::exchange(m_looked_for_base, true))
        findBase();
    const std::lock_guard lock(m_mutex);
    m_cut += has_more ? 1 : 0;
    return has_more;
}

// In one's turn: waits until every piece has been read, and takes back what was guessed wrong. False: stop.
bool ChromeReader::settleAll(std::size_t thread)
{
    std::unique_lock lock(m_mutex);
    const auto is_read = [this] { return m_settled + static_cast<std::int64_t>(m_waiting.size()) == m_cut; };
    if (!waitUntil(lock, thread, is_read))
        return false;
    if (!m_waiting.empty())
        takeBack();
    return true;
}

// The first piece that waits was guessed wrong. What was read of it holds; those behind it began anywhere.
void ChromeReader::takeBack()
{
    std::vector<const EventChunk*> pieces;
    for (auto& [number, piece] : m_waiting) {
        pieces.push_back(&piece.chunk);
        if (number == m_settled) {
            m_rows.push_back(std::move(piece.rows));
            continue;
        }
        ChromeRows news; // the tables keep them
        news.worker = piece.rows.worker;
        news.new_names = std::move(piece.rows.new_names);
        news.new_tracks = std::move(piece.rows.new_tracks);
        m_rows.push_back(std::move(news));
    }
    m_cutter.takeBack(pieces, m_rows[m_rows.size() - pieces.size()].bytes_read);
    m_settled = m_cut;
    m_waiting.clear();
}

// Nearly every file tells its base before the events.
void ChromeReader::findBase()
{
    if (!m_cutter.header().contains("baseTimeNanoseconds"))
        return;
    const std::lock_guard lock(m_assembling);
    m_assembler.emplace(readChromeHeader(m_cutter.header()).base_ns);
}

void ChromeReader::settle(ReadPiece piece)
{
    {
        const std::lock_guard lock(m_mutex);
        const std::int64_t number = piece.chunk.number;
        m_waiting.emplace(number, std::move(piece));
        for (auto next = m_waiting.begin();
             next != m_waiting.end() && next->first == m_settled && next->second.isWhole();
             next = m_waiting.erase(next)) {
            m_spare[next->second.rows.worker].push_back(std::move(next->second.chunk));
            m_rows.push_back(std::move(next->second.rows));
            ++m_settled;
        }
    }
    m_changed.notify_all();
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
            const std::lock_guard collecting(m_mutex);
            if (m_rows.empty())
                return;
            rows = std::move(m_rows.front());
            m_rows.pop_front();
        }
        m_assembler->add(std::move(rows));
    }
}

std::optional<Rejection> ChromeReader::fill(TraceFile& file)
{
    m_spare.clear();
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
    warnOfHeader(header, file.store->firstStart());
    file.format = header.is_kineto || assembler.hasKinetoCategories() ? "kineto" : "chrome";
    file.rank_is_known = header.rank.has_value();
    file.rank = header.rank.value_or(0);
    file.world_size = header.world_size;
    file.groups = header.groups;
    file.gpu = header.gpu;
    file.gpu_memory_bytes = header.gpu_memory_bytes;
    file.flows = assembler.flows();
    file.bytes_uncompressed = m_cutter.bytesRead() + m_bytes_behind;
    file.devices = devicesOf(*file.store);
    if (const std::string unread = unreadDevices(*file.store, assembler.hasWorkOfMtia());
        !unread.empty() && file.devices == 0)
        file.notes.push_back("The work of " + unread + " is not read: times and calls are only of the CPU.");
    takeApartXlaDevices(file, m_job.further);
    if (m_job.further.empty())
        takeApartRanks(file, m_job.further);
    if (m_job.further.empty() && file.devices > 1)
        file.notes.push_back("Work of " + std::to_string(file.devices) + " GPUs stands in this trace"
                             + (file.rank_is_known
                                    ? ", which says it is that of rank " + std::to_string(file.rank) + ": "
                                    : " and nothing tells whose ranks' it is: ")
                             + "it counts as that of one rank.");
    return whyNothing(assembler);
}

void ChromeReader::warnOfHeader(const ChromeHeader& header, TraceTime first_start)
{
    for (const std::string& oddity : header.oddities)
        m_job.warnings.add(oddity);
    if (m_cutter.isCut() && header.is_kineto && !header.has_base && first_start < first_dated)
        m_job.warnings.add(
            "what the times count from (baseTimeNanoseconds) is not in what is left of the file");
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
                         "another file of the run? A scenario is known by its \"model\", \"parallel\" or "
                         "\"cluster\", or by a name that ends with .scenario.json",
                         true};
    const std::vector<ImportWarning>& odd = assembler.warnings().warnings();
    if (m_cutter.warnings().empty() && odd.size() == 1 && odd[0].what == event_without_phase)
        return Rejection{"this is a list of JSON objects, but no trace: none of them has a phase (\"ph\")",
                         true};
    if (!m_cutter.warnings().empty() || !odd.empty())
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
