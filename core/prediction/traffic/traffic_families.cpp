#include "core/prediction/traffic/traffic_families.h"

#include "core/prediction/traffic/family_boxes.h"

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
    : m_world{matrix.worldSize()}, m_digits{matrix.layout().parallel()}, m_kinds{matrix.kinds()}
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

const std::vector<TrafficFamily>& TrafficFamilies::of(std::optional<Kind> kind) const
{
    return kind ? m_families[static_cast<std::size_t>(*kind)] : m_families.back();
}

} // namespace shardscope
