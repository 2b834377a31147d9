#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/traffic/link_totals.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// Adapters by which the rings of one group of a kind leave a node at most; 0: by one for each member there.
using RingAdapters = std::array<double, kind_count>;

// What a rank sends and receives in the rings of a group.
struct RingLoad {
    std::int64_t group = 0; // what tells it from others of its kind
    std::int64_t rank = 0;
    LinkLoad load;
};

// What the GPUs of one node have on links of their own in an iteration. The ring convention sends all of a
// group's bytes from each member to the next, so that one member's link carries all that leaves the node. Of
// a collective there are as many rings as the group has members there, each of which leaves by another one's
// adapter: what a group that leaves the node has there is shared evenly among them, as the time of
// collectives takes it.
class NodeLoads
{
public:
    // With `has_pairs` also what each GPU sends to each other one of the node.
    NodeLoads(std::int64_t first_rank, std::int64_t gpus, bool has_pairs);

    // What a rank sends and receives by itself: between stages, around a context ring, by all_to_all.
    void addOwn(std::int64_t rank, const LinkLoad& load);
    void addOwnPair(std::int64_t sender, std::int64_t receiver, double bytes);
    // What ranks of the node send in the rings of a kind's groups. `adapters`: by which the rings of a group
    // leave it at most, 0 for all.
    void addRings(std::vector<RingLoad> ranks, double adapters);

    std::int64_t firstRank() const { return m_first_rank; }
    std::span<const LinkLoad> loads() const { return m_loads; } // of the GPUs, by place
    // Pre: has_pairs.
    double between(std::size_t sender, std::size_t receiver) const
    {
        return m_pairs[sender * m_loads.size() + receiver];
    }
    bool hasPairs() const { return !m_pairs.empty(); }

private:
    void addGroup(std::span<const RingLoad> members, double adapters);
    std::size_t place(std::int64_t rank) const { return static_cast<std::size_t>(rank - m_first_rank); }

    std::int64_t m_first_rank = 0;
    std::vector<LinkLoad> m_loads;
    std::vector<double> m_pairs; // by sender, then receiver
};

// Whether each message of the kind goes by the sender's and the receiver's own links: between stages, around
// a context ring, to the experts of others. All others are sent in rings.
bool goesByOwnLinks(Kind kind);

// linkLoads() of the kinds of whose families there are so many that `ranks` of them are better counted with
// all others; empty: ask for each.
using LoadsOfKinds = std::array<std::vector<LinkLoad>, kind_count>;
LoadsOfKinds loadsOfManyFamilies(const TrafficFamilies& families, std::int64_t ranks, std::int64_t node);
// About how many additions that and what is left then take.
std::int64_t loadsCost(const TrafficFamilies& families, std::int64_t ranks);

// The links of the node whose first rank is given, with the traffic of a scenario.
NodeLoads nodeLoads(const TrafficFamilies& families, std::int64_t first_rank, std::int64_t node,
                    bool has_pairs, const RingAdapters& adapters, const LoadsOfKinds& counted = {});

} // namespace shardscope
