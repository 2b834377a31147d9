#pragma once

#include <cstdint>
#include <string_view>

namespace shardscope
{

// An operation of XLA by its name ("all-gather-start.3") and, where the trace tells it, by its category
// ("all-reduce fusion").
struct XlaOperation {
    enum class Part : std::uint8_t { whole, start, done };
    std::string_view collective; // "all-gather"; empty for others
    std::string_view instance;   // what tells it from others of its sort: "3"
    Part part = Part::whole;
    bool is_container = false; // a loop, branch or call: what it runs is listed, too
    bool is_copy = false;      // moves data within the device or to the host
};

XlaOperation xlaOperationOf(std::string_view name, std::string_view category);

} // namespace shardscope
