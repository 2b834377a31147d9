#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace shardscope
{

// Where lanes stand, top to bottom, before scrolling. Pure geometry in pixels.

// What a lane shows.
enum class LaneRole : unsigned char {
    stage,      // a predicted pipeline stage
    group,      // ranks that belong together: closed each is a line of the lane, open a title above them
    rank,       // one measured rank: closed it is a summary of its tracks, open a title above them
    track,      // a stream or thread of an open rank
    counter,    // a curve of an open rank
    more_tracks // stands for the tracks of a rank that are not shown
};

// A strip of the picture that bars, a curve or a title lie in.
struct Lane {
    LaneRole role = LaneRole::stage;
    std::size_t rank = 0;  // index; of stage lanes the stage, of group lanes the group
    std::size_t track = 0; // index within the rank; of counter lanes the counter
    int top = 0;
    int height = 0;
    int rows = 1; // of bars, one below the other
    bool is_open = false;
    int first_row = 0; // its height; 0: as high as the others
    int bottom() const { return top + height; }
};

// Of lanes, and of the rows within them.
struct LaneHeights {
    int stage = 14;    // what a stage computes
    int stage_row = 9; // each row of its messages
    int closed_rank = 26;
    int rank_title = 18;
    int row = 16;          // of an open track
    int closed_track = 14; // all its rows squeezed together
    int counter = 34;
    int squeezed_rank = 3; // a line of a closed group
    int gap = 2;           // below every lane
};

// What a layout has to know of a stream or thread.
struct TrackShape {
    int rows = 1;
    bool is_of_interest = true; // shown without being asked for
};

// The same of a measured rank.
struct RankShape {
    std::vector<TrackShape> tracks;
    std::size_t counters = 0;
};
// Of more counters, these are shown without being asked for.
inline constexpr std::size_t counters_at_first = 8;
// Groups of ranks, by index.
using RankGroups = std::vector<std::vector<std::size_t>>;

// Which lanes the user opened. Tracks of one or two rows count as open unless they are in `turned_tracks`,
// deeper ones as closed unless they are.
struct OpenLanes {
    std::set<std::size_t> closed_groups;
    std::set<std::size_t> ranks;
    std::set<std::size_t> ranks_with_all_tracks;
    std::set<std::pair<std::size_t, std::size_t>> turned_tracks;
    bool trackIsOpen(std::size_t rank, std::size_t track, int rows) const
    {
        return (rows <= 2) != turned_tracks.contains({rank, track});
    }
};

// `rows`: of each.
std::vector<Lane> layOutStages(std::size_t stages, int rows, const LaneHeights& heights);
// Without groups the ranks stand as they come; with groups only those in one are shown.
std::vector<Lane> layOutRanks(const std::vector<RankShape>& ranks, const OpenLanes& open,
                              const LaneHeights& heights, const RankGroups& groups = {});

// The height of all lanes.
int heightOf(const std::vector<Lane>& lanes);
// Index of the lane at a height, gaps belonging to the lane above.
std::optional<std::size_t> laneAt(const std::vector<Lane>& lanes, int y);
// Lanes [first, last) with some part in [top, bottom).
std::pair<std::size_t, std::size_t> lanesBetween(const std::vector<Lane>& lanes, int top, int bottom);
// Top and height of one of a lane's rows of bars, from the lane's top.
std::pair<int, int> rowPlace(const Lane& lane, int row);
// The row at a height below the lane's top.
int rowAt(const Lane& lane, int y);

} // namespace shardscope
