#pragma once

#include "core/import/json/json_scan.h"
#include "core/import/streams/byte_stream.h"
#include "core/import/warning_log.h"

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// An event that was not quite JSON, put right.
struct RepairedEvent {
    std::string text; // with scan_padding bytes behind the event
    std::int64_t offset = 0;
};

// A piece of the event array that holds whole events only, or seems to.
struct EventChunk {
    std::vector<char> text;  // scan_padding bytes longer than what is used
    std::int64_t offset = 0; // of the text in the uncompressed file
    std::int64_t number = 0; // counts from 0 in the order of the file
    bool is_guess = false;   // only its end has been looked at: its events are still to be found
    bool is_first = false;   // a guess that no event stands before in the array
    std::vector<EventSpan> found;
    std::deque<RepairedEvent> repaired;

    std::size_t size() const { return text.size() - scan_padding; }
};

// Cuts the events out of a Chrome trace of any shape, in pieces that can be parsed on their own: an object
// with "traceEvents" or a bare array, with or without its end, several documents behind each other, events
// without an array around them. Skips what cannot be read and goes on behind it.
class EventCutter
{
public:
    explicit EventCutter(ByteStream& stream) : m_stream(stream) {}

    // The next piece, at least one event long; false at the end. Reuses the memory of `chunk`. All pieces
    // that were guessed before must have turned out right.
    bool next(EventChunk& chunk);
    // The next piece up to where an event seems to end: whether one does shows when the piece is read. Much
    // faster than next(). False where that needs a closer look.
    bool guess(EventChunk& chunk);
    // Takes back what lies behind the first bytes of the first of these pieces, the last ones given out.
    void takeBack(std::span<const EventChunk* const> pieces, std::size_t first_bytes);

    // What stood beside the events, by key, as JSON text; complete at the end.
    const std::map<std::string, std::string>& header() const { return m_header; }
    const WarningLog& warnings() const { return m_warnings; }
    bool foundEvents() const { return m_found_array; } // an event array, even an empty one
    bool isJson() const { return !m_is_alien; }
    bool isCut() const { return m_is_open; } // members may have stood in what is lost
    std::int64_t bytesRead() const { return m_buffer_offset + static_cast<std::int64_t>(m_buffer.size()); }

private:
    enum class Place { outside, in_object, in_events, ended };

    // The part around the events, letter by letter: event_cutter_document.cpp.
    void readDocument();
    void startDocument(int letter);
    void readMember();
    void passComma();
    bool readString(std::string* text);
    bool readValue(std::string* text);
    void enterEvents(bool in_object);
    int peekLetter();
    int takeLetter();
    int peekBehindSpace();

    // The events, piece by piece.
    std::size_t read(std::span<char> into);
    void fill(EventChunk& chunk);
    bool cut(EventChunk& chunk);
    void follow(EventChunk& chunk, std::size_t& begin, const ScanResult& result, bool& is_done);
    void atTextEnd(EventChunk& chunk, const ScanResult& result);
    std::size_t mend(EventChunk& chunk, const ScanResult& result);
    std::size_t mendGap(EventChunk& chunk, const ScanResult& result);
    std::size_t resume(EventChunk& chunk, std::size_t from);
    void keepRest(EventChunk& chunk, std::size_t from);

    ByteStream& m_stream;
    std::vector<char> m_buffer; // what has been read and not been used
    std::size_t m_at = 0;       // in the buffer
    std::int64_t m_buffer_offset = 0;
    std::vector<char> m_returned;    // taken back; comes before what the stream gives
    std::size_t m_returned_used = 0; // of it
    bool m_source_ended = false;     // the stream's end has been seen
    bool m_stream_ended = false;     // nothing comes behind the buffer
    int m_careful_pieces = 0;        // that are not to be guessed
    std::size_t m_chunk_bytes = 0;

    Place m_place = Place::outside;
    bool m_in_object = false;    // the event array is a member of an object
    bool m_before_first = false; // no event of this array has been seen yet
    bool m_after_gap = false;    // something was skipped; commas do not count
    bool m_searching = false;    // for the next event, behind something unreadable
    bool m_found_array = false;
    bool m_is_alien = false;
    bool m_is_open = false; // the document is an object whose last bracket has not been seen
    std::int64_t m_documents = 0;
    std::int64_t m_hopeless = 0;
    std::int64_t m_nested_at = -1; // where the last document within a document began
    std::int64_t m_chunks = 0;
    std::string m_document; // the first letters of the document that is open
    std::map<std::string, std::string> m_header;
    WarningLog m_warnings;
};

} // namespace shardscope
