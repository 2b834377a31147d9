#include "core/analysis/comparison_sums.h"

#include "core/prediction/time/task_order.h"
#include "core/prediction/timeline/pass_parts.h"

#include <algorithm>

namespace shardscope
{

std::optional<double> timeOfKind(const TimePrediction& time, Kind kind)
{
    switch (kind) {
    case Kind::tp:
        return time.tp_s;
    case Kind::cp:
        return time.cp_s;
    case Kind::pp:
        return time.pp_s;
    case Kind::ep:
        return time.ep_s;
    case Kind::emb: // Li et al.'s formula knows neither
        return time.emb_s > 0.0 ? std::optional{time.emb_s} : std::nullopt;
    case Kind::mp:
        return time.mp_s > 0.0 ? std::optional{time.mp_s} : std::nullopt;
    default:
        return std::nullopt;
    }
}

MessageWeights::MessageWeights(const Scenario& scenario, const Prediction& prediction)
    : m_figures{scenario}, m_machine{scenario.cluster}, m_time{m_figures, m_machine}
{
    addPasses(prediction);
}

void MessageWeights::addPasses(const Prediction& prediction)
{
    const std::vector<PassParts> passes =
        passParts(m_figures, prediction, predictTime(m_figures, prediction));
    const int stages = static_cast<int>(prediction.stages.size());
    const PipelineChain chain{m_figures.scenario.parallel};
    const auto times = static_cast<double>(m_figures.passes);
    const bool splits = splitsBackward(m_figures.scenario.parallel.schedule);
    const int chunks = static_cast<int>(passes.size()) / pass_form_count;
    for (int chunk = 0; chunk < chunks; ++chunk)
        for (const PassForm form :
             {PassForm::forward, splits ? PassForm::split_backward : PassForm::backward}) {
            const PassParts& pass = passes[passPartsIndex(chunk, form)];
            const auto add = [&](const PassPart& part, double seconds) {
                if (!part.is_message)
                    return;
                const auto addTo = [&](int stage) {
                    m_exposed_s[{stage, part.kind, part.op, part.phase, part.what, part.message_bytes}] +=
                        seconds;
                };
                addTo(chain.stageAt(chunk));
                if (m_figures.mirrored)
                    addTo(stages - 1 - chunk % stages);
            };
            for (const PassPart& part : pass.in_turn)
                add(part, times * part.duration_s);
            for (const PassPart& part : pass.beside)
                add(part, 0.0);
        }
    // Messages that are told apart by neither share theirs.
    std::map<Sent, int> alike;
    for (int stage = 0; stage < stages; ++stage)
        for (const Message& message : prediction.stages[static_cast<std::size_t>(stage)].messages)
            ++alike[sentBy(stage, message)];
    for (auto& [sent, seconds] : m_exposed_s)
        seconds /= std::max(1, alike[sent]);
}

MessageWeights::Sent MessageWeights::sentBy(int stage, const Message& message)
{
    return {stage, message.kind, message.op, message.phase, message.what, message.message_bytes};
}

double MessageWeights::of(const Message& message, int stage) const
{
    const bool is_detailed = m_figures.scenario.time_model == TimeModel::detailed;
    if (message.part == ModelPart::pipeline && message.kind != Kind::pp)
        return 0.0;                          // gathering parts: the pipeline's time has it
    if (message.part == ModelPart::pipeline) // both ends are busy while it travels
        return static_cast<double>(message.message_bytes) * static_cast<double>(message.count);
    if (!is_detailed)
        return message.wire_bytes;
    const bool is_of_passes =
        message.kind == Kind::tp || message.kind == Kind::cp || message.kind == Kind::ep;
    if (const auto sent = m_exposed_s.find(sentBy(stage, message)); is_of_passes && sent != m_exposed_s.end())
        return sent->second;
    return m_time.timeOf(message).value() * static_cast<double>(message.count);
}

void RankSums::addPredicted(const Message& message, double weight)
{
    weights[{message.kind, message.op, message.message_bytes}] += weight;
    weights_of_kind[message.kind] += weight;
}

void RankSums::addUnrecorded(Kind kind, double weight)
{
    weights_of_kind[kind] += weight;
}

double RankSums::weightOf(Kind kind) const
{
    const auto found = weights_of_kind.find(kind);
    return found == weights_of_kind.end() ? 0.0 : found->second;
}

std::optional<double> RankSums::shareOf(const MessageClass& messages, std::optional<double> kind_s) const
{
    const double of_kind = weightOf(std::get<Kind>(messages));
    if (kind_s == 0.0)
        return 0.0;
    if (!kind_s || of_kind <= 0.0)
        return std::nullopt;
    const auto found = weights.find(messages);
    return found == weights.end() ? 0.0 : *kind_s * found->second / of_kind;
}

double RankSums::exposedInPasses_s() const
{
    double seconds = 0.0;
    for (const auto& [messages, sum] : measured)
        if (const Kind kind = std::get<Kind>(messages);
            kind == Kind::tp || kind == Kind::cp || kind == Kind::ep)
            seconds += sum.exposed_s;
    return seconds;
}

RankSums::MeasuredTimes RankSums::meanOf(const MessageClass& messages) const
{
    const auto ranks = ranks_of_kind.find(std::get<Kind>(messages));
    const auto sums = measured.find(messages);
    if (ranks == ranks_of_kind.end() || sums == measured.end())
        return {};
    const double part = 1.0 / static_cast<double>(ranks->second);
    return {part * sums->second.exposed_s, part * sums->second.in_all_s};
}

} // namespace shardscope
