#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace shardscope
{

using ShellNameValue = std::function<std::optional<std::int64_t>(std::string_view name)>;

// What stands between $(( and )): whole numbers and names with + - * / % and parentheses. Nothing where it is
// something else, divides by zero, or does not fit.
std::optional<std::int64_t> shellArithmetic(std::string_view expression, const ShellNameValue& valueOf);

} // namespace shardscope
