#pragma once

#include "core/collectives/collective.h"
#include "widgets/plots/theme.h"

#include <array>
#include <cstdint>
#include <optional>

namespace shardscope
{

// What a bar of the timeline stands for. Predicted and measured bars that mean the same have the same paint.
enum class LanePaint : std::uint8_t {
    compute, // of no class that is known
    matrix,
    attention,
    reduction,
    elementwise,
    memory,
    cpu,
    runtime,
    annotation,
    other,
    forward,
    backward,
    forward_of_even_chunk, // of every second virtual stage, so that they are told apart
    backward_of_even_chunk,
    weight_gradient,
    optimizer,
    bubble,
    communication // the first of kind_count paints, in the order of Kind
};
inline constexpr int lane_paint_count = static_cast<int>(LanePaint::communication) + kind_count;

constexpr LanePaint paintOf(Kind kind)
{
    return static_cast<LanePaint>(static_cast<int>(LanePaint::communication) + static_cast<int>(kind));
}
// The kind of a paint of communication; nothing for the others.
constexpr std::optional<Kind> kindOf(LanePaint paint)
{
    const int kind = static_cast<int>(paint) - static_cast<int>(LanePaint::communication);
    return kind < 0 ? std::nullopt : std::optional{static_cast<Kind>(kind)};
}

// The classes of compute are one family: what is nested within it counts once, and closed lanes show it
// together.
constexpr bool isCompute(LanePaint paint)
{
    return paint <= LanePaint::elementwise;
}

// What a pipeline stage does with a micro-batch.
constexpr bool isPass(LanePaint paint)
{
    return paint >= LanePaint::forward && paint <= LanePaint::weight_gradient;
}

// What works, in sums: no bubble, and nothing that stands around other events.
constexpr bool isWork(LanePaint paint)
{
    return isCompute(paint) || isPass(paint) || paint == LanePaint::memory || kindOf(paint).has_value();
}

using LaneColours = std::array<QColor, lane_paint_count>;
// With a kind, all that is not of that kind is faded.
LaneColours laneColours(const Theme& theme, std::optional<Kind> kind);

} // namespace shardscope
