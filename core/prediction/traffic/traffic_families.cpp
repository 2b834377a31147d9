#include "core/prediction/traffic/traffic_families.h"

#include "core/prediction/traffic/family_boxes.h"
#include "core/prediction/traffic/node_digits.h"

namespace shardscope
{

namespace
{

std::vector<TrafficFamily> counted(const RankDigits& digits, const std::vector<FamilyBox>& boxes)
{
    std::vector<TrafficFamily> families;
    families.reserve(boxes.size());
    for (const FamilyBox& box : boxes)
        families.push_back({box.delta, box.bytes, box.box, RankSet{digits, box.box}});
    return families;
}

} // namespace

TrafficFamilies::TrafficFamilies(const TrafficMatrix& matrix)
    : m_layout{matrix.layout()},
      m_world{matrix.worldSize()},
      m_digits{m_layout.digits()},
      m_kinds{matrix.kinds()}
{
    std::vector<FamilyBox> all;
    for (const Kind kind : m_kinds) {
        const std::vector<FamilyBox> boxes = familyBoxes(matrix, m_digits, kind);
        m_families[static_cast<std::size_t>(kind)] = counted(m_digits, boxes);
        all = addedUp(std::move(all), boxes, m_digits.count());
    }
    mergeNeighbours(all, m_digits.count());
    m_families.back() = counted(m_digits, all);
}

TrafficFamilies::TrafficFamilies(const TrafficFamilies& of_ranks, std::int64_t gpus_per_node)
    : m_layout{of_ranks.m_layout}, m_kinds{of_ranks.m_kinds}
{
    const NodeDigits nodes{of_ranks.m_digits, of_ranks.m_world, gpus_per_node};
    m_world = nodes.nodes();
    m_digits = nodes.digits();
    for (std::size_t i = 0; i < m_families.size(); ++i)
        m_families[i] = counted(m_digits, nodes.addedUp(of_ranks.m_families[i]));
}

TrafficFamilies TrafficFamilies::withoutDiagonal() const
{
    TrafficFamilies rest = *this;
    for (std::vector<TrafficFamily>& of_kind : rest.m_families)
        std::erase_if(of_kind, [](const TrafficFamily& family) { return family.delta == 0; });
    return rest;
}

std::int64_t TrafficFamilies::nodesCost(std::int64_t gpus_per_node) const
{
    const NodeDigits nodes{m_digits, m_world, gpus_per_node};
    std::int64_t families = 0;
    for (const std::vector<TrafficFamily>& of_kind : m_families)
        families += static_cast<std::int64_t>(of_kind.size());
    return families * (nodes.endWithDigits() ? 1 : nodes.nodes());
}

const std::vector<TrafficFamily>& TrafficFamilies::of(std::optional<Kind> kind) const
{
    return kind ? m_families[static_cast<std::size_t>(*kind)] : m_families.back();
}

std::int64_t trafficCost(const Scenario& scenario)
{
    const std::int64_t experts = scenario.parallel.expert;
    if (experts < 2)
        return 0;
    if (!RankLayout{scenario.parallel}.expertGroupsAreWhole())
        return scenario.worldSize() * experts;
    constexpr std::int64_t cells_of_an_uneven_pair = 64; // boxes are made, sorted and merged
    return experts * experts * (scenario.model.experts.skew > 0.0 ? cells_of_an_uneven_pair : 1);
}

} // namespace shardscope
