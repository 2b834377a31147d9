#include "core/sweep/change_steps.h"

#include <array>
#include <utility>

namespace shardscope
{

namespace
{

// Brings a part of `to` to where `from` has it.
using Piece = void (*)(Scenario& to, const Scenario& from);

// Members that belong together: one of them alone names no layout, no link and no GPU.
template<auto section, auto... members>
void take(Scenario& to, const Scenario& from)
{
    ((to.*section.*members = from.*section.*members), ...);
}

void takeModel(Scenario& to, const Scenario& from)
{
    const std::int64_t length = to.model.sequence_length; // a choice of its own
    to.model = from.model;
    to.model.sequence_length = length;
}

constexpr auto model = &Scenario::model;
constexpr auto training = &Scenario::training;
constexpr auto parallel = &Scenario::parallel;
constexpr auto conventions = &Scenario::conventions;
constexpr auto cluster = &Scenario::cluster;

constexpr std::array pieces{
    Piece{takeModel},
    Piece{take<model, &Model::sequence_length>},
    Piece{take<training, &Training::global_batch_size>},
    Piece{take<training, &Training::micro_batch_size>},
    Piece{take<training, &Training::precision, &Training::gradient_bytes, &Training::master_bytes>},
    Piece{take<training, &Training::optimizer, &Training::exp_avg_bytes, &Training::exp_avg_sq_bytes>},
    Piece{take<training, &Training::recompute, &Training::recompute_layers, &Training::recompute_modules>},
    Piece{take<training, &Training::offload>},
    Piece{take<training, &Training::flash_attention>},
    Piece{take<parallel, &Parallel::pipeline, &Parallel::tensor, &Parallel::data, &Parallel::context,
               &Parallel::expert, &Parallel::expert_tensor_parallel>},
    Piece{take<parallel, &Parallel::schedule, &Parallel::virtual_stages, &Parallel::micro_batch_group>},
    Piece{take<parallel, &Parallel::stage_balance, &Parallel::stage_layers>},
    Piece{take<parallel, &Parallel::context_method>},
    Piece{take<parallel, &Parallel::sequence_parallel>},
    Piece{take<parallel, &Parallel::zero_stage>},
    Piece{take<parallel, &Parallel::rank_order>},
    Piece{take<conventions, &Conventions::framework>},
    Piece{take<conventions, &Conventions::dp_reduction, &Conventions::dp_bucket_bytes>},
    Piece{take<conventions, &Conventions::dp_overlap>},
    Piece{take<conventions, &Conventions::param_overlap>},
    Piece{take<conventions, &Conventions::tp_overlap>},
    Piece{take<conventions, &Conventions::pp_overlap>},
    Piece{take<conventions, &Conventions::ep_overlap>},
    Piece{take<conventions, &Conventions::cuda_graphs>},
    Piece{take<conventions, &Conventions::token_dispatcher>},
    Piece{take<conventions, &Conventions::fp8_dispatch>},
    Piece{take<conventions, &Conventions::fp8_param_gather>},
    Piece{[](Scenario& to, const Scenario& from) { to.conventions = from.conventions; }},
    Piece{take<cluster, &Cluster::gpu, &Cluster::peak_tflops, &Cluster::memory_GB,
               &Cluster::memory_bandwidth_GBps, &Cluster::compute, &Cluster::mu, &Cluster::fitted_mu>},
    Piece{take<cluster, &Cluster::gpus_per_node, &Cluster::scale_up_gpus, &Cluster::node_wiring,
               &Cluster::intra_node>},
    Piece{take<cluster, &Cluster::inter_node, &Cluster::nics_per_node>},
    Piece{take<cluster, &Cluster::nodes_per_pod, &Cluster::oversubscription>},
    Piece{take<cluster, &Cluster::in_network_reduction>},
    Piece{take<cluster, &Cluster::launch_blocking>},
    Piece{[](Scenario& to, const Scenario& from) { to.cluster = from.cluster; }},
    Piece{[](Scenario& to, const Scenario& from) { to = from; }}, // whatever has come since
};

ChangeOf whoChanges(const Scenario& from, Scenario to)
{
    to.cluster = from.cluster;
    return to == from ? ChangeOf::machine : ChangeOf::run;
}

} // namespace

ChangeSteps changeSteps(const Scenario& before, const Scenario& after, const std::atomic<bool>* stop)
{
    ChangeSteps way{pointOf(before), {}};
    Scenario reached = before;
    reached.name = after.name; // costs nothing
    Scenario next = reached;
    for (const Piece piece : pieces) {
        if (stop != nullptr && stop->load(std::memory_order_relaxed))
            return way;
        piece(next, after);
        if (next == reached)
            continue;
        std::vector<ScenarioDifference> changed = differences(reached, next);
        if (changed.empty()) { // the name of a preset that other figures were laid over, which costs nothing
            reached = next;
            continue;
        }
        SweepPoint point = pointOf(next);
        if (!point.isValid())
            continue;
        way.steps.push_back({std::move(changed), whoChanges(reached, next), std::move(point)});
        reached = next;
    }
    return way;
}

} // namespace shardscope
