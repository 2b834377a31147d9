#pragma once

#include "core/base/result.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardscope
{

// The number of a profiler step; nothing for "all" or no text. Error: the sentence says what is expected.
Result<std::optional<std::int64_t>> parseStep(std::string_view text);

// Why the step cannot be counted alone: no file has it, and which there are. Nothing: a file has it, or all
// that was recorded is asked for.
std::optional<Error> missingStep(const TraceSet& traces, std::optional<std::int64_t> step);

} // namespace shardscope
