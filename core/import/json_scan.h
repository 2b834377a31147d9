#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace shardscope
{

// Bytes that must be readable behind any text given to the scanners below.
inline constexpr std::size_t scan_padding = 64;

// An object or array that lies directly in an event: the places of its brackets.
struct ChildSpan {
    std::uint32_t open = 0;
    std::uint32_t close = 0;
};

// One element of the event array: [begin, end) with its brackets, and its rows of the tables below.
struct EventSpan {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t first_child = 0;
    std::uint32_t child_count = 0;
    std::uint32_t first_quote = 0;
    std::uint32_t quote_count = 0;
    bool has_escapes = true; // false: there is no backslash in it
};

// What the scanner found in a piece of text.
struct ScannedEvents {
    std::vector<EventSpan> events;
    std::vector<ChildSpan> children;
    std::vector<std::uint32_t>
        quotes; // of the strings directly in an event, opening and closing; has room to spare
    std::size_t quote_count = 0;
    void clear()
    {
        events.clear();
        children.clear();
        quote_count = 0;
    }
};

enum class ScanStop {
    text_ends,    // at the end of the text; what lies behind the last event is not whole yet
    array_ends,   // at the bracket that closes the array
    nested_array, // an event that has the key "traceEvents": another document begins here
    odd           // something that is no JSON, within or before an event
};

struct ScanResult {
    static constexpr std::size_t no_event = std::numeric_limits<std::size_t>::max();
    ScanStop stop = ScanStop::text_ends;
    std::size_t position = 0;          // where it stopped
    std::size_t done = 0;              // behind the last whole event
    std::size_t open_event = no_event; // where the event begins that is not whole
    std::int64_t missing_commas = 0;
    std::int64_t extra_commas = 0;
};

// Finds the events in text[begin, size), exactly: it follows strings, escapes and depth. `begin` must lie
// between two events of an array, or before the first one. Stops at the first byte that no well-formed event
// would have.
ScanResult scanEvents(const char* text, std::size_t begin, std::size_t size, bool before_first,
                      ScannedEvents& found);

} // namespace shardscope
