#include "core/prediction/time/pod_placement.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Pods that groups lie on unlike each other are so again and again: the first few tell, of large ones one.
constexpr std::int64_t most_pods = 4;
constexpr std::int64_t most_ranks = 2048; // of several

// The pods of a world, and how many of a pod's ranks send to other pods.
class Pods
{
public:
    Pods(const RankLayout& layout, const Machine& machine)
        : m_layout{layout},
          m_world{layout.worldSize()},
          m_ranks{machine.pod_domains * machine.domainOf(m_world)},
          m_are_alike{areSeveral() && layout.blocksHoldWholeDigits(m_ranks)}
    {
    }

    bool areSeveral() const { return m_ranks > 0 && m_ranks < m_world; }
    bool leaves(std::int64_t from, std::int64_t to) const { return from / m_ranks != to / m_ranks; }
    std::int64_t ranks() const { return m_ranks; }

    // Whose next member is in another pod.
    std::int64_t leavingRings(Kind kind) const
    {
        const auto rankLeaves = [&](std::int64_t rank) { return leaves(rank, m_layout.next(kind, rank)); };
        if (!m_are_alike)
            return mostLeaving(0, rankLeaves);
        if (kind == Kind::emb) // the ranks of the first stage
            return rankLeaves(0) ? m_ranks / m_layout.membersBelow(Kind::pp, m_ranks) : 0;
        std::int64_t leaving = 0;
        for (const std::int64_t member : m_layout.group(kind, 0))
            leaving += member < m_ranks && rankLeaves(member) ? 1 : 0;
        return leaving * (m_ranks / m_layout.membersBelow(kind, m_ranks));
    }

    // Whose next stage is in another pod, where it is so of `stage`; 0 where it is not.
    std::int64_t leavingStages(int stage) const
    {
        RankCoordinates place;
        place.pp = stage;
        const std::int64_t first = m_layout.rank(place);
        bool stage_leaves = false;
        const auto rankLeaves = [&](std::int64_t rank) {
            const int at = m_layout.coordinates(rank).pp;
            const bool sends_on =
                at + 1 < m_layout.parallel().pipeline || m_layout.parallel().virtual_stages > 1;
            const bool leaving = sends_on && leaves(rank, m_layout.nextStage(rank));
            stage_leaves = stage_leaves || (leaving && at == stage);
            return leaving;
        };
        std::int64_t leaving = 0;
        if (m_are_alike) {
            for (const std::int64_t member : m_layout.group(Kind::pp, first))
                leaving += !leaves(first, member) && rankLeaves(member) ? 1 : 0;
            leaving *= m_ranks / m_layout.membersBelow(Kind::pp, m_ranks);
        } else {
            leaving = mostLeaving(first / m_ranks, rankLeaves);
        }
        return stage_leaves ? leaving : 0;
    }

private:
    // Of the pods that are looked at from one on.
    template<class RankLeaves>
    std::int64_t mostLeaving(std::int64_t first_pod, const RankLeaves& rank_leaves) const
    {
        const std::int64_t end = first_pod + std::clamp<std::int64_t>(most_ranks / m_ranks, 1, most_pods);
        std::int64_t most = 0;
        for (std::int64_t pod = first_pod; pod < end && pod * m_ranks < m_world; ++pod) {
            std::int64_t leaving = 0;
            for (std::int64_t rank = pod * m_ranks; rank < std::min(m_world, (pod + 1) * m_ranks); ++rank)
                leaving += rank_leaves(rank) ? 1 : 0;
            most = std::max(most, leaving);
        }
        return most;
    }

    const RankLayout& m_layout;
    std::int64_t m_world;
    std::int64_t m_ranks;
    bool m_are_alike;
};

// Each of so many has its part of a node's network.
double shareOfPod(std::int64_t leaving, int sharing, const Machine& machine)
{
    return static_cast<double>(leaving) / (std::max(1, sharing) * static_cast<double>(machine.pod_domains));
}

} // namespace

PodPlace podPlaceOf(const RankLayout& layout, Kind kind, const Communicator& group, const Machine& machine)
{
    const Pods pods{layout, machine};
    const std::int64_t leaving = pods.areSeveral() && group.nodes() > 1 ? pods.leavingRings(kind) : 0;
    if (leaving == 0)
        return {};
    return {shareOfPod(leaving, group.siblings, machine),
            static_cast<int>(std::max<std::int64_t>(1, layout.membersBelow(kind, pods.ranks())))};
}

PodPlace podPlaceInOrder(const Communicator& group, const Machine& machine)
{
    if (machine.pod_domains == 0 || group.nodes() <= machine.pod_domains)
        return {};
    return {shareOfPod(1, 1, machine), group.per_node * machine.pod_domains};
}

double podShareOfWay(const RankLayout& layout, int stage, int sharing, const Machine& machine)
{
    const Pods pods{layout, machine};
    return pods.areSeveral() ? shareOfPod(pods.leavingStages(stage), sharing, machine) : 0.0;
}

} // namespace shardscope
