#pragma once

#include <cstdint>
#include <string_view>

namespace shardscope
{

// Who can make a change: whoever starts the run, or whoever buys the machine.
enum class ChangeOf : std::uint8_t { run, machine };
constexpr std::string_view word(ChangeOf of)
{
    return of == ChangeOf::run ? "run" : "machine";
}

} // namespace shardscope
