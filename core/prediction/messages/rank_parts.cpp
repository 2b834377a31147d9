#include "core/prediction/messages/rank_parts.h"

#include "core/prediction/messages/message_contents.h"
#include "core/prediction/model/expert_load.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

bool broadcasts(const Scenario& scenario)
{
    return scenario.conventions.tp_broadcast_batch && scenario.parallel.tensor > 1;
}

void scale(Message& message, double load)
{
    message.message_bytes = std::llround(static_cast<double>(message.message_bytes) * load);
    message.total_bytes = message.count * message.message_bytes;
    message.wire_bytes *= load;
}

// Tokens leave for all experts alike; those for its own stay.
void keepOwnPart(Message& message, double load)
{
    const double parts = message.group_size;
    message.wire_bytes = static_cast<double>(message.total_bytes) * (1.0 - load / parts);
}

} // namespace

RankParts::RankParts(const Scenario& scenario)
    : m_scenario{scenario},
      m_layout{scenario.parallel},
      m_loads{expertLoads(scenario)},
      m_forwarded{ForwardedRows::of(scenario)},
      m_stages{static_cast<std::size_t>(scenario.parallel.pipeline)},
      m_places{std::max<std::size_t>(1, m_loads.size())},
      m_chain_places{broadcasts(scenario) ? std::size_t{2} : std::size_t{1}}
{
}

std::size_t RankParts::part(const RankCoordinates& place) const
{
    const bool ends_chain = m_chain_places > 1 && place.tp + 1 == m_scenario.parallel.tensor;
    const std::size_t expert_place = m_loads.empty() ? 0 : static_cast<std::size_t>(place.ep);
    return (static_cast<std::size_t>(place.pp) * m_places + expert_place) * m_chain_places
           + (ends_chain ? 1 : 0);
}

RankCoordinates RankParts::firstPlace(std::size_t part) const
{
    RankCoordinates place;
    place.pp = static_cast<int>(part / m_chain_places / m_places);
    const bool ends_chain = part % m_chain_places == 1;
    if (!m_loads.empty()) {
        std::int64_t rank = m_layout.group(Kind::ep, m_layout.rank(place))[part / m_chain_places % m_places];
        if (ends_chain && !m_scenario.parallel.expert_tensor_parallel)
            rank = m_layout.group(Kind::edp, rank).back();
        place = m_layout.coordinates(rank);
    }
    if (ends_chain && (m_loads.empty() || m_scenario.parallel.expert_tensor_parallel))
        place.tp = static_cast<int>(m_scenario.parallel.tensor) - 1;
    return place;
}

double RankParts::load(std::size_t part) const
{
    return m_loads.empty() ? 1.0 : m_loads[part / m_chain_places % m_places];
}

double RankParts::leastLoad() const
{
    return m_loads.empty() ? 1.0 : std::ranges::min(m_loads);
}

double RankParts::greatestLoad() const
{
    return m_loads.empty() ? 1.0 : std::ranges::max(m_loads);
}

void RankParts::forward(Message& message, std::size_t part) const
{
    const std::size_t place = part / m_chain_places % m_places;
    const bool is_back = followsLoad(m_scenario, message);
    const double share = is_back ? m_forwarded->sentBack(place) : m_forwarded->sent(place);
    const double sent = share * static_cast<double>(message.total_bytes);
    if (is_back)
        scale(message, load(part));
    message.wire_bytes = sent;
}

Message RankParts::message(Message of_stage, std::size_t part) const
{
    if (of_stage.op == Op::broadcast && part % m_chain_places == 1)
        of_stage.wire_bytes = 0.0;
    if (!isUneven())
        return of_stage;
    if (m_forwarded && of_stage.kind == Kind::ep)
        forward(of_stage, part);
    else if (followsLoad(m_scenario, of_stage))
        scale(of_stage, load(part));
    else if (of_stage.kind == Kind::ep && of_stage.what != contents::expert_counts)
        keepOwnPart(of_stage, load(part));
    return of_stage;
}

std::vector<Message> RankParts::messages(const Prediction& prediction, std::size_t part) const
{
    std::vector<Message> messages = prediction.stages[part / m_chain_places / m_places].messages;
    for (Message& each : messages)
        each = message(each, part);
    std::erase_if(messages, [](const Message& each) { return each.message_bytes == 0; });
    return messages;
}

} // namespace shardscope
