#pragma once

#include "core/import/json/json_members.h"
#include "core/import/json/json_scan.h"

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

// Reads the event that begins at `begin`, up to where it closes before `limit`, and leaves that place in
// `behind`; scan_padding bytes are readable behind the limit. An event that is `ok` is one to the scanner,
// too: it may be read without having been scanned. `behind` is null where there is no telling.
EventState readChromeEvent(const char* begin, const char* limit, ChromeEvent& event, const char*& behind);

} // namespace shardscope
