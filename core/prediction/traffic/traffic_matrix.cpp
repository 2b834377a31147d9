#include "core/prediction/traffic/traffic_matrix.h"

#include "core/prediction/messages/message_contents.h"
#include "core/prediction/model/expert_load.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Adds to the receiver's cell where it is among [first, last), else appends one; a rank sends nothing to
// itself.
void addCell(std::vector<TrafficCell>& cells, std::size_t first, std::size_t last, const TrafficCell& cell)
{
    if (cell.bytes <= 0.0 || cell.sender == cell.receiver)
        return;
    for (std::size_t i = first; i < last; ++i)
        if (cells[i].receiver == cell.receiver) {
            cells[i].bytes += cell.bytes;
            return;
        }
    cells.push_back(cell);
}

// Activations go forward through the stages and gradients back, unless the micro-batch entered at the last
// one.
bool goesToPreviousStage(const Message& message)
{
    if (message.kind != Kind::pp)
        return false;
    return (message.phase == Phase::backward) != contents::isReversed(message.what);
}

} // namespace

TrafficMatrix::TrafficMatrix(const Scenario& scenario, const Prediction& prediction)
    : m_layout{scenario.parallel}, m_loads{expertLoads(scenario)}, m_forwarded{ForwardedRows::of(scenario)}
{
    m_flows.resize(prediction.stages.size());
    std::array<bool, kind_count> seen{};
    for (std::size_t stage = 0; stage < m_flows.size(); ++stage)
        for (const Message& message : prediction.stages[stage].messages) {
            const auto kind = static_cast<std::size_t>(message.kind);
            seen[kind] = true;
            add(scenario, message, m_flows[stage][kind]);
        }
    for (std::size_t kind = 0; kind < seen.size(); ++kind)
        if (seen[kind])
            m_kinds.push_back(static_cast<Kind>(kind));
}

void TrafficMatrix::add(const Scenario& scenario, const Message& message, Flow& flow)
{
    const bool loaded = followsLoad(scenario, message);
    switch (message.op) {
    case Op::broadcast:
        flow.chain_bytes += message.wire_bytes;
        break;
    case Op::all_to_all:
        if (message.kind == Kind::ep && !loaded && message.what != contents::expert_counts)
            flow.by_load_bytes += static_cast<double>(message.total_bytes);
        else
            (loaded ? flow.spread_loaded_bytes : flow.spread_bytes) +=
                static_cast<double>(message.total_bytes);
        break;
    case Op::send:
        (goesToPreviousStage(message) ? flow.to_previous_bytes : flow.to_next_bytes) += message.wire_bytes;
        break;
    default:
        (loaded ? flow.ring_loaded_bytes : flow.ring_bytes) += message.wire_bytes;
        break;
    }
}

double TrafficMatrix::load(std::size_t expert_place) const
{
    return m_loads.empty() ? 1.0 : m_loads[expert_place];
}

void TrafficMatrix::appendSpread(Kind kind, std::int64_t sender, const Flow& flow,
                                 std::vector<TrafficCell>& cells, std::size_t row) const
{
    const std::vector<std::int64_t> members = m_layout.group(kind, sender);
    const auto parts = static_cast<double>(members.size());
    const double even =
        flow.spread_bytes
        + flow.spread_loaded_bytes * load(static_cast<std::size_t>(m_layout.coordinates(sender).ep));
    const std::size_t spread = cells.size(); // members differ from each other: only what stood before counts
    for (std::size_t place = 0; place < members.size(); ++place) {
        const double by_load = kind == Kind::ep ? flow.by_load_bytes * load(place) : 0.0;
        addCell(cells, row, spread, {sender, members[place], (even + by_load) / parts});
    }
}

void TrafficMatrix::appendForwarded(std::int64_t sender, const Flow& flow, std::vector<TrafficCell>& cells,
                                    std::size_t row) const
{
    const std::vector<std::int64_t> members = m_layout.group(Kind::ep, sender);
    const auto own = static_cast<std::size_t>(m_layout.coordinates(sender).ep);
    const ForwardedRows& rows = *m_forwarded;
    const std::size_t before = cells.size();
    const auto send = [&](std::size_t place, double there, double back) {
        addCell(cells, row, before,
                {sender, members[place], flow.by_load_bytes * there + flow.spread_loaded_bytes * back});
    };
    for (std::size_t place = 0; place < members.size(); ++place) {
        const std::size_t node = rows.nodeOf(place);
        if (node == rows.nodeOf(own))
            send(place, rows.toMember(place), rows.backToMember(own));
        else if (place % rows.perNode() == own % rows.perNode())
            send(place, rows.toNode(node), rows.backToNode(own));
    }
}

void TrafficMatrix::appendRow(Kind kind, std::int64_t sender, std::vector<TrafficCell>& cells) const
{
    const RankCoordinates place = m_layout.coordinates(sender);
    const Flow& flow = m_flows[static_cast<std::size_t>(place.pp)][static_cast<std::size_t>(kind)];
    const std::size_t row = cells.size();
    const auto send = [&](std::int64_t receiver, double bytes) {
        addCell(cells, row, cells.size(), {sender, receiver, bytes});
    };
    const std::int64_t next = m_layout.next(kind, sender);
    // The ring closes at the first member: a chain goes up the ranks and ends at the last.
    send(next, flow.ring_bytes + flow.ring_loaded_bytes * load(static_cast<std::size_t>(place.ep))
                   + flow.to_next_bytes + (next > sender ? flow.chain_bytes : 0.0));
    if (flow.to_previous_bytes > 0.0)
        send(m_layout.previousStage(sender), flow.to_previous_bytes);
    if (flow.spread_bytes + flow.by_load_bytes + flow.spread_loaded_bytes <= 0.0)
        return;
    if (kind == Kind::ep && m_forwarded)
        appendForwarded(sender, flow, cells, row);
    else
        appendSpread(kind, sender, flow, cells, row);
}

std::vector<std::int64_t> TrafficMatrix::stageBorders(Kind kind) const
{
    const auto index = static_cast<std::size_t>(kind);
    std::vector<std::int64_t> borders;
    for (std::size_t stage = 1; stage < m_flows.size(); ++stage)
        if (m_flows[stage][index] != m_flows[stage - 1][index])
            borders.push_back(static_cast<std::int64_t>(stage));
    return borders;
}

bool TrafficMatrix::spreads(Kind kind) const
{
    return std::ranges::any_of(m_flows, [kind](const StageFlows& flows) {
        const Flow& flow = flows[static_cast<std::size_t>(kind)];
        return flow.spread_bytes + flow.by_load_bytes + flow.spread_loaded_bytes > 0.0;
    });
}

bool TrafficMatrix::followsLoads(Kind kind) const
{
    return !m_loads.empty() && (kind == Kind::ep || kind == Kind::tp);
}

std::vector<TrafficCell> TrafficMatrix::cells(Kind kind) const
{
    std::vector<TrafficCell> all;
    for (std::int64_t sender = 0; sender < worldSize(); ++sender) {
        const auto row = static_cast<std::ptrdiff_t>(all.size());
        appendRow(kind, sender, all);
        std::sort(all.begin() + row, all.end(),
                  [](const TrafficCell& a, const TrafficCell& b) { return a.receiver < b.receiver; });
    }
    return all;
}

} // namespace shardscope
