#pragma once

#include "core/import/json_members.h"

namespace shardscope
{

// The members of one event of a Chrome trace, as they stand in the text. Of a key that comes twice, the last.
struct ChromeEvent {
    char phase = '\0';
    JsonValue name;
    JsonValue category;
    JsonValue pid;
    JsonValue tid;
    JsonValue time;
    JsonValue duration;
    JsonValue id;
    JsonValue local_or_global_id; // id2
    JsonValue scope;
    JsonValue arguments;
};

enum class EventState { ok, extra_commas, broken, no_object };

// `origin` is the text that `span` and `children` count from.
EventState readChromeEvent(const char* origin, const EventSpan& span, std::span<const ChildSpan> children,
                           ChromeEvent& event);

} // namespace shardscope
