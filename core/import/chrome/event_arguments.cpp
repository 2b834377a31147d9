#include "core/import/chrome/event_arguments.h"

#include "core/import/chrome/chrome_tables.h"
#include "core/import/json/json_members.h"
#include "core/import/json/json_repair.h"
#include "core/import/json/json_scan.h"
#include "core/import/streams/byte_stream.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::size_t first_bytes = std::size_t{16} << 10; // nearly every event is shorter
constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::size_t most_of_many = std::size_t{64} << 10; // of one of many events

std::string shownText(const JsonValue& value)
{
    const std::string text = plainText(value);
    return repairedUtf8(text).value_or(text);
}

struct EventText {
    std::string name;
    bool has_name = false;
    std::vector<EventArgument> arguments;
};

// `text` begins with an event. Nothing where the event is not whole.
std::optional<EventText> eventAt(std::string_view text)
{
    if (!text.starts_with('{'))
        return std::nullopt;
    const std::string list = "[" + std::string(text) + std::string(scan_padding, ' ');
    JsonReader elements(std::string_view(list).substr(0, text.size() + 2));
    JsonMember event;
    if (!elements.next(event) || event.value.kind != JsonKind::object)
        return std::nullopt;
    EventText found;
    JsonReader members(event.value.text);
    JsonMember member;
    while (members.next(member)) {
        if (member.key == "name") {
            found.name = shownText(member.value);
            found.has_name = true;
        } else if (member.key == "args" && member.value.kind == JsonKind::object) {
            JsonReader reader(member.value.text);
            for (JsonMember argument; reader.next(argument);)
                found.arguments.push_back(
                    {shownText({argument.key, JsonKind::string, true}), shownText(argument.value)});
        }
    }
    return members.isBroken() ? std::nullopt : std::optional(std::move(found));
}

// As eventAt(), and mends what the importer mends.
std::optional<EventText> readEvent(ByteStream& stream)
{
    std::string text;
    for (std::size_t wanted = first_bytes; wanted <= most_bytes; wanted *= 8) {
        const std::size_t had = text.size();
        text.resize(wanted);
        text.resize(had + stream.read(std::span(text).subspan(had)));
        const bool is_all = text.size() < wanted;
        if (auto event = eventAt(text))
            return event;
        std::string repaired;
        if (repairEvent(text, is_all, repaired).state == RepairState::repaired)
            return eventAt(repaired);
        if (is_all)
            break;
    }
    return std::nullopt;
}

// A part of a stream that moves on through it.
class Window
{
public:
    explicit Window(ByteStream& stream) : m_stream{stream} {}

    // The bytes from a place on, fewer at the end of the stream. Places come in ascending order.
    std::string_view at(std::int64_t place, std::size_t bytes)
    {
        const auto behind = static_cast<std::size_t>(place - m_start);
        if (behind + bytes > m_text.size()) {
            if (behind > m_text.size())
                m_stream.skip(static_cast<std::int64_t>(behind - m_text.size()));
            m_text.erase(0, behind);
            m_start = place;
            const std::size_t had = m_text.size();
            m_text.resize(bytes + read_ahead);
            m_text.resize(had + m_stream.read(std::span(m_text).subspan(had)));
        }
        return std::string_view{m_text}.substr(static_cast<std::size_t>(place - m_start), bytes);
    }

private:
    static constexpr std::size_t read_ahead = std::size_t{1} << 20;
    ByteStream& m_stream;
    std::string m_text;
    std::int64_t m_start = 0;
};

} // namespace

Result<std::vector<EventArgument>> readEventArguments(const TraceFile& file, EventIndex event)
{
    const std::int64_t offset = file.store ? file.store->sourceOffset(event) : -1;
    if (offset < 0)
        return std::vector<EventArgument>{};
    Result<std::unique_ptr<PeekedStream>> stream = openTrace(file.path);
    if (!stream)
        return Error{file.path + ": " + stream.error().sentence};
    stream.value()->skip(offset);
    std::optional<EventText> found = readEvent(*stream.value());
    if (!found || (found->has_name && found->name != file.store->name(event)))
        return Error{file.path + ": the file has changed since it was read; open it again to see arguments"};
    return std::move(found->arguments);
}

std::optional<Error> readEventArguments(const TraceFile& file, std::vector<EventIndex> events,
                                        const TakeArguments& take)
{
    if (events.empty() || file.store->sourceOffset(events.front()) < 0)
        return std::nullopt;
    Result<std::unique_ptr<PeekedStream>> stream = openTrace(file.path);
    if (!stream)
        return Error{file.path + ": " + stream.error().sentence};
    const auto offset = [&](EventIndex event) { return file.store->sourceOffset(event); };
    std::ranges::sort(events, {}, offset);
    Window window{*stream.value()};
    for (const EventIndex event : events) {
        const std::optional<EventText> found = eventAt(window.at(offset(event), most_of_many));
        if (found && found->name == file.store->name(event))
            take(event, found->arguments);
    }
    return std::nullopt;
}

} // namespace shardscope
