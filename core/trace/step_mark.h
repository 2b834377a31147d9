#pragma once

#include <string_view>

namespace shardscope
{

// What the names of training steps begin with, as PyTorch's profiler writes them: "ProfilerStep#551".
inline constexpr std::string_view step_mark = "ProfilerStep#";

inline bool isStepMark(std::string_view name)
{
    return name.starts_with(step_mark);
}

} // namespace shardscope
