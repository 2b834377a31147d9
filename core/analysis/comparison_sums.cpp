#include "core/analysis/comparison_sums.h"

#include <set>

namespace shardscope
{

MessageWeights::MessageWeights(const Scenario& scenario)
    : m_figures{scenario}, m_machine{scenario.cluster}, m_time{m_figures, m_machine}
{
}

double MessageWeights::of(const Message& message) const
{
    if (message.part == ModelPart::pipeline && message.kind != Kind::pp)
        return 0.0;                          // gathering parts: the pipeline's time has it
    if (message.part == ModelPart::pipeline) // both ends are busy while it travels
        return static_cast<double>(message.message_bytes) * static_cast<double>(message.count);
    if (m_figures.scenario.time_model != TimeModel::detailed)
        return message.wire_bytes;
    return m_time.timeOf(message).value() * static_cast<double>(message.count);
}

void RankSums::add(const MessageClass& messages, const Times& times)
{
    Times& sum = m_times[messages];
    sum.exposed_s += times.exposed_s;
    sum.in_all_s += times.in_all_s;
}

void RankSums::countKinds(const RankMeasurement& rank)
{
    std::set<Kind> kinds;
    for (const MeasuredCollective& calls : rank.collectives)
        kinds.insert(calls.kind);
    for (const Kind kind : kinds)
        ++m_ranks[kind];
}

RankSums::Times RankSums::meanOf(const MessageClass& messages) const
{
    const auto ranks = m_ranks.find(std::get<Kind>(messages));
    const auto sums = m_times.find(messages);
    if (ranks == m_ranks.end() || sums == m_times.end())
        return {};
    const double part = 1.0 / static_cast<double>(ranks->second);
    return {part * sums->second.exposed_s, part * sums->second.in_all_s};
}

double RankSums::exposedMean_s(Kind kind) const
{
    double seconds = 0.0;
    for (const auto& [messages, times] : m_times)
        if (std::get<Kind>(messages) == kind)
            seconds += meanOf(messages).exposed_s;
    return seconds;
}

} // namespace shardscope
