#pragma once

#include "core/trace/trace_store.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardscope
{

// The events of a store. Starts are differences from the event before; names are rows of the list of names.
struct EventColumns {
    std::vector<std::string> names;
    std::vector<Track> tracks;
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> durations;
    std::vector<std::uint32_t> name_rows;
    std::vector<std::uint32_t> category_rows;
    std::vector<CollectiveCall> collectives;
    std::vector<GpuLaunch> launches;
    std::vector<Counter> counters; // their times as differences, too
};

EventColumns columnsOf(const TraceStore& store);

// Puts columns that may hold anything into a store. Null: they do not fit each other.
std::shared_ptr<const TraceStore> storeOf(const EventColumns& columns);

} // namespace shardscope
