#include "widgets/panels/scenario/scenario_figures.h"

#include "widgets/session/shown_text.h"

#include "core/scenario/words.h"

#include <string_view>

namespace shardscope
{

namespace
{

bool isLi(const Scenario& scenario)
{
    return scenario.time_model == TimeModel::li;
}

QString noteOfLi(const Scenario& scenario)
{
    return isLi(scenario) ? QObject::tr("Li et al.'s times do not depend on it.") : QString{};
}

QString noteOfLaw(const Scenario& scenario)
{
    return isLi(scenario) ? QObject::tr("Li et al.'s times depend on none of these constants.") : QString{};
}

QString noteOfRates(const Scenario& scenario)
{
    return isDetailed(scenario) ? QObject::tr("Only Li et al.'s formula uses these three rates.") : QString{};
}

QString noteOfNics(const Scenario& scenario)
{
    const bool is_each_nic = scenario.cluster.inter_node.bandwidth_of == BandwidthOf::nic;
    return is_each_nic ? QString{} : QObject::tr("No time depends on it unless \"Network rate per\" is NIC.");
}

QString noteOfPods(const Scenario& scenario)
{
    if (isLi(scenario))
        return noteOfLi(scenario);
    return scenario.cluster.oversubscription > 1.0
               ? QString{}
               : QObject::tr("No time depends on it while Oversubscription is 1.");
}

QString noteOfOversubscription(const Scenario& scenario)
{
    if (isLi(scenario))
        return noteOfLi(scenario);
    return scenario.cluster.nodes_per_pod > 0 ? QString{}
                                              : QObject::tr("No time depends on it without Nodes of a pod.");
}

// Of the detailed time model alone.
NumberFigure ofDetailed(NumberFigure number)
{
    number.figure.note = noteOfLi;
    number.figure.is_idle = isLi;
    return number;
}

ToggleFigure ofDetailed(ToggleFigure toggle)
{
    toggle.figure.note = noteOfLi;
    toggle.figure.is_idle = isLi;
    return toggle;
}

// All controls of one time model, none of which does anything while the other is chosen: the first one says
// it.
std::vector<ScenarioControl> idleTogether(std::vector<ScenarioControl> controls,
                                          bool (*is_idle)(const Scenario&), QString (*note)(const Scenario&))
{
    for (ScenarioControl& control : controls)
        std::visit([is_idle](auto& each) { each.figure.is_idle = is_idle; }, control);
    std::visit([note](auto& each) { each.figure.note = note; }, controls.front());
    return controls;
}

QStringList linkKinds()
{
    QStringList kinds;
    for (const std::string_view kind : link_kinds)
        kinds << toQString(kind);
    return kinds;
}

ScenarioSection gpuSection()
{
    constexpr auto cluster = &Scenario::cluster;
    return {
        "GPU and nodes",
        {freeText<cluster, &Cluster::gpu>({"cluster.gpu", "GPU", "", "Name of the accelerator."}),
         number<cluster, &Cluster::peak_tflops>({"cluster.peak_tflops", "Peak", "F", "Dense, 16 bit."},
                                                nullptr, "TFLOP/s"),
         number<cluster, &Cluster::memory_GB>({"cluster.memory_GB", "Memory", "", "Capacity of one GPU."},
                                              nullptr, "GB"),
         ofDetailed(number<cluster, &Cluster::memory_bandwidth_GBps>(
             {"cluster.memory_bandwidth_GBps", "Memory bandwidth", "",
              "Of one GPU's own memory: the time of norms and activations depends on it."},
             nullptr, "GB/s")),
         number<cluster, &Cluster::gpus_per_node>({"cluster.gpus_per_node", "GPUs per node", "",
                                                   "GPUs of one machine, joined by the link in a node."})}};
}

std::vector<ScenarioControl> linkFigures()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto intra = &Cluster::intra_node;
    constexpr auto inter = &Cluster::inter_node;
    const std::vector<Choice> owners{{"GPU", "The bandwidth is each GPU's"},
                                     {"node", "All GPUs of a node share it"}};
    std::vector<Choice> network_owners = owners;
    network_owners.push_back({"NIC", "Each NIC of a node has it: with more of them a node has more"});
    return {
        freeText<cluster, intra, &Link::kind>({"cluster.intra_node.kind", "Link in a node", "",
                                               "Kind of the links between the GPUs of a node."},
                                              linkKinds()),
        ofDetailed(
            number<cluster, intra, &Link::latency_us>({"cluster.intra_node.latency_us", "In-node latency", "",
                                                       "Of one message between two GPUs of a node."},
                                                      nullptr, "µs")),
        choice<cluster, intra, &Link::bandwidth_of>({"cluster.intra_node.bandwidth_of", "In-node rate per",
                                                     "", "Whose the bandwidth within a node is."},
                                                    owners),
        freeText<cluster, inter, &Link::kind>(
            {"cluster.inter_node.kind", "Network", "", "Kind of the network between nodes."}, linkKinds()),
        ofDetailed(number<cluster, inter, &Link::latency_us>(
            {"cluster.inter_node.latency_us", "Network latency", "",
             "Of one message between two nodes. The steps of collectives were measured on networks of about "
             "30 µs: what is above adds to each step between nodes, less changes nothing of them."},
            nullptr, "µs")),
        choice<cluster, inter, &Link::bandwidth_of>({"cluster.inter_node.bandwidth_of", "Network rate per",
                                                     "", "Whose the bandwidth between nodes is."},
                                                    network_owners)};
}

std::vector<ScenarioControl> effectiveRateFigures()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto effective = &Cluster::effective;
    return idleTogether(
        {derivable<cluster, effective, &EffectiveBandwidth::tp_GBps>(
             {"cluster.effective_GBps.tp", "Tensor rate", "C_TP",
              "Effective bandwidth of tensor-parallel messages in Li et al.'s model; empty: from the links."},
             "GB/s"),
         derivable<cluster, effective, &EffectiveBandwidth::pp_GBps>(
             {"cluster.effective_GBps.pp", "Pipeline rate", "C_PP",
              "Effective bandwidth of pipeline messages in Li et al.'s model; empty: from the links."},
             "GB/s"),
         derivable<cluster, effective, &EffectiveBandwidth::dp_GBps>(
             {"cluster.effective_GBps.dp", "Data rate", "C_DP",
              "Effective bandwidth of data-parallel messages in Li et al.'s model; empty: from the links."},
             "GB/s")},
        isDetailed, noteOfRates);
}

