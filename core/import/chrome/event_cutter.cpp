#include "core/import/chrome/event_cutter.h"

#include "core/import/json/json_fields.h"
#include "core/import/json/json_repair.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace shardscope
{

namespace
{

// Small at first, so that something can be drawn soon; then what fits the processor's cache.
constexpr std::size_t first_chunk_bytes = std::size_t{256} << 10;
constexpr std::size_t chunk_bytes = std::size_t{512} << 10;
// No event is longer. What seems to be is a string or a bracket that never closes.
constexpr std::size_t longest_event = std::size_t{64} << 20;
constexpr std::size_t longest_gap = std::size_t{64} << 10;
constexpr std::size_t longest_repair = std::size_t{1} << 20;
constexpr std::size_t longest_look = std::size_t{64} << 10; // for the end of an event
constexpr int careful_pieces = 16;                          // behind a wrong guess

constexpr std::string_view spaces = " \n\r\t";

// Behind the last bracket that seems to close an event: a comma and the beginning of another one follow.
std::size_t findLastBorder(std::string_view text)
{
    const std::size_t first = text.size() - std::min(text.size(), longest_look);
    for (std::size_t open = text.rfind('{'); open != std::string_view::npos && open > first;
         open = text.rfind('{', open - 1)) {
        const std::size_t key = text.find_first_not_of(spaces, open + 1);
        const std::size_t comma = text.find_last_not_of(spaces, open - 1);
        if (key == std::string_view::npos || text[key] != '"' || comma == std::string_view::npos || comma == 0
            || text[comma] != ',')
            continue;
        const std::size_t close = text.find_last_not_of(spaces, comma - 1);
        if (close != std::string_view::npos && text[close] == '}')
            return close + 1;
    }
    return std::string_view::npos;
}

// Whether this, between the last event and a bracket, is numbers, words or strings as any array may hold.
bool areElements(std::string_view gap, bool before_first)
{
    const std::string array = (before_first ? "[" : "[0") + std::string(gap) + "]";
    return gap.size() <= longest_gap && !parsedJson(array).is_discarded();
}

} // namespace

bool EventCutter::next(EventChunk& chunk)
{
    if (m_chunk_bytes == 0)
        m_chunk_bytes = first_chunk_bytes;
    while (m_place != Place::ended) {
        if (m_place != Place::in_events) {
            readDocument();
            continue;
        }
        fill(chunk);
        const bool is_cut = cut(chunk);
        if (is_cut) {
            m_careful_pieces = std::max(m_careful_pieces - 1, 0);
            chunk.number = m_chunks++;
            m_chunk_bytes = std::min(m_chunk_bytes * 2, chunk_bytes);
            return true;
        }
    }
    return false;
}

bool EventCutter::guess(EventChunk& chunk)
{
    if (m_place != Place::in_events || m_careful_pieces > 0 || m_after_gap || m_searching || m_stream_ended)
        return false;
    fill(chunk);
    const std::size_t border =
        m_stream_ended ? std::string_view::npos : findLastBorder({chunk.text.data(), chunk.size()});
    if (border == std::string_view::npos) {
        keepRest(chunk, 0);
        m_careful_pieces = careful_pieces;
        return false;
    }
    keepRest(chunk, border);
    chunk.text.resize(border + scan_padding);
    std::fill_n(chunk.text.end() - static_cast<std::ptrdiff_t>(scan_padding), scan_padding, ' ');
    chunk.number = m_chunks++;
    chunk.is_guess = true;
    chunk.is_first = std::exchange(m_before_first, false);
    m_chunk_bytes = std::min(m_chunk_bytes * 2, chunk_bytes);
    return true;
}

void EventCutter::takeBack(std::span<const EventChunk* const> pieces, std::size_t first_bytes)
{
    std::vector<char> text;
    for (const EventChunk* piece : pieces) {
        const std::size_t from = piece == pieces.front() ? first_bytes : 0;
        text.insert(text.end(), piece->text.begin() + static_cast<std::ptrdiff_t>(from),
                    piece->text.begin() + static_cast<std::ptrdiff_t>(piece->size()));
    }
    text.insert(text.end(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_at), m_buffer.end());
    text.insert(text.end(), m_returned.begin() + static_cast<std::ptrdiff_t>(m_returned_used),
                m_returned.end());
    m_returned = std::move(text);
    m_returned_used = 0;
    m_buffer.clear();
    m_at = 0;
    m_buffer_offset = pieces.front()->offset + static_cast<std::int64_t>(first_bytes);
    m_stream_ended = false;
    m_before_first = pieces.front()->is_first && first_bytes == 0;
    m_careful_pieces = careful_pieces;
}

// The bytes that come next; fewer than asked for only at the end.
std::size_t EventCutter::read(std::span<char> into)
{
    const std::size_t returned = std::min(into.size(), m_returned.size() - m_returned_used);
    std::copy_n(m_returned.begin() + static_cast<std::ptrdiff_t>(m_returned_used), returned, into.begin());
    m_returned_used += returned;
    if (m_returned_used == m_returned.size() && m_returned_used > 0) {
        std::vector<char>().swap(m_returned);
        m_returned_used = 0;
    }
    if (returned == into.size() || m_source_ended)
        return returned;
    const std::size_t got = m_stream.read(into.subspan(returned));
    m_source_ended = returned + got < into.size();
    return returned + got;
}

// Puts what is left from before and new bytes into the chunk.
void EventCutter::fill(EventChunk& chunk)
{
    const std::size_t kept = m_buffer.size() - m_at;
    const std::size_t wanted = std::max(m_chunk_bytes, kept + (m_stream_ended ? 0 : kept / 2));
    chunk.is_guess = false;
    chunk.found.clear();
    chunk.repaired.clear();
    chunk.offset = m_buffer_offset + static_cast<std::int64_t>(m_at);
    if (chunk.text.size() < wanted + scan_padding)
        chunk.text.resize(wanted + scan_padding);
    std::memcpy(chunk.text.data(), m_buffer.data() + m_at, kept);
    std::size_t size = kept;
    if (!m_stream_ended) {
        size += read(std::span(chunk.text).subspan(kept, wanted - kept));
        m_stream_ended = size < wanted;
    }
    chunk.text.resize(size + scan_padding); // never shrinks the memory
    std::fill_n(chunk.text.end() - static_cast<std::ptrdiff_t>(scan_padding), scan_padding, ' ');
    m_buffer.clear();
    m_at = 0;
    m_buffer_offset = chunk.offset + static_cast<std::int64_t>(size);
}

// Finds the events of the chunk and keeps what is behind the last whole one. False when it holds none.
bool EventCutter::cut(EventChunk& chunk)
{
    const std::size_t size = chunk.size();
    if (size == 0 && m_in_object) // else the scan tells
        m_warnings.add("the file ends before its last bracket", chunk.offset);
    std::size_t begin = m_searching ? resume(chunk, 0) : 0;
    bool is_done = begin == size;
    while (!is_done) {
        const ScanResult result =
            scanEvents(chunk.text.data(), begin, size, m_before_first || m_after_gap, chunk.found);
        if (result.done > begin) {
            m_before_first = false;
            m_after_gap = false;
        }
        m_warnings.add("comma missing between events", -1, result.missing_commas);
        m_warnings.add("comma too many", chunk.offset + static_cast<std::int64_t>(result.position),
                       result.extra_commas);
        follow(chunk, begin, result, is_done);
    }
    if (m_stream_ended && m_buffer.empty() && m_place == Place::in_events)
        m_place = Place::ended;
    return !chunk.found.empty() || !chunk.repaired.empty();
}

// Decides what comes behind the place where the scan stopped.
void EventCutter::follow(EventChunk& chunk, std::size_t& begin, const ScanResult& result, bool& is_done)
{
    const std::size_t size = chunk.size();
    switch (result.stop) {
    case ScanStop::text_ends:
        atTextEnd(chunk, result);
        is_done = true;
        return;
    case ScanStop::array_ends:
        m_place = m_in_object ? Place::in_object : Place::outside;
        keepRest(chunk, result.position + 1);
        is_done = true;
        return;
    case ScanStop::nested_array:
        if (const std::int64_t offset = chunk.offset + static_cast<std::int64_t>(result.open_event);
            std::exchange(m_nested_at, offset) == offset) { // read as a document, it began like an event
            m_warnings.add("event that cannot be read", offset);
            begin = resume(chunk, result.open_event + 1);
            is_done = begin == size;
            return;
        }
        m_warnings.add("a second trace begins within the first",
                       chunk.offset + static_cast<std::int64_t>(result.open_event));
        m_place = Place::outside;
        keepRest(chunk, result.open_event);
        is_done = true;
        return;
    case ScanStop::odd:
        begin = result.open_event != ScanResult::no_event ? mend(chunk, result) : mendGap(chunk, result);
        is_done = begin == size;
        return;
    }
}

// The text ends behind an event, or within one that the next chunk continues or that was cut off.
void EventCutter::atTextEnd(EventChunk& chunk, const ScanResult& result)
{
    const std::size_t size = chunk.size();
    const std::int64_t end = chunk.offset + static_cast<std::int64_t>(size);
    const bool has_open = result.open_event != ScanResult::no_event;
    const std::int64_t open = has_open ? chunk.offset + static_cast<std::int64_t>(result.open_event) : -1;
    const std::string_view gap(chunk.text.data() + result.done, has_open ? 0 : size - result.done);
    const bool is_clean = gap.find_first_not_of(", \n\r\t") == std::string_view::npos;
    if (m_stream_ended) {
        m_place = Place::ended;
        if (has_open)
            m_warnings.add("the file ends within an event", open);
        else if (!is_clean)
            m_warnings.add("text between events", chunk.offset + static_cast<std::int64_t>(result.done));
        else if (m_in_object)
            m_warnings.add("the file ends before its last bracket", end);
    } else if (has_open && size - result.open_event > longest_event) {
        m_warnings.add("event longer than 64 MiB", open);
        m_searching = true;
        keepRest(chunk, size);
    } else if (gap.size() > longest_gap) {
        m_warnings.add("text between events", end, is_clean ? 0 : 1);
        const std::size_t comma = gap.rfind(',');
        keepRest(chunk, comma == std::string_view::npos ? size : result.done + comma);
    } else {
        if (chunk.found.empty() && chunk.repaired.empty() && size >= m_chunk_bytes)
            m_chunk_bytes = size * 2; // one event larger than a chunk
        keepRest(chunk, result.done);
    }
}

// An event that is no JSON: repaired where that can be, else skipped. Answers where to go on.
std::size_t EventCutter::mend(EventChunk& chunk, const ScanResult& result)
{
    const std::size_t size = chunk.size();
    const std::size_t begin = result.open_event;
    const std::int64_t offset = chunk.offset + static_cast<std::int64_t>(begin);
    // A file that is broken everywhere must not be searched to its end for each event.
    const std::size_t window = longest_repair >> std::min<std::int64_t>(m_hopeless / 16, 9);
    const std::string_view rest(chunk.text.data() + begin, std::min(size - begin, window));
    const bool is_all = m_stream_ended || rest.size() == window;
    RepairedEvent event;
    const Repair repair = repairEvent(rest, is_all, event.text);
    if (repair.state == RepairState::needs_more_text) {
        m_chunk_bytes = std::max(m_chunk_bytes, (size - begin) * 2);
        keepRest(chunk, begin);
        m_after_gap = true; // the comma before it has been counted
        return size;
    }
    if (repair.state == RepairState::repaired) {
        const std::size_t length = event.text.size();
        event.text.append(scan_padding, ' ');
        event.offset = offset;
        std::vector<EventSpan> found;
        scanEvents(event.text.data(), 0, length, true, found);
        if (found.size() == 1) {
            m_warnings.add("control character in a string", offset, repair.had_control ? 1 : 0);
            m_warnings.add("quote in a string that is not escaped", offset, repair.had_quotes ? 1 : 0);
            m_warnings.add("comma too many", offset, repair.had_commas ? 1 : 0);
            chunk.repaired.push_back(std::move(event));
            m_before_first = false;
            m_after_gap = false;
            return begin + repair.length;
        }
    }
    ++m_hopeless;
    m_warnings.add("event that cannot be read", offset);
    return resume(chunk, begin + 1);
}

// Something that is no event stands between two events.
std::size_t EventCutter::mendGap(EventChunk& chunk, const ScanResult& result)
{
    const std::size_t size = chunk.size();
    const std::string_view text(chunk.text.data(), size);
    m_warnings.add("text between events", chunk.offset + static_cast<std::int64_t>(result.position));
    const std::string_view gap = text.substr(result.done, result.position - result.done);
    if (text[result.position] == ']' && areElements(gap, m_before_first)) { // they end the array
        m_after_gap = true;
        return result.position;
    }
    if (text[result.position] == '}' || text[result.position] == ']') { // a bracket too many, if events go on
        const std::size_t behind = text.find_first_not_of(" \n\r\t", result.position + 1);
        if (behind != std::string_view::npos
            && (text[behind] == ',' || text[behind] == ']' || text[behind] == '{')) {
            m_after_gap = false;
            return result.position + 1;
        }
    }
    return resume(chunk, result.done);
}

// Looks for the next event. Where there is none, the next chunk goes on looking.
std::size_t EventCutter::resume(EventChunk& chunk, std::size_t from)
{
    const std::size_t size = chunk.size();
    const std::size_t found = findEventStart({chunk.text.data(), size}, from);
    m_after_gap = true;
    m_searching = found == std::string_view::npos;
    if (!m_searching)
        return found;
    constexpr std::size_t longest_beginning = 256; // a bracket and a key
    keepRest(chunk, m_stream_ended ? size : std::max(from, size - std::min(size, longest_beginning)));
    if (m_stream_ended)
        m_place = Place::ended;
    return size;
}

// What the next chunk, or the document around the events, begins with.
void EventCutter::keepRest(EventChunk& chunk, std::size_t from)
{
    const std::size_t size = chunk.size();
    m_buffer.assign(chunk.text.begin() + static_cast<std::ptrdiff_t>(from),
                    chunk.text.begin() + static_cast<std::ptrdiff_t>(size));
    m_at = 0;
    m_buffer_offset = chunk.offset + static_cast<std::int64_t>(from);
}

} // namespace shardscope
