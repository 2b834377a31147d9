// The part of the cutter that reads what stands around the events, letter by letter.
#include "core/import/chrome/event_cutter.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

constexpr int no_letter = -1;
constexpr std::size_t buffer_bytes = std::size_t{256} << 10;
constexpr std::size_t longest_key = 1024;
constexpr std::size_t longest_value = std::size_t{64} << 20;
constexpr std::size_t document_beginning = 4096;

// The members whose values are kept; the others can be as large as the events and nobody asks for them.
constexpr std::array<std::string_view, 10> kept_members{
    "distributedInfo", "baseTimeNanoseconds", "schemaVersion", "displayTimeUnit", "deviceProperties",
    "traceName",       "record_shapes",       "with_stack",    "trace_id",        "otherData"};

} // namespace

int EventCutter::peekLetter()
{
    if (m_at == m_buffer.size()) {
        if (m_stream_ended)
            return no_letter;
        m_buffer_offset += static_cast<std::int64_t>(m_buffer.size());
        m_buffer.resize(buffer_bytes);
        m_at = 0;
        m_buffer.resize(read(m_buffer));
        m_stream_ended = m_buffer.size() < buffer_bytes;
        if (m_buffer.empty())
            return no_letter;
    }
    return static_cast<unsigned char>(m_buffer[m_at]);
}

int EventCutter::takeLetter()
{
    const int letter = peekLetter();
    if (letter != no_letter) {
        ++m_at;
        if (m_document.size() < document_beginning)
            m_document += static_cast<char>(letter);
    }
    return letter;
}

int EventCutter::peekBehindSpace()
{
    while (isSpace(peekLetter()))
        takeLetter();
    return peekLetter();
}

// Goes on until events begin or nothing more comes.
void EventCutter::readDocument()
{
    while (m_place == Place::outside || m_place == Place::in_object) {
        const int letter = peekBehindSpace();
        if (letter == no_letter) {
            m_warnings.add("the file ends before its last bracket",
                           m_buffer_offset + static_cast<std::int64_t>(m_at),
                           m_place == Place::in_object ? 1 : 0);
            m_place = Place::ended;
        } else if (m_place == Place::outside) {
            startDocument(letter);
        } else {
            readMember();
        }
    }
}

void EventCutter::startDocument(int letter)
{
    m_document.clear();
    if (letter == 0xef && m_documents == 0) { // the byte order mark of UTF-8
        takeLetter();
        const bool is_mark = takeLetter() == 0xbb && takeLetter() == 0xbf;
        m_is_alien = !is_mark;
    } else if (letter == '[') {
        takeLetter();
        ++m_documents;
        enterEvents(false);
    } else if (letter == '{') {
        takeLetter();
        ++m_documents;
        m_place = Place::in_object;
        m_is_open = true;
    } else if (m_documents > 0 && (letter == ',' || letter == ']' || letter == '}')) {
        m_warnings.add("bracket or comma behind the end", m_buffer_offset + static_cast<std::int64_t>(m_at));
        takeLetter();
    } else {
        m_is_alien = m_documents == 0;
        m_warnings.add("text behind the end", m_buffer_offset + static_cast<std::int64_t>(m_at));
        m_place = Place::ended;
    }
    if (m_documents == 2)
        m_warnings.add("several documents in one file", m_buffer_offset + static_cast<std::int64_t>(m_at));
    if (m_is_alien)
        m_place = Place::ended;
}

void EventCutter::readMember()
{
    const int letter = takeLetter();
    if (letter == '}') {
        m_place = Place::outside;
        m_is_open = false;
        return;
    }
    if (letter == ',') {
        passComma();
        return;
    }
    std::string key;
    if (letter != '"' || !readString(&key)) {
        m_warnings.add("text between the members of the trace",
                       m_buffer_offset + static_cast<std::int64_t>(m_at));
        return;
    }
    if (peekBehindSpace() != ':')
        return;
    takeLetter();
    const int first = peekBehindSpace();
    if (key == "ph" && m_document.size() < document_beginning) { // events without an array around them
        m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_at));
        m_buffer.insert(m_buffer.begin(), m_document.begin(), m_document.end());
        m_buffer_offset += static_cast<std::int64_t>(m_at) - static_cast<std::int64_t>(m_document.size());
        m_at = 0;
        enterEvents(false);
    } else if (key == "traceEvents" && first == '[') {
        takeLetter();
        enterEvents(true);
    } else {
        std::string value;
        const bool is_kept = std::ranges::find(kept_members, key) != kept_members.end();
        if (readValue(is_kept ? &value : nullptr) && is_kept)
            m_header[key] = std::move(value);
    }
}

// What follows is another member.
void EventCutter::passComma()
{
    const int next = peekBehindSpace();
    if (next == '{' && m_found_array) { // the array had a bracket too many
        enterEvents(true);
        m_after_gap = true;
    }
    if (next != '"')
        m_warnings.add("comma too many", m_buffer_offset + static_cast<std::int64_t>(m_at));
}

void EventCutter::enterEvents(bool in_object)
{
    m_place = Place::in_events;
    m_in_object = in_object;
    m_before_first = true;
    m_found_array = true;
}

// Behind the opening quote; takes the closing one. False when the file ends first.
bool EventCutter::readString(std::string* text)
{
    for (int letter = takeLetter(); letter != no_letter; letter = takeLetter()) {
        if (letter == '"')
            return true;
        if (text != nullptr && text->size() < longest_key)
            *text += static_cast<char>(letter);
        if (letter == '\\' && (letter = takeLetter()) != no_letter && text != nullptr
            && text->size() < longest_key)
            *text += static_cast<char>(letter);
    }
    return false;
}

// Takes one value, of any kind and depth; keeps its text if asked to.
bool EventCutter::readValue(std::string* text)
{
    std::int64_t depth = 0;
    bool in_string = false;
    bool is_escaped = false;
    for (int letter = peekLetter(); letter != no_letter; letter = peekLetter()) {
        const bool is_open = letter == '{' || letter == '[';
        const bool is_close = letter == '}' || letter == ']';
        if (!in_string && depth == 0 && (letter == ',' || is_close))
            return true; // behind a number or a word
        takeLetter();
        if (text != nullptr && text->size() < longest_value)
            *text += static_cast<char>(letter);
        if (in_string) {
            in_string = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
        } else {
            in_string = letter == '"';
            depth += (is_open ? 1 : 0) - (is_close ? 1 : 0);
        }
        if (!in_string && depth == 0 && (letter == '"' || is_close))
            return true;
    }
    return false;
}

} // namespace shardscope
