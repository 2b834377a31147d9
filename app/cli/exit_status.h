#pragma once

#include <cstdio>
#include <string>

namespace shardscope
{

inline constexpr int exit_done = 0;
inline constexpr int exit_bad_input = 1;   // file, scenario, trace
inline constexpr int exit_wrong_usage = 2; // and what is not built yet

// One line on standard error: "shardscope-cli: error: ...". The sentence names its file. Answers `status`.
inline int fail(int status, const std::string& sentence)
{
    std::fprintf(stderr, "shardscope-cli: error: %s\n", sentence.c_str());
    return status;
}

} // namespace shardscope
