#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// A quantity of one process over time: memory, utilisation. Each value holds until the next one.
struct Counter {
    std::string pid;
    std::string name; // "GPU 0 memory allocated"
    bool is_bytes = false;
    std::vector<std::int64_t> times; // nanoseconds, ascending
    std::vector<double> values;
};

} // namespace shardscope
