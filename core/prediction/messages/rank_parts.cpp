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
    if (!m_loads.empty())
        place = m_layout.coordinates(
            m_layout.group(Kind::ep, m_layout.rank(place))[part / m_chain_places % m_places]);
    if (part % m_chain_places == 1)
        place.tp = static_cast<int>(m_scenario.parallel.tensor) - 1;
    return place;
}

std::vector<Message> RankParts::messages(const Prediction& prediction, std::size_t part) const
{
    const std::size_t stage = part / m_chain_places / m_places;
    std::vector<Message> messages = prediction.stages[stage].messages;
    for (Message& message : messages) {
        if (message.op == Op::broadcast && part % m_chain_places == 1)
            message.wire_bytes = 0.0;
        if (m_loads.empty())
            continue;
        const double load = m_loads[part / m_chain_places % m_places];
        if (followsLoad(m_scenario, message))
            scale(message, load);
        else if (message.kind == Kind::ep && message.what != contents::expert_counts)
            keepOwnPart(message, load);
    }
    std::erase_if(messages, [](const Message& message) { return message.message_bytes == 0; });
    return messages;
}

} // namespace shardscope
