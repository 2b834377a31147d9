#include "core/prediction/time/node_placement.h"

#include "core/prediction/time/pod_placement.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace shardscope
{

namespace
{

// Where groups lie unlike each other they do so again and again: of large worlds the first nodes tell.
constexpr std::int64_t most_nodes = 128;

// A group on a node that it leaves.
struct Leaving {
    std::int64_t rank = 0; // one of its members there
    int members = 0;       // there
    int groups = 0;        // that leave the node
};

// Members of groups on one node, and how many of these groups leave it.
class NodeGroups
{
public:
    NodeGroups(const RankLayout& layout, Kind kind)
        : m_layout{layout}, m_kind{kind}, m_size{layout.groupSize(kind)}
    {
    }

    // Of those that leave the one with the fewest members there; nothing where none leaves.
    std::optional<Leaving> smallest(std::int64_t begin, std::int64_t end)
    {
        m_first_members.clear();
        for (std::int64_t rank = begin; rank < end; ++rank)
            if (const std::int64_t first = m_layout.firstMember(m_kind, rank); first >= 0)
                m_first_members.emplace_back(first, rank);
        std::ranges::sort(m_first_members);
        std::optional<Leaving> least;
        int groups = 0;
        for (auto group = m_first_members.begin(); group != m_first_members.end();) {
            const auto next = std::ranges::find_if(
                group, m_first_members.end(), [&](const auto& other) { return other.first != group->first; });
            const auto members = static_cast<int>(next - group);
            m_most_members = std::max(m_most_members, members);
            if (members < m_size) {
                ++groups;
                if (!least || members < least->members)
                    least = Leaving{group->second, members, 0};
            }
            group = next;
        }
        if (least)
            least->groups = groups;
        return least;
    }
    int mostMembers() const { return m_most_members; }

private:
    const RankLayout& m_layout;
    Kind m_kind;
    std::int64_t m_size;
    int m_most_members = 1;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_first_members; // of the group, the rank
};

double networkShare(const Leaving& leaving, const Interconnect& interconnect)
{
    return std::min((interconnect.network / leaving.groups).value(),
                    (interconnect.adapter * leaving.members).value());
}

int nodesOf(const std::vector<std::int64_t>& ranks, int domain)
{
    std::vector<std::int64_t> nodes;
    nodes.reserve(ranks.size());
    for (const std::int64_t rank : ranks)
        nodes.push_back(rank / domain);
    std::ranges::sort(nodes);
    return static_cast<int>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

Communicator narrowestOf(const RankLayout& layout, Kind kind, const Machine& machine)
{
    Communicator group;
    group.members = static_cast<int>(layout.groupSize(kind));
    NodeGroups groups{layout, kind};
    std::optional<Leaving> least;
    const std::int64_t world = layout.worldSize();
    const int domain = machine.domainOf(world);
    const std::int64_t end = std::min(world, most_nodes * domain);
    for (std::int64_t begin = 0; begin < end; begin += domain) {
        const auto here = groups.smallest(begin, std::min(world, begin + domain));
        if (here
            && (!least
                || networkShare(*here, machine.interconnect) < networkShare(*least, machine.interconnect)))
            least = here;
    }
    group.per_node = groups.mostMembers();
    if (!least)
        return group;
    group.siblings = least->groups;
    group.adapters = least->members;
    group.spans = nodesOf(layout.group(kind, least->rank), domain);
    return group;
}

// All groups lie alike.
Communicator anyOf(const RankLayout& layout, Kind kind, const Machine& machine)
{
    Communicator group;
    group.members = static_cast<int>(layout.groupSize(kind));
    const int domain = machine.domainOf(layout.worldSize());
    group.per_node = static_cast<int>(std::max<std::int64_t>(1, layout.membersBelow(kind, domain)));
    // Only the ranks of one stage have an embedding to sum with others.
    const std::int64_t ranks =
        kind == Kind::emb ? std::min<std::int64_t>(domain, layout.stageStride()) : domain;
    group.siblings = static_cast<int>(std::max<std::int64_t>(1, ranks / group.per_node));
    return group;
}

StageWay wayOverNodes(const RankLayout& layout, int stage, const Machine& machine)
{
    const int domain = machine.domainOf(layout.worldSize());
    RankCoordinates place;
    place.pp = stage;
    const std::int64_t first = layout.rank(place);
    const auto leaves = [&](std::int64_t rank) { return rank / domain != layout.nextStage(rank) / domain; };
    if (layout.fillsBlocksAlike(domain)) {
        if (!leaves(first))
            return {};
        return {false, static_cast<int>(std::min<std::int64_t>(domain, layout.stageStride()))};
    }
    StageWay way;
    std::int64_t node = -1;
    int sharing = 0;
    const std::int64_t end = std::min(layout.worldSize(), first / domain * domain + most_nodes * domain);
    for (std::int64_t rank = first; rank < end; ++rank) {
        if (layout.coordinates(rank).pp != stage || !leaves(rank))
            continue;
        sharing = rank / domain == node ? sharing + 1 : 1;
        node = rank / domain;
        way = {false, std::max(sharing, way.sharing)};
    }
    return way;
}

} // namespace

Communicator communicatorOf(const RankLayout& layout, Kind kind, const Machine& machine)
{
    Communicator group = layout.fillsBlocksAlike(machine.domainOf(layout.worldSize()))
                             ? anyOf(layout, kind, machine)
                             : narrowestOf(layout, kind, machine);
    group.pods = podPlaceOf(layout, kind, group, machine);
    return group;
}

bool staysOnNodes(const Scenario& scenario, Kind kind)
{
    return communicatorOf(RankLayout{scenario.parallel}, kind, Machine{scenario.cluster}).nodes() == 1;
}

StageWay nextStageWay(const RankLayout& layout, int stage, const Machine& machine)
{
    StageWay way = wayOverNodes(layout, stage, machine);
    if (!way.same_node)
        way.pod_share = podShareOfWay(layout, stage, way.sharing, machine);
    return way;
}

} // namespace shardscope
