#pragma once

#include "core/trace/trace_set.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// What a trace says beside its events.
struct ChromeHeader {
    TraceTime base_ns = 0; // times count from here
    bool has_base = false;
    std::optional<std::int64_t> rank;
    std::int64_t world_size = 0;
    std::vector<ProcessGroup> groups;
    std::string gpu;                   // as in TraceFile
    std::int64_t gpu_memory_bytes = 0; // as there
    bool is_kineto = false;            // has members that only PyTorch's profiler writes
    std::vector<std::string> oddities; // members that are there and say nothing possible
};

// `members`: JSON texts by key. What is not as expected is left out.
ChromeHeader readChromeHeader(const std::map<std::string, std::string>& members);

// The numbers in "[0, 1, 2]"; nothing when the list is cut ("[0, 1, ..., 29, ...]").
std::vector<std::int64_t> ranksOf(std::string_view list);

} // namespace shardscope
