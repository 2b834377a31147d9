#include "core/prediction/time/stage_communication.h"

#include "core/prediction/messages/forwarded_rows.h"
#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/model/expert_load.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/time/node_placement.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::array<Kind, 7> kinds_with_groups{Kind::tp, Kind::cp,  Kind::dp, Kind::emb,
                                                Kind::ep, Kind::edp, Kind::mp};

bool gathersByTensor(const Scenario& scenario)
{
    return scenario.parallel.zero_stage == 3 && scenario.conventions.zero3_by_tensor;
}

} // namespace

// The four runs published that gather tensor by tensor (Narayanan et al. 2021, Table 2) took as long as rings
// that leave a node by one of its eight adapters.
double ringAdapters(const Scenario& scenario, Kind kind)
{
    return isOfReplicas(kind) && gathersByTensor(scenario) ? 1.0 : scenario.cluster.collectives.ring_adapters;
}

bool travelsInParts(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    const bool of_early_megatron = scenario.conventions.framework == Framework::megatron
                                   && storesScores(scenario) && !scenario.parallel.sequence_parallel
                                   && figures.tensor > 1;
    return of_early_megatron || gathersPipelineMessages(figures);
}

bool isOfEveryMicroBatch(const IterationFigures& figures, const Message& message)
{
    const bool gathers = message.op == Op::all_gather && figures.scenario.parallel.zero_stage == 3;
    return isOfReplicas(message.kind) && message.phase != Phase::step
           && (gathers || figures.reducesEachMicroBatch());
}

CommunicationTime::CommunicationTime(const IterationFigures& figures, const Machine& machine)
    : m_figures{figures},
      m_machine{machine},
      m_layout{figures.scenario.parallel},
      m_errors{figures.scenario.cluster}
{
    for (const Kind kind : kinds_with_groups)
        m_groups[static_cast<std::size_t>(kind)] = communicatorOf(m_layout, kind, machine);
    const Scenario& scenario = figures.scenario;
    if (const auto rows = ForwardedRows::of(scenario))
        m_groups[static_cast<std::size_t>(Kind::ep)].forwarded = rows->nodeRows();
    if (gathersByTensor(scenario)) {
        m_tensors_of_unit = layerTensors(scenario.model);
        for (const Kind kind : {Kind::dp, Kind::edp})
            m_groups[static_cast<std::size_t>(kind)].adapters =
                static_cast<int>(ringAdapters(scenario, kind));
    }
}

Seconds CommunicationTime::timeOf(const Message& message) const
{
    const Bytes bytes = bytesOf(message);
    const Communicator& group = m_groups[static_cast<std::size_t>(message.kind)];
    if (message.op == Op::send && message.kind == Kind::cp) // around the ring of a context group
        return sendTime(bytes, group.nodes() == 1, group.siblings, m_machine.interconnect, group.pods.share);
    const double calls = piecesOf(message);
    return calls * collectiveTime(message.op, bytes / calls, group, m_machine.interconnect);
}

double CommunicationTime::piecesOf(const Message& message) const
{
    const bool of_unit = message.phase != Phase::step && isOfReplicas(message.kind);
    return of_unit ? m_tensors_of_unit : 1.0;
}

Bytes CommunicationTime::bytesOf(const Message& message) const
{
    return Bytes{static_cast<double>(message.message_bytes) * loadOf(message)};
}

double CommunicationTime::loadOf(const Message& message) const
{
    const bool is_of_tokens = message.kind == Kind::ep && message.what != contents::expert_counts;
    return is_of_tokens || followsLoad(m_figures.scenario, message) ? m_figures.busiest_load : 1.0;
}

void CommunicationTime::addError(StageCommunication& sum, const Message& message, double seconds) const
{
    const Kind kind = isOfReplicas(message.kind) ? Kind::dp : message.kind;
    const bool crosses_nodes = m_groups[static_cast<std::size_t>(message.kind)].nodes() > 1;
    const double bytes_of_call = bytesOf(message).value() / piecesOf(message);
    CollectivesOfKind& of_kind = sum.collectives[static_cast<std::size_t>(kind)];
    of_kind.all_s += seconds;
    of_kind.off_s += seconds * m_errors.of(message.op, crosses_nodes, bytes_of_call);
}

void CommunicationTime::addStep(StageCommunication& sum, const Message& message, double seconds) const
{
    if (!isOfReplicas(message.kind)) {
        (message.kind == Kind::emb  ? sum.embeddings_s
         : message.kind == Kind::tp ? sum.replicated_gradients_s
                                    : sum.norm_s) += seconds;
        return;
    }
    (message.op == Op::all_gather ? sum.parameters_s : sum.gradients_s) += seconds;
}

