#pragma once

#include "core/trace/column.h"
#include "core/trace/trace_store.h"
#include "widgets/plots/timeline/lane_paint.h"

#include <array>
#include <cstdint>
#include <functional>

namespace shardscope
{

// What each event of a store is drawn as, and whether it counts in sums: an event inside another of the same
// paint on its track does not, nor one of compute inside compute.
class EventPaints
{
public:
    EventPaints() = default;
    EventPaints(const TraceStore& store, const std::function<LanePaint(EventIndex)>& paint_of);

    LanePaint paint(std::size_t event) const { return static_cast<LanePaint>(m_marks[event] & paint_mask); }
    bool counts(std::size_t event) const { return (m_marks[event] & nested_mark) == 0; }

private:
    static constexpr std::uint8_t nested_mark = 0x80;
    static constexpr std::uint8_t paint_mask = 0x7f;
    Column<std::uint8_t> m_marks;
};

using PaintDurations = std::array<TraceTime, lane_paint_count>;

} // namespace shardscope
