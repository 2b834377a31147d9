#include "core/prediction/time/overlap.h"

#include "core/scenario/pytorch.h"

#include <algorithm>

namespace shardscope
{

bool Overlap::areOn(bool switched_on) const
{
    return switched_on && !m_figures.scenario.cluster.launch_blocking;
}

// Work slows down while messages run beside it; never by more than the messages take by themselves.
double Overlap::exposedBeside(double working_s, double travelling_s) const
{
    const double contention = m_figures.scenario.cluster.compute.overlap_contention;
    const double slowed = working_s + contention * std::min(working_s, travelling_s);
    return std::min(std::max(slowed, travelling_s) - working_s, travelling_s);
}

void Overlap::hideGathers(PassTime& pass, double gathers_s) const
{
    if (gathers_s > 0.0)
        pass.dp_s += areOn(m_figures.scenario.conventions.dp_overlap)
                         ? exposedBeside(pass.total_s(), gathers_s)
                         : gathers_s;
}

void Overlap::hideExperts(StageTime& stage) const
{
    const Scenario& scenario = m_figures.scenario;
    const bool overlaps =
        areOn(scenario.conventions.ep_overlap || scenario.parallel.schedule == Schedule::dualpipe);
    const double travelling = stage.forward.ep_s + stage.backward.ep_s;
    if (!overlaps || travelling == 0.0 || m_figures.micro_batches == 1)
        return;
    const double working = stage.forward.total_s() + stage.backward.total_s() - travelling;
    const double share = exposedBeside(working, travelling) / travelling;
    stage.forward.ep_s *= share;
    stage.backward.ep_s *= share;
}

double Overlap::exposedTensor(double tp_s, double products_s) const
{
    const Scenario& scenario = m_figures.scenario;
    const bool overlaps =
        areOn(scenario.conventions.tp_overlap && scenario.parallel.sequence_parallel && m_tensor_is_joined);
    return overlaps ? std::max(scenario.cluster.compute.tp_overlap_exposed * tp_s, tp_s - products_s) : tp_s;
}

// While a bucket travels the pass gets on by `pace` of that time.
void Overlap::hideGradients(ReplicaTime& time, const std::vector<ReplicaCall>& calls,
                            const PassClock& backward) const
{
    const double pace = 1.0 - m_figures.scenario.cluster.compute.dp_overlap_exposed;
    const double end_s = backward.end_s();
    double through_s = 0.0; // of the pass's own time, as all below
    for (const ReplicaCall& call : calls) {
        const double start_s = std::max(through_s, backward.endOf(call.share));
        if (start_s >= end_s)
            break;
        through_s = start_s + pace * call.seconds;
        const double hidden_s = std::max(0.0, std::min(through_s, end_s) - start_s);
        time.hidden_gradients.push_back({end_s - start_s, hidden_s});
        time.exposed_gradients_s = std::max(0.0, time.exposed_gradients_s - hidden_s);
    }
}

void Overlap::hideParameters(ReplicaTime& time, const std::vector<ReplicaCall>& calls,
                             const PassClock& forward) const
{
    const double pace = 1.0 - m_figures.scenario.cluster.compute.dp_overlap_exposed;
    if (pace <= 0.0) // it does not get on at all
        return;
    double all_s = 0.0;
    for (const ReplicaCall& call : calls)
        all_s += call.seconds;
    double now_s = 0.0;
    double worked_s = 0.0; // of the pass's own time
    const auto workUntil = [&](double end_s) {
        const double slowed_s = std::min(std::max(0.0, all_s - now_s), (end_s - worked_s) / pace);
        now_s += slowed_s + (end_s - worked_s - pace * slowed_s);
        worked_s = end_s;
    };
    double gathered_s = 0.0;
    for (const ReplicaCall& call : calls) {
        gathered_s += call.seconds;
        workUntil(forward.beginBehind(call.share));
        now_s = std::max(now_s, gathered_s);
    }
    workUntil(forward.end_s());
    time.exposed_parameters_s -= all_s - std::clamp(now_s - worked_s, 0.0, all_s);
}

double Overlap::hidingContext(double attention_s, double parts) const
{
    const Scenario& scenario = m_figures.scenario;
    if (scenario.cluster.launch_blocking)
        return 0.0;
    switch (scenario.parallel.context_method) {
    case ContextMethod::ring:
        return attention_s;
    case ContextMethod::all_gather:
        return isPyTorch(scenario.conventions.framework)
                   ? attention_s * parts / static_cast<double>(m_figures.context)
                   : 0.0;
    case ContextMethod::ulysses:
        break;
    }
    return 0.0;
}

ReplicaTime Overlap::replicas(const StageCommunication& stage, const PassClock& backward,
                              const PassClock& forward) const
{
    ReplicaTime time{stage.gradients_s, stage.gradients_s, stage.parameters_s, stage.parameters_s};
    const Conventions& conventions = m_figures.scenario.conventions;
    if (areOn(conventions.dp_overlap))
        hideGradients(time, stage.gradient_calls, backward);
    if (areOn(conventions.param_overlap))
        hideParameters(time, stage.parameter_calls, forward);
    return time;
}

} // namespace shardscope
