#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace shardscope
{

// Bytes that must be readable behind any text given to the scanners below.
inline constexpr std::size_t scan_padding = 64;

// What JSON takes for a blank.
constexpr bool isSpace(int letter)
{
    return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}

// One element of the event array: [begin, end) with its brackets.
struct EventSpan {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

// What ended a scan.
enum class ScanStop {
    text_ends,    // at the end of the text; what lies behind the last event is not whole yet
    array_ends,   // at the bracket that closes the array
    nested_array, // an event that has the key "traceEvents": another document begins here
    odd           // something that is no JSON, within or before an event
};

// How far a scan has come.
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
                      std::vector<EventSpan>& found);

// Behind the bracket that closes the object or array which `open` points to; null where it does not close
// before `limit`, or where a string in it holds what the scanner above would stop at.
const char* behindContainer(const char* open, const char* limit);

} // namespace shardscope
