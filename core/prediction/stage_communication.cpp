#include "core/prediction/stage_communication.h"

namespace shardscope
{

namespace
{

constexpr std::array<Kind, 7> kinds_with_groups{Kind::tp, Kind::cp,  Kind::dp, Kind::emb,
                                                Kind::ep, Kind::edp, Kind::mp};

bool isOfTheEnds(const Message& message)
{
    return message.what.starts_with("embedding") || message.what.starts_with("head")
           || message.what.starts_with("cross_entropy") || message.what.starts_with("batch");
}

} // namespace

bool belongsToPipeline(const Message& message)
{
    return message.kind == Kind::pp
           || (message.kind == Kind::tp
               && (message.what.ends_with("activation") || message.what.ends_with("gradient")));
}

CommunicationTime::CommunicationTime(const IterationFigures& figures, const Machine& machine)
    : m_figures{figures}, m_machine{machine}, m_layout{figures.scenario.parallel}
{
    for (const Kind kind : kinds_with_groups)
        m_groups[static_cast<std::size_t>(kind)] = communicatorOf(m_layout, kind, machine);
}

Seconds CommunicationTime::timeOf(const Message& message) const
{
    const Bytes bytes{static_cast<double>(message.message_bytes)};
    const Communicator& group = m_groups[static_cast<std::size_t>(message.kind)];
    if (message.op == Op::send && message.kind == Kind::cp) // around the ring of a context group
        return sendTime(bytes, group.nodes() == 1, m_machine.domain, m_machine.interconnect);
    const Seconds time = collectiveTime(message.op, bytes, group, m_machine.interconnect);
    const Scenario& scenario = m_figures.scenario;
    const bool by_tensor =
        scenario.parallel.zero_stage == 3 && scenario.conventions.framework != Framework::fsdp;
    if (by_tensor && (message.kind == Kind::dp || message.kind == Kind::edp))
        return time / m_machine.law.tensor_gather_efficiency;
    return time;
}

// Stages 2 and 3 reduce, and 3 gathers, in every micro-batch.
bool CommunicationTime::isOfEveryMicroBatch(const Message& message) const
{
    return message.phase != Phase::step && m_figures.scenario.parallel.zero_stage > 1;
}

void CommunicationTime::addStep(StageCommunication& sum, const Message& message, double seconds) const
{
    const bool replicas = message.kind == Kind::dp || message.kind == Kind::edp;
    if (replicas)
        (message.op == Op::all_gather ? sum.parameters_s : sum.gradients_s) += seconds;
    else
        sum.step_s += seconds;
}

void CommunicationTime::addPass(PassCommunication& sum, const Message& message, double seconds) const
{
    switch (message.kind) {
    case Kind::tp:
        (isOfTheEnds(message) ? sum.tp_ends_s : sum.tp_layers_s) += seconds;
        break;
    case Kind::cp:
        sum.cp_s += seconds;
        break;
    case Kind::ep:
        sum.ep_s += seconds;
        break;
    default:
        sum.gathers_s += seconds;
    }
}

StageCommunication CommunicationTime::stage(const StagePrediction& stage) const
{
    StageCommunication sum;
    // With dualpipe a stage holds two parts of the model, and half of the micro-batches pass each.
    const bool from_both_ends = m_figures.scenario.parallel.schedule == Schedule::dualpipe;
    const double micro_batches = static_cast<double>(m_figures.micro_batches) / (from_both_ends ? 2.0 : 1.0);
    for (const Message& message : stage.messages) {
        if (belongsToPipeline(message) || message.op == Op::recv)
            continue;
        const double seconds = timeOf(message).value() * static_cast<double>(message.count);
        const bool replicas = message.kind == Kind::dp || message.kind == Kind::edp;
        if (message.phase == Phase::step || (replicas && !isOfEveryMicroBatch(message)))
            addStep(sum, message, seconds);
        else
            addPass(sum.passes[static_cast<std::size_t>(message.phase)], message, seconds / micro_batches);
    }
    return sum;
}

double CommunicationTime::pipelineMessage(int stage) const
{
    if (!m_figures.pipelined())
        return 0.0;
    const double whole = static_cast<double>(m_figures.activation_bytes);
    const double part = whole / m_figures.tensor;
    const bool near = nextStageIsNear(m_layout, stage, m_machine);
    const Seconds sent = sendTime(Bytes{part}, near, m_machine.domain, m_machine.interconnect);
    if (m_figures.scenario.parallel.sequence_parallel)
        return sent.value();
    const Communicator& tensor = m_groups[static_cast<std::size_t>(Kind::tp)];
    return (sent + collectiveTime(Op::all_gather, Bytes{whole}, tensor, m_machine.interconnect)).value();
}

} // namespace shardscope
