#include "core/prediction/time/pod_placement.h"

#include <algorithm>
#include <vector>

namespace shardscope
{

namespace
{

// Pods that groups lie on unlike each other are so again and again: the first few tell, of large ones one.
constexpr std::int64_t most_pods = 4;
constexpr std::int64_t large_pod = 2048; // ranks

// The pods of a world; none where it has one alone.
class Pods
{
public:
    Pods(const RankLayout& layout, const Machine& machine)
        : m_world{layout.worldSize()}, m_ranks{machine.pod_domains * machine.domainOf(m_world)}
    {
    }

    bool areSeveral() const { return m_ranks > 0 && m_ranks < m_world; }
    std::int64_t of(std::int64_t rank) const { return rank / m_ranks; }
    std::int64_t ranks() const { return m_ranks; }

    // The most ranks that leave their pod, of those pods that are looked at from one on.
    template<class Leaves>
    std::int64_t mostLeaving(std::int64_t first_pod, const Leaves& leaves) const
    {
        const std::int64_t pods = m_ranks > large_pod ? 1 : most_pods;
        std::int64_t most = 0;
        for (std::int64_t pod = first_pod; pod < first_pod + pods && pod * m_ranks < m_world; ++pod) {
            std::int64_t leaving = 0;
            for (std::int64_t rank = pod * m_ranks; rank < std::min(m_world, (pod + 1) * m_ranks); ++rank)
                leaving += leaves(rank) ? 1 : 0;
            most = std::max(most, leaving);
        }
        return most;
    }

private:
    std::int64_t m_world;
    std::int64_t m_ranks;
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
    if (!pods.areSeveral() || group.nodes() == 1)
        return {};
    const std::int64_t leaving = pods.mostLeaving(
        0, [&](std::int64_t rank) { return pods.of(layout.next(kind, rank)) != pods.of(rank); });
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
    if (!pods.areSeveral())
        return 0.0;
    const Parallel& parallel = layout.parallel();
    const auto last = static_cast<int>(parallel.pipeline) - 1;
    bool stage_leaves = false;
    RankCoordinates place;
    place.pp = stage;
    const std::int64_t leaving = pods.mostLeaving(pods.of(layout.rank(place)), [&](std::int64_t rank) {
        const int at = layout.coordinates(rank).pp;
        const bool sends = at < last || parallel.virtual_stages > 1;
        const bool leaves = sends && pods.of(layout.nextStage(rank)) != pods.of(rank);
        stage_leaves = stage_leaves || (leaves && at == stage);
        return leaves;
    });
    return stage_leaves ? shareOfPod(leaving, sharing, machine) : 0.0;
}

} // namespace shardscope
