#include "core/prediction/time/pod_placement.h"

#include "core/collectives/collective_cost.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace shardscope
{

namespace
{

// Pods that groups lie on unlike each other are so again and again: the first ones tell.
constexpr std::int64_t most_pods = 8;

// Ranks that send to the rank `delta` on.
struct Hop {
    std::int64_t delta = 0;
    RankSet senders;

    std::int64_t leaving(std::int64_t begin, std::int64_t end) const
    {
        const std::int64_t first = std::max(begin, begin - delta);
        const std::int64_t last = std::min(end, end - delta);
        return senders.count(begin, end) - (first < last ? senders.count(first, last) : 0);
    }
};

void splitAt(std::size_t digit, std::int64_t value, std::vector<RankBox>& boxes)
{
    const std::size_t count = boxes.size();
    for (std::size_t i = 0; i < count; ++i) {
        DigitRange& range = boxes[i][digit];
        if (value <= range.begin || value >= range.end)
            continue;
        boxes.push_back(boxes[i]);
        boxes.back()[digit].begin = value;
        boxes[i][digit].end = value;
    }
}

bool runsAlong(Kind kind, Dimension dimension, const Parallel& parallel)
{
    switch (kind) {
    case Kind::tp:
        return dimension == Dimension::tp;
    case Kind::cp:
        return dimension == Dimension::cp;
    case Kind::emb:
    case Kind::pp:
        return dimension == Dimension::pp;
    case Kind::dp:
        return dimension == Dimension::cp || dimension == Dimension::dp;
    case Kind::ep:
    case Kind::edp:
        return sharesExperts(parallel, dimension);
    default:
        return true;
    }
}

void keepStage(const RankDigits& digits, int stage, std::vector<RankBox>& boxes)
{
    for (std::size_t i = 0; i < digits.count(); ++i) {
        if (digits[i].dimension != Dimension::pp)
            continue;
        splitAt(i, stage, boxes);
        splitAt(i, stage + 1, boxes);
        std::erase_if(boxes, [&](const RankBox& box) { return box[i].begin != stage; });
    }
}

// How far on the next member is depends on which digits of the group are at their last value, for the
// embedding's also on which are at their first. Of one stage, or of all.
template<class Next>
std::vector<Hop> hopsOf(const RankLayout& layout, Kind kind, const Next& next,
                        std::optional<int> stage = std::nullopt)
{
    const RankDigits& digits = layout.digits();
    std::vector<RankBox> boxes(1);
    for (std::size_t i = 0; i < digits.count(); ++i)
        boxes.front()[i] = {0, digits[i].size};
    for (std::size_t i = 0; i < digits.count(); ++i) {
        if (!runsAlong(kind, digits[i].dimension, layout.parallel()))
            continue;
        splitAt(i, digits[i].size - 1, boxes);
        if (kind == Kind::emb)
            splitAt(i, 1, boxes);
    }
    if (stage)
        keepStage(digits, *stage, boxes);
    std::vector<Hop> hops;
    for (const RankBox& box : boxes) {
        std::int64_t rank = 0;
        for (std::size_t i = 0; i < digits.count(); ++i)
            rank += box[i].begin * digits[i].stride;
        if (const std::int64_t delta = next(rank) - rank; delta != 0)
            hops.push_back({delta, RankSet{digits, box}});
    }
    return hops;
}

// The ranks that a pod has, and the world's.
class Pods
{
public:
    Pods(const RankLayout& layout, const Machine& machine)
        : m_layout{layout}, m_world{layout.worldSize()}, m_ranks{machine.podRanks(m_world)}
    {
    }

    bool areSeveral() const { return m_ranks > 0; }

    // The most hops of the kind's rings that leave one.
    std::int64_t leavingRings(Kind kind) const
    {
        const auto next = [&](std::int64_t rank) { return m_layout.next(kind, rank); };
        if (m_layout.expertGroupsAreWhole() && !hasMirroredStages(m_layout.parallel()))
            return mostLeaving(0, hopsOf(m_layout, kind, next));
        std::int64_t leaving = 0; // groups that have no such form: the first pod is counted out
        for (std::int64_t rank = 0; rank < m_ranks; ++rank)
            leaving += next(rank) < m_ranks ? 0 : 1;
        return leaving;
    }

    // The most messages between stages that leave the pods of `stage`, where one of its own does; gradients
    // on the way back are not taken to leave at the same moment, but with dualpipe and in a V all go both
    // ways.
    std::int64_t leavingStages(int stage) const
    {
        RankCoordinates place;
        place.pp = stage;
        const std::int64_t first = m_layout.rank(place);
        const auto next = [&](std::int64_t rank) { return nextStage(rank); };
        const std::vector<Hop> own = hopsOf(m_layout, Kind::pp, next, stage);
        std::vector<Hop> hops = hopsOf(m_layout, Kind::pp, next);
        if (hasMirroredStages(m_layout.parallel()) || isVShaped(m_layout.parallel().schedule))
            for (const Hop& hop :
                 hopsOf(m_layout, Kind::pp, [&](std::int64_t rank) { return previousStage(rank); }))
                hops.push_back(hop);
        const std::int64_t pod = first / m_ranks;
        return mostLeaving(pod, own) > 0 ? mostLeaving(pod, hops) : 0;
    }

    // The most of what an all_to_all of whole groups sends out of one: in ranks, of which each would send
    // all. Of a group that its border cuts the part inside sends the part outside its share; between two
    // members the part is taken to grow evenly. `span`: ranks from a group's first member to where the next
    // begin.
    double leavingToAll(std::int64_t span) const
    {
        double most = 0.0;
        for (std::int64_t pod = 0; pod < most_pods && pod * m_ranks < m_world; ++pod) {
            const std::int64_t begin = pod * m_ranks;
            const std::int64_t end = std::min(m_world, begin + m_ranks);
            double leaving = partOf(begin, std::min(end, (begin / span + 1) * span), span);
            if (end / span > begin / span)
                leaving += partOf(end / span * span, end, span);
            most = std::max(most, leaving);
        }
        return most;
    }

private:
    static double partOf(std::int64_t begin, std::int64_t end, std::int64_t span)
    {
        const auto ranks = static_cast<double>(end - begin);
        return ranks * (1.0 - ranks / static_cast<double>(span));
    }

    std::int64_t mostLeaving(std::int64_t first_pod, const std::vector<Hop>& hops) const
    {
        std::int64_t most = 0;
        for (std::int64_t pod = first_pod; pod < first_pod + most_pods && pod * m_ranks < m_world; ++pod) {
            const std::int64_t end = std::min(m_world, (pod + 1) * m_ranks);
            std::int64_t leaving = 0;
            for (const Hop& hop : hops)
                leaving += hop.leaving(pod * m_ranks, end);
            most = std::max(most, leaving);
        }
        return most;
    }

    // The rank itself where nothing is sent on: behind the last stage, unless interleaved ones follow.
    std::int64_t nextStage(std::int64_t rank) const
    {
        const std::int64_t next = m_layout.nextStage(rank);
        return next > rank || m_layout.parallel().schedule == Schedule::interleaved ? next : rank;
    }
    std::int64_t previousStage(std::int64_t rank) const
    {
        const std::int64_t previous = m_layout.previousStage(rank);
        return previous < rank ? previous : rank;
    }

    const RankLayout& m_layout;
    std::int64_t m_world;
    std::int64_t m_ranks;
};

// From the first member of rank 0's group to where the next groups begin.
std::int64_t spanOf(const RankLayout& layout, Kind kind)
{
    const std::vector<std::int64_t> group = layout.group(kind, 0);
    const auto members = static_cast<std::int64_t>(group.size());
    return members < 2 ? 1 : (group.back() - group.front()) / (members - 1) * members;
}

// Of the network that the nodes of a pod have: each hop has its part of a node's.
double shareOfHops(std::int64_t leaving, int sharing, const Machine& machine)
{
    return static_cast<double>(leaving) / (std::max(1, sharing) * machine.podDomains());
}

double shareToAll(double leaving, const Communicator& group, const Machine& machine)
{
    const double senders = adaptersOf(group);
    const double of_node = std::max(1, group.siblings) * senders * (1.0 - senders / group.members);
    return leaving / (of_node * machine.podDomains());
}

} // namespace

PodPlace podPlaceOf(const RankLayout& layout, Kind kind, const Communicator& group, const Machine& machine)
{
    const Pods pods{layout, machine};
    if (!pods.areSeveral() || group.nodes() == 1)
        return {};
    PodPlace place{shareOfHops(pods.leavingRings(kind), group.siblings, machine), 0.0};
    if (kind == Kind::ep || kind == Kind::cp) // others have no all_to_all
        place.share_to_all = shareToAll(pods.leavingToAll(spanOf(layout, kind)), group, machine);
    return place;
}

PodPlace podPlaceInOrder(const Communicator& group, const Machine& machine)
{
    if (machine.pod_gpus == 0 || group.nodes() <= machine.podDomains())
        return {};
    const double ranks = group.per_node * machine.podDomains();
    return {shareOfHops(1, 1, machine), shareToAll(ranks * (1.0 - ranks / group.members), group, machine)};
}

double podShareOfWay(const RankLayout& layout, int stage, int sharing, const Machine& machine)
{
    const Pods pods{layout, machine};
    return pods.areSeveral() ? shareOfHops(pods.leavingStages(stage), sharing, machine) : 0.0;
}

} // namespace shardscope