// Where a bucket is reduced call by call, all of them count.
void CommunicationTime::addBuckets(StageCommunication& sum, const StagePrediction& stage) const
{
    std::vector<double> bucket_s(stage.messages.size());
    const auto row = [](int index) { return static_cast<std::size_t>(index); };
    for (const GradientBucket& bucket : stage.buckets) {
        bucket_s[row(bucket.reduced)] += 1.0;
        if (bucket.gathered >= 0)
            bucket_s[row(bucket.gathered)] += 1.0;
    }
    for (std::size_t i = 0; i < bucket_s.size(); ++i)
        if (const Message& message = stage.messages[i]; bucket_s[i] > 0.0)
            bucket_s[i] = timeOf(message).value() * static_cast<double>(message.count) / bucket_s[i];
    sum.gradient_calls.reserve(stage.buckets.size());
    for (const GradientBucket& bucket : stage.buckets)
        sum.gradient_calls.push_back({bucket_s[row(bucket.reduced)], bucket.ready});
    for (auto bucket = stage.buckets.rbegin(); bucket != stage.buckets.rend(); ++bucket)
        if (bucket->gathered >= 0)
            sum.parameter_calls.push_back({bucket_s[row(bucket->gathered)], 1.0 - bucket->ready});
}

// Parameters that come in other parts than gradients go: each is taken to be as many layers.
void CommunicationTime::addGathersInTurn(StageCommunication& sum, const StagePrediction& stage) const
{
    std::int64_t calls = 0;
    const auto isInTurn = [&](const Message& message) {
        return message.op == Op::all_gather && isOfReplicas(message.kind) && message.phase == Phase::step;
    };
    for (const Message& message : stage.messages)
        calls += isInTurn(message) ? message.count : 0;
    for (const Message& message : stage.messages) {
        if (!isInTurn(message))
            continue;
        const double seconds = timeOf(message).value();
        for (std::int64_t i = 0; i < message.count; ++i)
            sum.parameter_calls.push_back(
                {seconds, static_cast<double>(sum.parameter_calls.size()) / static_cast<double>(calls)});
    }
}

void CommunicationTime::addPass(PassCommunication& sum, const Message& message, double seconds) const
{
    switch (message.kind) {
    case Kind::tp:
        (message.part == ModelPart::embedding ? sum.tp_embedding_s
         : message.part == ModelPart::head    ? sum.tp_head_s
         : message.part == ModelPart::mtp     ? sum.tp_modules_s
         : message.part == ModelPart::experts ? sum.tp_experts_s
                                              : sum.tp_layers_s) += seconds;
        break;
    case Kind::cp:
        (message.part == ModelPart::recurrence ? sum.cp_recurrences_s : sum.cp_s) += seconds;
        break;
    case Kind::ep:
        sum.ep_s += seconds;
        break;
    default:
        (message.what == contents::loss ? sum.losses_s : sum.gathers_s) += seconds;
    }
}

StageCommunication CommunicationTime::stage(const StagePrediction& stage) const
{
    StageCommunication sum;
    // With dualpipe a stage holds two parts of the model, and half of the micro-batches pass each.
    const bool from_both_ends = m_figures.scenario.parallel.schedule == Schedule::dualpipe;
    const double micro_batches = static_cast<double>(m_figures.micro_batches) / (from_both_ends ? 2.0 : 1.0);
    for (const Message& message : stage.messages) {
        if (message.part == ModelPart::pipeline || message.op == Op::recv)
            continue;
        const double seconds = timeOf(message).value() * static_cast<double>(message.count);
        addError(sum, message, seconds);
        const bool is_loss = message.what == contents::loss;
        if (message.phase == Phase::step
            || (isOfReplicas(message.kind) && !is_loss && !isOfEveryMicroBatch(m_figures, message)))
            addStep(sum, message, seconds);
        else
            addPass(sum.passes[static_cast<std::size_t>(message.phase)], message, seconds / micro_batches);
    }
    if (!stage.buckets.empty())
        addBuckets(sum, stage);
    if (sum.parameter_calls.empty() && m_figures.scenario.conventions.param_overlap)
        addGathersInTurn(sum, stage);
    return sum;
}

Seconds CommunicationTime::pipelineMessage(int stage) const
{
    if (!m_figures.pipelined())
        return Seconds{};
    const Bytes whole{static_cast<double>(m_figures.activation_bytes)};
    const bool parts = travelsInParts(m_figures);
    const Bytes sent =
        parts ? whole / m_figures.tensor : Bytes{static_cast<double>(pipelineMessageBytes(m_figures))};
    const StageWay way = nextStageWay(m_layout, stage, m_machine);
    const Seconds time = sendTime(sent, way.same_node, way.sharing, m_machine.interconnect, way.pod_share);
    if (!parts)
        return time;
    const Communicator& tensor = m_groups[static_cast<std::size_t>(Kind::tp)];
    return time + collectiveTime(Op::all_gather, whole, tensor, m_machine.interconnect);
}

} // namespace shardscope
