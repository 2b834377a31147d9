#pragma once

#include <cstdint>

namespace shardscope
{

// Far beyond any cluster that was ever built. A scenario of more is refused, a rank in a trace beyond it is
// damage; what is computed from so many does not overflow.
inline constexpr std::int64_t most_ranks = std::int64_t{1} << 24;

} // namespace shardscope
