#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardscope
{

enum class RepairState { repaired, needs_more_text, hopeless };

// What repairEvent() has done, and for how much of the text.
struct Repair {
    RepairState state = RepairState::hopeless;
    std::size_t length = 0;   // bytes of the broken event
    bool had_control = false; // control characters stood in a string
    bool had_quotes = false;  // quotes stood unescaped in a string
    bool had_commas = false;  // a comma too many
};

// Rewrites an event that is nearly JSON: quotes and control characters within strings are escaped, commas
// before a closing bracket go. `text` begins at the event's bracket; `is_all` says that no more text can
// come.
Repair repairEvent(std::string_view text, bool is_all, std::string& repaired);

// The first place at or behind `from` where an event may begin: an object whose first key is one that events
// have. npos where there is none.
std::size_t findEventStart(std::string_view text, std::size_t from);

} // namespace shardscope
