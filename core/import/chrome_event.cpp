#include "core/import/chrome_event.h"

namespace shardscope
{

namespace
{

// Where the value of this key goes; null for keys that nobody asks for.
JsonValue* place(ChromeEvent& event, std::string_view key)
{
    switch (key.size()) {
    case 2:
        return key == "ts" ? &event.time : key == "id" ? &event.id : nullptr;
    case 3:
        if (key == "dur")
            return &event.duration;
        if (key == "pid")
            return &event.pid;
        if (key == "tid")
            return &event.tid;
        if (key == "cat")
            return &event.category;
        return key == "id2" ? &event.local_or_global_id : nullptr;
    case 4:
        return key == "name" ? &event.name : key == "args" ? &event.arguments : nullptr;
    case 5:
        return key == "scope" ? &event.scope : nullptr;
    default:
        return nullptr;
    }
}

} // namespace

EventState readChromeEvent(const char* origin, const EventSpan& span, std::span<const ChildSpan> children,
                           ChromeEvent& event)
{
    event = {};
    if (origin[span.begin] != '{')
        return EventState::no_object;
    JsonReader reader({origin + span.begin, origin + span.end}, children, origin);
    JsonMember member;
    while (reader.next(member)) {
        if (member.key == "ph")
            event.phase = member.value.text.size() == 1 ? member.value.text[0] : '\0';
        else if (JsonValue* const value = place(event, member.key))
            *value = member.value;
    }
    if (reader.isBroken())
        return EventState::broken;
    return reader.hadExtraCommas() ? EventState::extra_commas : EventState::ok;
}

} // namespace shardscope
