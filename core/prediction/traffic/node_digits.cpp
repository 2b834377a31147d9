#include "core/prediction/traffic/node_digits.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardscope
{

namespace
{

// Where the receivers of a diagonal are: so many nodes further, and one more for the last places of a node.
struct NodeSteps {
    NodeSteps(std::int64_t delta, std::int64_t gpus_per_node)
        : nodes{delta / gpus_per_node - (delta % gpus_per_node < 0 ? 1 : 0)},
          places{gpus_per_node - (delta - nodes * gpus_per_node)}
    {
    }
    std::int64_t nodes;
    std::int64_t places; // those before the last ones
};

// A box of one digit for each run of nodes that send equal numbers of bytes.
void appendRuns(std::int64_t delta, const std::map<std::int64_t, double>& bytes,
                std::vector<FamilyBox>& boxes)
{
    bool is_open = false;
    for (const auto& [node, of_node] : bytes) {
        if (is_open && boxes.back().box[0].end == node && boxes.back().bytes == of_node) {
            ++boxes.back().box[0].end;
            continue;
        }
        FamilyBox box{delta, of_node, {}};
        box.box[0] = {node, node + 1};
        boxes.push_back(box);
        is_open = true;
    }
}

} // namespace

NodeDigits::NodeDigits(const RankDigits& of_ranks, std::int64_t world, std::int64_t gpus_per_node)
    : m_gpus_per_node{std::max<std::int64_t>(1, gpus_per_node)},
      m_nodes{(world + m_gpus_per_node - 1) / m_gpus_per_node}
{
    const auto ends_in = [this](const RankDigit& digit) {
        return m_gpus_per_node % digit.stride == 0 && digit.size % (m_gpus_per_node / digit.stride) == 0;
    };
    while (m_cut < of_ranks.count() && !ends_in(of_ranks[m_cut]))
        ++m_cut;
    m_has_cut = m_cut < of_ranks.count();
    if (!m_has_cut) {
        m_digits = RankDigits{std::vector{RankDigit{Dimension::dp, 1, m_nodes, false}}};
        return;
    }
    std::vector<RankDigit> low;
    std::vector<RankDigit> high;
    for (std::size_t i = 0; i < of_ranks.count(); ++i) {
        RankDigit digit = of_ranks[i];
        if (i == m_cut) {
            m_low_values = m_gpus_per_node / digit.stride;
            low.push_back({digit.dimension, digit.stride, m_low_values, digit.in_expert_group});
            high.push_back({digit.dimension, 1, digit.size / m_low_values, digit.in_expert_group});
        } else {
            digit.stride = i < m_cut ? digit.stride : digit.stride / m_gpus_per_node;
            (i < m_cut ? low : high).push_back(digit);
        }
    }
    m_in_node = RankDigits{std::move(low)};
    m_digits = RankDigits{std::move(high)};
}

// The range of the digit in which nodes end is cut where its values fill no whole node.
void NodeDigits::appendPieces(const TrafficFamily& family, std::vector<FamilyBox>& boxes) const
{
    const NodeSteps steps{family.delta, m_gpus_per_node};
    const DigitRange range = family.box[m_cut];
    for (std::int64_t from = range.begin; from < range.end;) {
        const std::int64_t first = from / m_low_values;
        const bool is_whole = from % m_low_values == 0 && from + m_low_values <= range.end;
        const std::int64_t last = is_whole ? range.end / m_low_values : first + 1;
        const std::int64_t to = std::min(range.end, last * m_low_values);
        RankBox low = family.box;
        low[m_cut] = is_whole ? DigitRange{0, m_low_values}
                              : DigitRange{from - first * m_low_values, to - first * m_low_values};
        FamilyBox piece{steps.nodes, 0.0, {}};
        piece.box[0] = {first, last};
        for (std::size_t i = 1; i < m_digits.count(); ++i)
            piece.box[i] = family.box[m_cut + i];
        const RankSet senders{m_in_node, low};
        const std::int64_t near = senders.count(0, steps.places);
        for (const auto& [delta, cells] :
             {std::pair{steps.nodes, near}, std::pair{steps.nodes + 1, senders.size() - near}})
            if (cells > 0)
                boxes.push_back({delta, family.bytes * static_cast<double>(cells), piece.box});
        from = to;
    }
}

std::vector<FamilyBox> NodeDigits::countedOut(const std::vector<TrafficFamily>& families) const
{
    std::map<std::int64_t, std::map<std::int64_t, double>> diagonals;
    for (const TrafficFamily& family : families) {
        const NodeSteps steps{family.delta, m_gpus_per_node};
        for (std::int64_t node = family.senders.first() / m_gpus_per_node;
             node <= family.senders.last() / m_gpus_per_node; ++node) {
            const std::int64_t begin = node * m_gpus_per_node;
            const std::int64_t near = family.senders.count(begin, begin + steps.places);
            const std::int64_t far = family.senders.count(begin + steps.places, begin + m_gpus_per_node);
            if (near > 0)
                diagonals[steps.nodes][node] += family.bytes * static_cast<double>(near);
            if (far > 0)
                diagonals[steps.nodes + 1][node] += family.bytes * static_cast<double>(far);
        }
    }
    std::vector<FamilyBox> boxes;
    for (const auto& [delta, bytes] : diagonals)
        appendRuns(delta, bytes, boxes);
    return boxes;
}

std::vector<FamilyBox> NodeDigits::addedUp(const std::vector<TrafficFamily>& families) const
{
    if (!m_has_cut)
        return countedOut(families);
    std::vector<FamilyBox> boxes;
    for (const TrafficFamily& family : families)
        appendPieces(family, boxes);
    boxes = withoutCommonCells(boxes, m_digits.count());
    mergeNeighbours(boxes, m_digits.count());
    return boxes;
}

} // namespace shardscope
