#pragma once

#include "core/base/result.h"
#include "core/trace/trace_set.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// What a trace says of an event beside its name and time: "Input Dims", "In msg nelems", "correlation", ...
struct EventArgument {
    std::string name;
    std::string value; // strings without their quotes, lists and objects as JSON
};

// Reads the arguments of an event from the file that it came from; they are not kept in memory. `file` is the
// event's file in the TraceSet. Takes microseconds for a plain file and up to a second for an event at the
// end of a compressed one of gigabytes, so call it from a worker when the user has chosen an event, not while
// painting. No arguments: the event has none, or its format keeps none. Error: the file has gone or changed
// since it was read.
Result<std::vector<EventArgument>> readEventArguments(const TraceFile& file, EventIndex event);

// The same of many events in one pass through the file: calls `take` for each, in the file's order. Events
// whose text is broken or longer than 64 KiB are left out.
using TakeArguments = std::function<void(EventIndex, const std::vector<EventArgument>&)>;
std::optional<Error> readEventArguments(const TraceFile& file, std::vector<EventIndex> events,
                                        const TakeArguments& take);

} // namespace shardscope
