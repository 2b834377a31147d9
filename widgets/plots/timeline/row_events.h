#pragma once

#include "widgets/plots/timeline/event_paints.h"

#include <cstdint>
#include <span>

namespace shardscope
{

// The events of a row in order; they do not overlap. Refers to whose they are.
struct RowEvents {
    const TraceStore& store;
    const EventPaints& paints;
    std::span<const std::uint32_t> rows; // of the store; empty: `first_row` and what follows
    std::uint32_t first_row = 0;
    std::size_t count = 0;

    std::size_t row(std::size_t i) const { return rows.empty() ? first_row + i : rows[i]; }
    TraceTime start(std::size_t i) const { return store.starts()[row(i)]; }
    TraceTime duration(std::size_t i) const { return store.durations()[row(i)]; }
    TraceTime end(std::size_t i) const { return start(i) + duration(i); }
    LanePaint paint(std::size_t i) const { return paints.paint(row(i)); }

    // Of [first, last) the first that starts at a time or later.
    std::size_t firstFrom(TraceTime time_ns, std::size_t first, std::size_t last) const
    {
        while (first < last) {
            const std::size_t middle = first + (last - first) / 2;
            if (start(middle) < time_ns)
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }
    // Of [first, last) the first that starts at a time or later, or ends after it.
    std::size_t firstAlive(TraceTime time_ns, std::size_t first, std::size_t last) const
    {
        const std::size_t found = firstFrom(time_ns, first, last);
        return found > first && end(found - 1) > time_ns ? found - 1 : found;
    }
    // Those that are, wholly or in part, between two times.
    std::pair<std::size_t, std::size_t> between(TraceTime from_ns, TraceTime to_ns) const
    {
        const std::size_t first = firstAlive(from_ns, 0, count);
        return {first, firstFrom(to_ns, first, count)};
    }
};

} // namespace shardscope
