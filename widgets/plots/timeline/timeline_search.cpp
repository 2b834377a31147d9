#include "widgets/plots/timeline/timeline_search.h"

#include "widgets/plots/timeline/timeline_flow.h"
#include "widgets/session/shown_text.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shardscope
{

namespace
{

std::vector<bool> namesWith(const NameTable& names, const QString& text)
{
    std::vector<bool> found(names.size());
    for (std::size_t id = 0; id < found.size(); ++id) {
        const std::string_view name = names.text(NameId{static_cast<std::uint32_t>(id)});
        found[id] = toQString(name).contains(text, Qt::CaseInsensitive);
    }
    return found;
}

} // namespace

TimelineSearch::TimelineSearch(std::shared_ptr<const MeasuredLanes> lanes, const QString& text)
    : m_lanes{std::move(lanes)}
{
    if (!m_lanes || text.isEmpty())
        return;
    for (const MeasuredRank& rank : m_lanes->ranks) {
        const std::vector<bool> found = namesWith(rank.store->names(), text);
        if (std::find(found.begin(), found.end(), true) != found.end())
            for (const NameId name : rank.store->nameIds())
                m_count += found[static_cast<std::size_t>(name)] ? 1 : 0;
        m_names.push_back(found);
    }
}

bool TimelineSearch::isBefore(const Hit& a, const Hit& b)
{
    const auto key = [](const Hit& hit) {
        return std::tuple{hit.start, hit.spot.rank, hit.spot.track, hit.spot.row, hit.spot.span};
    };
    return key(a) < key(b);
}

bool TimelineSearch::matches(const TraceRow& row, std::size_t rank, std::size_t event) const
{
    return m_names[rank][static_cast<std::size_t>(m_lanes->ranks[rank].store->nameId(row.event(event)))];
}

template<class Visitor>
void TimelineSearch::forEachRow(Visitor visit) const
{
    for (std::size_t rank = 0; rank < m_names.size(); ++rank)
        for (std::size_t track = 0; track < m_lanes->ranks[rank].tracks.size(); ++track)
            for (std::size_t row = 0; row < m_lanes->ranks[rank].tracks[track].rows.size(); ++row)
                visit(m_lanes->ranks[rank].tracks[track].rows[row],
                      TimelineSpot{TimelineSection::measured, rank, track, row, 0});
}

// Looks along each row from where the hit would stand in it, no further than the best hit so far.
std::optional<TimelineSpot> TimelineSearch::nearest(const Hit& from, bool forward) const
{
    std::optional<Hit> best;
    forEachRow([&](const TraceRow& row, TimelineSpot spot) {
        const MeasuredRank& rank = m_lanes->ranks[spot.rank];
        const auto start = [&](std::size_t i) { return rank.start(row.event(i)); };
        const auto hitAt = [&](std::size_t i) {
            spot.span = static_cast<std::uint32_t>(i);
            return Hit{start(i), spot};
        };
        const auto [around, end] = row.visible(rank.ownTime({from.start, 1}));
        if (forward) {
            for (std::size_t i = around; i < row.size() && !(best && start(i) > best->start); ++i)
                if (matches(row, spot.rank, i) && isBefore(from, hitAt(i))
                    && (!best || isBefore(hitAt(i), *best))) {
                    best = hitAt(i);
                    break;
                }
        } else {
            for (std::size_t i = std::min(row.size(), end + 1); i-- > 0 && !(best && start(i) < best->start);)
                if (matches(row, spot.rank, i) && isBefore(hitAt(i), from)
                    && (!best || isBefore(*best, hitAt(i)))) {
                    best = hitAt(i);
                    break;
                }
        }
    });
    return best ? std::optional{best->spot} : std::nullopt;
}

std::optional<TimelineSpot> TimelineSearch::next(const std::optional<TimelineSpot>& from) const
{
    if (m_count == 0)
        return std::nullopt;
    if (from && from->section == TimelineSection::measured)
        if (const auto hit =
                nearest({m_lanes->ranks[from->rank].start(eventOf(*m_lanes, *from)), *from}, true))
            return hit;
    return nearest({std::numeric_limits<TraceTime>::min(), {}}, true);
}

std::optional<TimelineSpot> TimelineSearch::previous(const std::optional<TimelineSpot>& from) const
{
    if (m_count == 0)
        return std::nullopt;
    if (from && from->section == TimelineSection::measured)
        if (const auto hit =
                nearest({m_lanes->ranks[from->rank].start(eventOf(*m_lanes, *from)), *from}, false))
            return hit;
    return nearest({std::numeric_limits<TraceTime>::max() - 1, {}}, false);
}

std::optional<TimelineSpot> TimelineSearch::firstFrom(TraceTime time) const
{
    if (m_count == 0)
        return std::nullopt;
    const auto hit = nearest({time - 1, {.rank = std::numeric_limits<std::size_t>::max()}}, true);
    return hit ? hit : next(std::nullopt);
}

std::int64_t TimelineSearch::placeOf(const TimelineSpot& spot) const
{
    const Hit hit{m_lanes->ranks[spot.rank].start(eventOf(*m_lanes, spot)), spot};
    std::int64_t before = 1;
    forEachRow([&](const TraceRow& row, TimelineSpot place) {
        const MeasuredRank& rank = m_lanes->ranks[place.rank];
        for (std::size_t i = 0; i < row.size() && rank.start(row.event(i)) <= hit.start; ++i) {
            place.span = static_cast<std::uint32_t>(i);
            if (matches(row, place.rank, i) && isBefore({rank.start(row.event(i)), place}, hit))
                ++before;
        }
    });
    return before;
}

} // namespace shardscope