std::vector<ScenarioControl> podFigures()
{
    constexpr auto cluster = &Scenario::cluster;
    return {
        number<cluster, &Cluster::nodes_per_pod>({"cluster.nodes_per_pod", "Nodes of a pod", "",
                                                  "Nodes that have their whole bandwidth among themselves, "
                                                  "as those of a rack or below one spine; 0: all.",
                                                  noteOfPods, isLi}),
        number<cluster, &Cluster::oversubscription>({"cluster.oversubscription", "Oversubscription", "",
                                                     "Between pods, or racks, there is so much less "
                                                     "bandwidth than inside: 7 is a seventh. 1: as much.",
                                                     noteOfOversubscription, isLi})};
}

std::vector<ScenarioControl> wiringFigures()
{
    constexpr auto cluster = &Scenario::cluster;
    return {number<cluster, &Cluster::scale_up_gpus>(
                {"cluster.scale_up_gpus", "GPUs of a domain", "",
                 "That NVLink connects beyond a node, as in a rack of GB200; 0: those of a node."}),
            number<cluster, &Cluster::nics_per_node>(
                {"cluster.nics_per_node", "NICs per node", "",
                 "NICs that the GPUs of a node share: whose traffic the busiest one carries. Where the "
                 "network's rate is each NIC's, a node has as many times that. 0: not known.",
                 noteOfNics}),
            choice<cluster, &Cluster::node_wiring>(
                {"cluster.node_wiring", "GPUs of a node", "",
                 "How they are joined: of a mesh, a part of the node has a part of the bandwidth."},
                {{"auto", "As the links' kind, bandwidth and number tell"},
                 {"mesh", "Each to each by links of their own"},
                 {"switch", "By a switch"}}),
            ofDetailed(toggle<cluster, &Cluster::in_network_reduction>(
                {"cluster.in_network_reduction", "Reduce in network", "",
                 "Switches between nodes add up: half of the "
                 "traffic of an all_reduce over nodes. Inside a "
                 "node, NVLS is part of the cluster's law."})),
            ofDetailed(toggle<cluster, &Cluster::few_node_trees>(
                {"cluster.few_node_trees", "Trees on few nodes", "",
                 "An all_reduce on two or three nodes takes trees: on two nodes they send up to a half less "
                 "than a ring between them, on three up to a quarter less; more nodes gain nothing."})),
            ofDetailed(number<cluster, &Cluster::collectives, &CollectiveLaw::ring_adapters>(
                {"cluster.collectives.ring_adapters", "NICs of a ring", "",
                 "How many NICs the rings of one group use to leave a node. 0: as many as the group has "
                 "ranks in the node."})),
            toggle<cluster, &Cluster::launch_blocking>(
                {"cluster.launch_blocking", "Kernels one by one", "",
                 "The processor starts a kernel when the one before it is done (CUDA_LAUNCH_BLOCKING=1): the "
                 "dispatch of every kernel adds to its time, and nothing overlaps.",
                 noteOfLi})};
}

