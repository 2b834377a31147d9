#include "core/import/chrome/chrome_parser.h"

#include "core/import/chrome/decimal_time.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace shardscope
{

namespace
{

// Behind the commas and blanks before an event; null where others or other things stand there.
const char* skipGap(const char* at, const char* end, int commas_wanted)
{
    constexpr std::string_view usual = ",\n  {"; // as PyTorch writes
    if (commas_wanted == 1 && std::memcmp(at, usual.data(), usual.size()) == 0)
        return at + usual.size() - 1;
    int commas = 0;
    for (; at < end && (*at == ',' || *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'); ++at)
        commas += *at == ',' ? 1 : 0;
    return at < end && commas == commas_wanted ? at : nullptr;
}

} // namespace

ChromeParser::ChromeParser(std::size_t worker)
    : m_tables(std::make_unique<ChromeTables>()),
      m_worker(worker),
      m_record_param_comms(m_tables->intern("record_param_comms"))
{
}

ChromeRows ChromeParser::parse(const EventChunk& chunk)
{
    m_rows = {};
    m_rows.worker = m_worker;
    m_events.clear();
    m_rows.bytes_read = chunk.is_guess ? parseGuess(chunk) : chunk.size();
    parseFound(chunk.text.data(), chunk.found, chunk.offset);
    for (const RepairedEvent& event : chunk.repaired) {
        const EventSpan whole{0, static_cast<std::uint32_t>(event.text.size() - scan_padding)};
        parseFound(event.text.data(), std::span(&whole, 1), event.offset);
    }
    m_rows.events.assign(m_events.begin(), m_events.end());
    tellNews();
    return std::move(m_rows);
}

// The tables grow while others put the rows together: what is new goes with the rows.
void ChromeParser::tellNews()
{
    const NameTable& names = m_tables->names();
    for (; m_names_told < names.size(); ++m_names_told)
        m_rows.new_names.push_back(names.text(NameId{static_cast<std::uint32_t>(m_names_told)}));
    const std::vector<TrackKey>& tracks = m_tables->tracks();
    m_rows.new_tracks.assign(tracks.begin() + static_cast<std::ptrdiff_t>(m_tracks_told), tracks.end());
    m_tracks_told = tracks.size();
}

// Reads events that nobody has looked at before, up to the first one that is not quite right; answers where
// it stopped.
std::size_t ChromeParser::parseGuess(const EventChunk& chunk)
{
    const char* const text = chunk.text.data();
    const char* const end = text + chunk.size();
    const char* done = text;
    bool is_first = chunk.is_first;
    ChromeEvent event;
    while (done < end) {
        const char* const begin = skipGap(done, end, is_first ? 0 : 1);
        const char* behind = nullptr;
        if (begin == nullptr || readChromeEvent(begin, end, event, behind) != EventState::ok)
            break;
        m_offset = chunk.offset + (begin - text);
        m_event_bytes = behind - begin;
        take(event);
        done = behind;
        is_first = false;
    }
    return static_cast<std::size_t>(done - text);
}

void ChromeParser::parseFound(const char* text, std::span<const EventSpan> found, std::int64_t offset)
{
    ChromeEvent event;
    for (const EventSpan& span : found) {
        m_offset = offset + span.begin;
        m_event_bytes = span.end - span.begin;
        const char* behind = nullptr;
        switch (readChromeEvent(text + span.begin, text + span.end, event, behind)) {
        case EventState::no_object:
            warn("element that is no event");
            continue;
        case EventState::broken:
            warn("event that cannot be read");
            continue;
        case EventState::extra_commas:
            warn("comma too many");
            break;
        case EventState::ok:
            break;
        }
        if (behind == text + span.end)
            take(event);
        else
            warn("event that cannot be read");
    }
}

void ChromeParser::take(const ChromeEvent& event)
{
    ++m_rows.records;
    const char phase = event.phaseLetter();
    switch (phase) {
    case 'X':
        return takeComplete(event);
    case 'B':
    case 'E':
        return takeEdge(event, phase == 'B');
    case 'b':
    case 'e':
        return takeAsyncEdge(event, phase == 'b', true);
    case 'S':
    case 'F':
        return takeAsyncEdge(event, phase == 'S', false);
    case 'M':
        return takeMetadata(event);
    case 'C':
        return takeCounter(event);
    case 'i':
    case 'I':
        return takeMemoryInstant(event);
    case 's':
        ++m_rows.flows;
        return;
    default:
        // Samples, objects and the like have no duration.
        constexpr std::string_view silent = "tfRPNDOcnTpVv()=a";
        if (phase == '\0')
            takePhaseless();
        else if (silent.find(phase) == std::string_view::npos)
            warn("event of an unknown phase");
    }
}

// TensorFlow and JAX end their traces with an empty event, which loses nothing.
void ChromeParser::takePhaseless()
{
    constexpr std::ptrdiff_t empty_bytes = 2;
    --m_rows.records;
    if (m_event_bytes > empty_bytes)
        warn(event_without_phase);
}

// False, and counted, where the value is no time.
bool ChromeParser::readTime(const JsonValue& value, TraceTime& time)
{
    const bool can_be = value.kind == JsonKind::bare || value.kind == JsonKind::string;
    switch (can_be ? parseMicroseconds(value.text, time) : DecimalState::not_a_number) {
    case DecimalState::ok:
        return true;
    case DecimalState::out_of_range:
        warn("time beyond what 64 bits of nanoseconds hold");
        return false;
    case DecimalState::not_a_number:
        warn(value.kind == JsonKind::none ? "event without ts" : "time that is no number");
        return false;
    }
    return false;
}

// XLA's profiler writes no category, but tells an operation's among its arguments.
JsonValue ChromeParser::xlaCategory(const JsonValue& arguments)
{
    constexpr std::string_view key = "hlo_category";
    if (arguments.kind != JsonKind::object || arguments.text.find(key) == std::string_view::npos)
        return {};
    JsonReader reader(arguments.text);
    for (JsonMember member; reader.next(member);) {
        if (member.key == key && member.value.kind == JsonKind::string)
            return member.value;
    }
    return {};
}

void ChromeParser::takeComplete(const ChromeEvent& event)
{
    TraceEvent row;
    if (event.duration.kind == JsonKind::none)
        return warn("event without dur");
    if (!readTime(event.time, row.start) || !readTime(event.duration, row.duration))
        return;
    if (row.duration < 0)
        return warn("event of negative duration");
    if (row.start > std::numeric_limits<TraceTime>::max() - row.duration)
        return warn("time beyond what 64 bits of nanoseconds hold");
    m_rows.last_end = std::max(m_rows.last_end, row.start + row.duration);
    row.source_offset = m_offset;
    row.name = m_tables->name(event.name);
    row.category = m_tables->category(event.category.kind == JsonKind::none ? xlaCategory(event.arguments)
                                                                            : event.category);
    row.track = m_tables->track(event.pid, event.tid);
    m_events.push_back(row);
    const CategoryClass category = m_tables->classOf(row.category);
    if (category != CategoryClass::other)
        takeArguments(event, category, row);
}

void ChromeParser::takeEdge(const ChromeEvent& event, bool is_begin)
{
    SliceEdge edge;
    if (!readTime(event.time, edge.time))
        return;
    edge.offset = m_offset;
    edge.name = m_tables->name(event.name);
    edge.category = m_tables->category(event.category);
    edge.track = m_tables->track(event.pid, event.tid);
    edge.is_begin = is_begin;
    m_rows.edges.push_back(edge);
}

void ChromeParser::takeAsyncEdge(const ChromeEvent& event, bool is_begin, bool is_nested)
{
    SliceEdge edge;
    if (!readTime(event.time, edge.time))
        return;
    // Slices are paired by category and id; an id holds within its process unless id2 says that it is global.
    std::string id = plainText(event.id);
    bool is_global = false;
    if (event.local_or_global_id.kind == JsonKind::object) {
        JsonReader reader(event.local_or_global_id.text);
        JsonMember member;
        while (reader.next(member)) {
            id = plainText(member.value);
            is_global = member.key == "global";
        }
    } else if (event.id.kind == JsonKind::none) {
        return warn("asynchronous event without an id");
    }
    edge.offset = m_offset;
    edge.name = m_tables->name(event.name);
    edge.category = m_tables->category(event.category);
    edge.id =
        m_tables->intern(plainText(event.scope) + '\n' + id + '\n' + (is_global ? "" : plainText(event.pid)));
    edge.track = m_tables->track(event.pid, event.tid);
    edge.is_begin = is_begin;
    edge.is_nested = is_nested;
    m_rows.async_edges.push_back(edge);
}

void ChromeParser::takeMetadata(const ChromeEvent& event)
{
    using What = MetadataRow::What;
    const std::string_view name = event.name.text;
    const bool is_order = name == "process_sort_index" || name == "thread_sort_index";
    MetadataRow row;
    if (name == "process_name" || name == "process_sort_index")
        row.what = is_order ? What::process_order : What::process_name;
    else if (name == "thread_name" || name == "thread_sort_index")
        row.what = is_order ? What::thread_order : What::thread_name;
    else if (name == "process_labels")
        row.what = What::process_labels;
    else
        return;
    if (event.arguments.kind != JsonKind::object)
        return;
    row.pid = plainText(event.pid);
    row.tid = plainText(event.tid);
    JsonReader reader(event.arguments.text);
    JsonMember member;
    while (reader.next(member)) {
        if (is_order)
            row.order = toInteger(member.value).value_or(row.order);
        else if (member.key == "name" || member.key == "labels")
            row.text = plainText(member.value);
    }
    m_rows.metadata.push_back(std::move(row));
}

} // namespace shardscope
