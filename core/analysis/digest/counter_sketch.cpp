#include "core/analysis/digest/counter_sketch.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace shardscope
{

namespace
{

constexpr std::size_t kept_of_a_part = 4;
constexpr std::size_t parts = most_sketched_samples / kept_of_a_part;

// Keeps the samples from `first` up to `end` that show the course.
void addPart(const Counter& counter, std::size_t first, std::size_t end, Counter& sketch)
{
    const auto value = [&](std::size_t i) { return counter.values[i]; };
    std::size_t least = first;
    std::size_t greatest = first;
    for (std::size_t i = first; i < end; ++i) {
        least = value(i) < value(least) ? i : least;
        greatest = value(i) > value(greatest) ? i : greatest;
    }
    std::array<std::size_t, kept_of_a_part> kept{first, least, greatest, end - 1};
    std::ranges::sort(kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (i > 0 && kept[i] == kept[i - 1])
            continue;
        sketch.times.push_back(counter.times[kept[i]]);
        sketch.values.push_back(value(kept[i]));
    }
}

} // namespace

Counter sketchCounter(const Counter& counter)
{
    if (counter.times.size() <= most_sketched_samples)
        return counter;
    Counter sketch{counter.pid, counter.name, counter.is_bytes, {}, {}};
    // Unsigned, as times may lie further apart than a signed number reaches.
    const auto since_begin = [&](std::size_t i) {
        return static_cast<std::uint64_t>(counter.times[i]) - static_cast<std::uint64_t>(counter.times[0]);
    };
    const std::uint64_t part_ns = since_begin(counter.times.size() - 1) / parts + 1;
    for (std::size_t first = 0; first < counter.times.size();) {
        std::size_t end = first + 1;
        while (end < counter.times.size() && since_begin(end) / part_ns == since_begin(first) / part_ns)
            ++end;
        addPart(counter, first, end, sketch);
        first = end;
    }
    return sketch;
}

} // namespace shardscope
