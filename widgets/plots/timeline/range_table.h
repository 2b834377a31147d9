#pragma once

#include "widgets/plots/timeline/timeline_scene.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

enum class RangeGrouping : unsigned char { kind, name, stream };

// What a stretch of time holds of one group of measured events. Events are cut at its edges.
struct RangeRow {
    QString name;
    LanePaint paint = LanePaint::other; // of most of it
    std::int64_t count = 0;
    TraceTime sum_ns = 0;
    TraceTime min_ns = 0;
    TraceTime max_ns = 0;
    double mean_ns() const
    {
        return count > 0 ? static_cast<double>(sum_ns) / static_cast<double>(count) : 0.0;
    }
};

// Of all ranks, longest sum first. By kind and by name only events that count are there: none inside another
// of its own paint. The streams are those of interest. `axis` as TimelineView::selectedRange().
std::vector<RangeRow> rangeTable(const MeasuredLanes& lanes, const TimeRange& axis, RangeGrouping grouping);

// What a bar of this paint is called.
QString nameOf(LanePaint paint);
// Whether tables and sums list it: no passes, which are compute, and nothing that stands around other events.
bool isSummedUp(LanePaint paint);

} // namespace shardscope
