#pragma once

#include "core/import/json_members.h"
#include "core/import/json_scan.h"

namespace shardscope
{

// The members of one event of a Chrome trace, as they stand in the text. Of a key that comes twice, the last.
struct ChromeEvent {
    JsonValue phase;
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

    // One by one: filling them all at once takes a slow string instruction.
    void clear()
    {
        phase = {};
        name = {};
        category = {};
        pid = {};
        tid = {};
        time = {};
        duration = {};
        id = {};
        local_or_global_id = {};
        scope = {};
        arguments = {};
    }
    char phaseLetter() const { return phase.text.size() == 1 ? phase.text[0] : '\0'; }
};

enum class EventState { ok, extra_commas, broken, no_object };

// Reads the event that `span` of `found` stands for; `text` is what was scanned.
EventState readChromeEvent(const char* text, const ScannedEvents& found, const EventSpan& span,
                           ChromeEvent& event);

} // namespace shardscope
