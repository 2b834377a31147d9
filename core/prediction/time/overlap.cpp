#include "core/prediction/time/overlap.h"

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
    const bool overlaps = areOn(scenario.conventions.tp_overlap && scenario.parallel.sequence_parallel);
    return overlaps ? std::max(scenario.cluster.compute.tp_overlap_exposed * tp_s, tp_s - products_s) : tp_s;
}

double Overlap::exposedBuckets(double all_s, double longest_s, double beside_s) const
{
    const double exposed = m_figures.scenario.cluster.compute.dp_overlap_exposed;
    return std::max({exposed * all_s, all_s - beside_s, longest_s});
}

ReplicaTime Overlap::replicas(const StageCommunication& stage, double backward_s, double forward_s) const
{
    ReplicaTime time{stage.gradients_s, stage.gradients_s, stage.parameters_s, stage.parameters_s};
    const Conventions& conventions = m_figures.scenario.conventions;
    if (areOn(conventions.dp_overlap))
        time.exposed_gradients_s = exposedBuckets(stage.gradients_s, stage.longest_gradient_s, backward_s);
    if (areOn(conventions.param_overlap))
        time.exposed_parameters_s = exposedBuckets(stage.parameters_s, stage.longest_parameter_s, forward_s);
    return time;
}

} // namespace shardscope
