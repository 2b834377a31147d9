#pragma once

#include "core/trace/counter.h"

#include <cstddef>

namespace shardscope
{

inline constexpr std::size_t most_sketched_samples = 384;

// A counter with few of its samples, to draw its curve by: of each of 96 parts of its time the first, the
// least, the greatest and the last one, as they were. One of few samples stays what it is.
Counter sketchCounter(const Counter& counter);

} // namespace shardscope
