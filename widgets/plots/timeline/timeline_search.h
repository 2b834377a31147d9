#pragma once

#include "widgets/plots/timeline/timeline_scene.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// Measured events whose name contains a text, whatever its case. Names are compared once, not events; hits
// are not stored, so that a search for what occurs a million times costs nothing.
class TimelineSearch
{
public:
    TimelineSearch() = default;
    TimelineSearch(std::shared_ptr<const MeasuredLanes> lanes, const QString& text);

    std::int64_t count() const { return m_count; }
    // The hit that starts next after a spot (before it), by time, then by lane; around the ends of the run.
    std::optional<TimelineSpot> next(const std::optional<TimelineSpot>& from) const;
    std::optional<TimelineSpot> previous(const std::optional<TimelineSpot>& from) const;
    // The first hit that starts at a time or later, else the first of all.
    std::optional<TimelineSpot> firstFrom(TraceTime time) const;
    // How many hits come before it; from 1 for the first.
    std::int64_t placeOf(const TimelineSpot& spot) const;

private:
    // A hit with what hits are ordered by.
    struct Hit {
        TraceTime start = 0;
        TimelineSpot spot;
    };
    static bool isBefore(const Hit& a, const Hit& b);
    bool matches(const TraceRow& row, std::size_t rank, std::size_t event) const;
    std::optional<TimelineSpot> nearest(const Hit& from, bool forward) const;
    template<class Visitor>
    void forEachRow(Visitor visit) const;

    std::shared_ptr<const MeasuredLanes> m_lanes;
    std::vector<std::vector<bool>> m_names; // by rank and NameId
    std::int64_t m_count = 0;
};

} // namespace shardscope
