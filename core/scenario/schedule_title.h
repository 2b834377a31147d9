#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace shardscope
{

// A schedule's name for people, where word() is that of files: "1F1B", "ZB-H1".
constexpr std::string_view titleOf(Schedule schedule)
{
    constexpr std::array<std::string_view, static_cast<std::size_t>(Schedule::dualpipe) + 1> titles{
        "GPipe", "1F1B", "Interleaved", "ZB-H1", "ZB-H2", "ZB-V", "V-Half", "V-Min", "DualPipe"};
    return titles[static_cast<std::size_t>(schedule)];
}

} // namespace shardscope
