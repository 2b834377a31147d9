#pragma once

#include "core/scenario/shell/shell_variables.h"

#include <string_view>

namespace shardscope
{

// The word as a shell expands it: variables with their defaults, arithmetic, quotes. ${NAME:=value} sets a
// variable.
ShellValue expandedWord(std::string_view word, ShellVariables& variables);

} // namespace shardscope