ScenarioSection linkSection()
{
    return {"Links", together({linkFigures(), effectiveRateFigures(), wiringFigures(), podFigures()})};
}

// What `calibrate` fits: a share of the links' bandwidths, and latencies.
ScenarioSection collectiveLawSection()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto law = &Cluster::collectives;
    return {
        "Law of collectives",
        idleTogether(
            {number<cluster, law, &CollectiveLaw::intra_efficiency>(
                 {"cluster.collectives.intra_efficiency", "Reached in a node", "",
                  "Share of the bandwidth inside a node that a ring reaches."}),
             number<cluster, law, &CollectiveLaw::inter_efficiency>(
                 {"cluster.collectives.inter_efficiency", "Reached between", "",
                  "Share of a node's network bandwidth that is reached; over TCP about a half."}),
             number<cluster, law, &CollectiveLaw::derate_per_doubling>(
                 {"cluster.collectives.derate_per_doubling", "Loss per doubling", "",
                  "Across nodes: bandwidth / (1 + this * log2(nodes))."}),
             number<cluster, law, &CollectiveLaw::switch_reduce_efficiency>(
                 {"cluster.collectives.switch_reduce_efficiency", "NVLS reaches", "",
                  "Bus bandwidth of an all_reduce by the node's switch over the link's bandwidth; 0: it has "
                  "none."}),
             number<cluster, law, &CollectiveLaw::all_reduce_step_us>(
                 {"cluster.collectives.all_reduce_step_us", "all_reduce step", "",
                  "Inside a node, for each of its 2 (g - 1) steps."},
                 nullptr, "µs"),
             number<cluster, law, &CollectiveLaw::all_reduce_doubling_us>(
                 {"cluster.collectives.all_reduce_doubling_us", "Per node doubling", "",
                  "What an all_reduce across nodes takes longer for each doubling of their number."},
                 nullptr, "µs"),
             number<cluster, law, &CollectiveLaw::ring_base_us>(
                 {"cluster.collectives.ring_base_us", "Ring start", "",
                  "What all_gather, reduce_scatter and their like take before their steps."},
                 nullptr, "µs"),
             number<cluster, law, &CollectiveLaw::ring_step_us>(
                 {"cluster.collectives.ring_step_us", "Ring step", "",
                  "What all_gather, reduce_scatter and their like take for each of their n - 1 steps."},
                 nullptr, "µs"),
             number<cluster, law, &CollectiveLaw::blend>({"cluster.collectives.blend", "Blend", "p",
                                                          "T = (latency^p + transfer^p)^(1/p) of an "
                                                          "all_reduce: 1 adds them up, less makes the middle "
                                                          "sizes slower."})},
            isLi, noteOfLaw)};
}

// What the detailed model computes with.
ScenarioSection computeLawSection()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto law = &Cluster::compute;
    return {
        "Law of compute",
        idleTogether(
            {number<cluster, law, &ComputeLaw::gemm_efficiency>(
                 {"cluster.compute.gemm_efficiency", "Products reach", "",
                  "Share of the peak that large products of matrices reach."}),
             number<cluster, law, &ComputeLaw::memory_efficiency>(
                 {"cluster.compute.memory_efficiency", "Memory reaches", "",
                  "Share of the memory's bandwidth that norms, activations and dropout reach."}),
             number<cluster, law, &ComputeLaw::attention_efficiency>(
                 {"cluster.compute.attention_efficiency", "Fused attention", "",
                  "Share of the peak that a fused attention kernel reaches."}),
             number<cluster, law, &ComputeLaw::dispatch_us>(
                 {"cluster.compute.dispatch_us", "Dispatch", "",
                  "Of the processor, for each kernel: a layer never takes less."},
                 nullptr, "µs"),
             number<cluster, law, &ComputeLaw::overlap_contention>(
                 {"cluster.compute.overlap_contention", "Contention", "",
                  "Where communication hides behind compute, compute slows down by this share of the time "
                  "hidden."}),
             number<cluster, law, &ComputeLaw::dp_overlap_exposed>(
                 {"cluster.compute.dp_overlap_exposed", "Unhidden gradients", "",
                  "Of gradients and parameters that travel beneath a pass, the share of their time that "
                  "compute waits for all the same."}),
             number<cluster, law, &ComputeLaw::tp_overlap_exposed>(
                 {"cluster.compute.tp_overlap_exposed", "Unhidden tensor", "",
                  "Share of overlapped tensor-parallel messages that compute waits for all the same."})},
            isLi, noteOfLaw)};
}

} // namespace

std::vector<ScenarioSection> clusterSections()
{
    return {gpuSection(), linkSection(), collectiveLawSection(), computeLawSection()};
}

} // namespace shardscope
