#pragma once

#include <string>

// Lines of a Chrome trace that name its processes and rows.

namespace shardscope
{

inline std::string processName(int pid, const std::string& name)
{
    return R"({"ph":"M","pid":)" + std::to_string(pid) + R"(,"name":"process_name","args":{"name":")" + name
           + "\"}},\n";
}

inline std::string rowName(int pid, int tid, const std::string& name)
{
    return R"({"ph":"M","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid)
           + R"(,"name":"thread_name","args":{"name":")" + name + "\"}},\n";
}

} // namespace shardscope
