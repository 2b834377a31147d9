#include "widgets/plots/timeline/lane_layout.h"

#include <algorithm>

namespace shardscope
{

namespace
{

class LaneStack
{
public:
    explicit LaneStack(int gap) : m_gap{gap} {}

    void add(Lane lane, int height)
    {
        lane.top = m_bottom;
        lane.height = height;
        m_bottom = lane.bottom() + m_gap;
        m_lanes.push_back(lane);
    }
    std::vector<Lane> take() { return std::move(m_lanes); }

private:
    std::vector<Lane> m_lanes;
    int m_gap;
    int m_bottom = 0;
};

void addTracks(LaneStack& stack, std::size_t rank, const RankShape& shape, const OpenLanes& open,
               const LaneHeights& heights)
{
    const bool shows_all = open.ranks_with_all_tracks.contains(rank);
    bool hides_some = false;
    for (std::size_t track = 0; track < shape.tracks.size(); ++track) {
        const TrackShape& one = shape.tracks[track];
        if (!one.is_of_interest && !shows_all) {
            hides_some = true;
            continue;
        }
        const bool is_open = open.trackIsOpen(rank, track, one.rows);
        stack.add({LaneRole::track, rank, track, 0, 0, one.rows, is_open},
                  is_open ? one.rows * heights.row : heights.closed_track);
    }
    const std::size_t counters = shows_all ? shape.counters : std::min(shape.counters, counters_at_first);
    hides_some = hides_some || counters < shape.counters;
    for (std::size_t counter = 0; counter < counters; ++counter)
        stack.add({LaneRole::counter, rank, counter, 0, 0, 1, true}, heights.counter);
    if (hides_some || shows_all)
        stack.add({LaneRole::more_tracks, rank, 0, 0, 0, 0, shows_all}, heights.closed_track);
}

} // namespace

std::vector<Lane> layOutStages(std::size_t stages, int rows, const LaneHeights& heights)
{
    LaneStack stack{heights.gap};
    for (std::size_t stage = 0; stage < stages; ++stage)
        stack.add({LaneRole::stage, stage, 0, 0, 0, rows, true, heights.stage},
                  heights.stage + (rows - 1) * heights.stage_row);
    return stack.take();
}

std::vector<Lane> layOutRanks(const std::vector<RankShape>& ranks, const OpenLanes& open,
                              const LaneHeights& heights, const RankGroups& groups)
{
    LaneStack stack{heights.gap};
    const auto add = [&](std::size_t rank) {
        const bool is_open = open.ranks.contains(rank);
        stack.add({LaneRole::rank, rank, 0, 0, 0, is_open ? 0 : 2, is_open},
                  is_open ? heights.rank_title : heights.closed_rank);
        if (is_open)
            addTracks(stack, rank, ranks[rank], open, heights);
    };
    for (std::size_t rank = 0; groups.empty() && rank < ranks.size(); ++rank)
        add(rank);
    for (std::size_t group = 0; group < groups.size(); ++group) {
        const int members = static_cast<int>(groups[group].size());
        const bool is_open = !open.closed_groups.contains(group);
        const int squeezed =
            std::clamp(members * heights.squeezed_rank, heights.closed_rank, 2 * heights.closed_rank);
        stack.add({LaneRole::group, group, 0, 0, 0, members, is_open},
                  is_open ? heights.rank_title : squeezed);
        for (const std::size_t rank : groups[group])
            if (is_open)
                add(rank);
    }
    return stack.take();
}

int heightOf(const std::vector<Lane>& lanes)
{
    return lanes.empty() ? 0 : lanes.back().bottom();
}

std::optional<std::size_t> laneAt(const std::vector<Lane>& lanes, int y)
{
    const auto after = std::upper_bound(lanes.begin(), lanes.end(), y,
                                        [](int at, const Lane& lane) { return at < lane.top; });
    if (after == lanes.begin() || y >= heightOf(lanes))
        return std::nullopt;
    return static_cast<std::size_t>(after - lanes.begin() - 1);
}

std::pair<std::size_t, std::size_t> lanesBetween(const std::vector<Lane>& lanes, int top, int bottom)
{
    const auto first = std::partition_point(lanes.begin(), lanes.end(),
                                            [top](const Lane& lane) { return lane.bottom() <= top; });
    const auto last =
        std::partition_point(first, lanes.end(), [bottom](const Lane& lane) { return lane.top < bottom; });
    return {static_cast<std::size_t>(first - lanes.begin()), static_cast<std::size_t>(last - lanes.begin())};
}

std::pair<int, int> rowPlace(const Lane& lane, int row)
{
    const int rows = std::max(1, lane.rows);
    if (lane.first_row > 0 && rows > 1) {
        if (row == 0)
            return {0, lane.first_row};
        const int rest = lane.height - lane.first_row;
        const int top = lane.first_row + (row - 1) * rest / (rows - 1);
        return {top, lane.first_row + row * rest / (rows - 1) - top};
    }
    // Rows that are thinner than a pixel share one.
    const int top = row * lane.height / rows;
    const int bottom = std::max(top + 1, (row + 1) * lane.height / rows);
    return {std::min(top, lane.height - 1), std::min(bottom, lane.height) - std::min(top, lane.height - 1)};
}

int rowAt(const Lane& lane, int y)
{
    const int rows = std::max(1, lane.rows);
    if (lane.first_row > 0 && rows > 1) {
        const int rest = std::max(1, lane.height - lane.first_row);
        const int below = y - lane.first_row;
        return below < 0 ? 0 : std::clamp(1 + ((below + 1) * (rows - 1) - 1) / rest, 1, rows - 1);
    }
    return std::clamp(((y + 1) * rows - 1) / std::max(1, lane.height), 0, rows - 1);
}

} // namespace shardscope
