#include "core/sweep/single_changes.h"

#include "core/prediction/model/recomputation.h"
#include "core/scenario/defaults.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/schedule_title.h"
#include "core/scenario/words.h"
#include "core/scenario/zero_stages.h"
#include "core/sweep/fewest_layers_again.h"
#include "core/sweep/layout.h"
#include "core/sweep/sweep_place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace shardscope
{

namespace
{

struct Change {
    std::string name;
    ChangeOf of = ChangeOf::run;
    Scenario scenario;
};
using Changes = std::vector<Change>;

// Ours: what doubles is told by itself, and the usual steps of machines are about that large.
constexpr double times_as_fast = 2.0;

std::optional<Scenario> atPlace(const Scenario& base, SweepAxis axis, double value)
{
    Scenario scenario = base;
    if (setPlace(scenario, base, std::array{AxisValue{axis, value}}) != Misfit::none)
        return std::nullopt;
    return scenario;
}

// Half and twice as much, where that is whole.
std::vector<std::int64_t> neighbours(std::int64_t value)
{
    std::vector<std::int64_t> found;
    if (value % 2 == 0)
        found.push_back(value / 2);
    found.push_back(value * 2);
    return found;
}

void addRecomputation(const Scenario& base, Changes& changes)
{
    const auto add = [&](Recompute recompute, std::int64_t layers) {
        Scenario scenario = base;
        scenario.training.recompute = recompute;
        scenario.training.recompute_layers = layers;
        if (recompute == Recompute::selective)
            scenario.training.recompute_modules = modulesWorthTrying(base);
        std::string name = recomputationWords(scenario);
        changes.push_back({std::move(name), ChangeOf::run, std::move(scenario)});
    };
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
        add(recompute, 0);
    const std::int64_t own = base.training.recompute_layers;
    if (base.training.recompute == Recompute::full && own > 0)
        for (const std::int64_t layers : {own - 1, own + 1})
            if (layers > 0 && layers < layersOfVirtualStage(base))
                add(Recompute::full, layers);
    if (const auto layers = fewestLayersAgain(base, fitsWithRoom))
        add(Recompute::full, *layers);
}

void addMicroBatches(const Scenario& base, Changes& changes)
{
    for (const std::int64_t size : neighbours(base.training.micro_batch_size))
        if (auto scenario = atPlace(base, SweepAxis::micro_batch_size, static_cast<double>(size)))
            changes.push_back({"micro-batches of " + std::to_string(size), ChangeOf::run, *scenario});
}

void addPrecision(const Scenario& base, Changes& changes)
{
    const ComputeLaw& law = base.cluster.compute;
    for (const Precision precision : {Precision::bf16, Precision::fp8, Precision::fp4}) {
        if ((precision == Precision::fp8 && !law.hasFp8()) || (precision == Precision::fp4 && !law.hasFp4()))
            continue;
        if (auto scenario = atPlace(base, SweepAxis::precision, static_cast<double>(precision)))
            changes.push_back({"number format " + std::string{word(precision)}, ChangeOf::run, *scenario});
    }
}

void addVocabulary(const Scenario& base, Changes& changes)
{
    Scenario scenario = base;
    scenario.model.vocab_padding = Model{}.vocab_padding;
    const bool is_larger = scenario.model.vocab_padding > base.model.vocab_padding;
    if (is_larger && base.model.kind == ModelKind::transformer)
        changes.push_back({"vocabulary padded to " + std::to_string(scenario.model.vocab_padding),
                           ChangeOf::run, std::move(scenario)});
}

// One degree half or twice as large; `axis` says which other one gives way.
void addDegree(const Scenario& base, SweepAxis axis, std::int64_t Parallel::*degree, Changes& changes)
{
    for (const std::int64_t value : neighbours(base.parallel.*degree))
        if (auto scenario = atPlace(base, axis, static_cast<double>(value)))
            changes.push_back({degreesText(scenario->parallel), ChangeOf::run, *scenario});
}

void addDegrees(const Scenario& base, Changes& changes)
{
    addDegree(base, SweepAxis::pipeline, &Parallel::pipeline, changes);
    addDegree(base, SweepAxis::tensor, &Parallel::tensor, changes);
    addDegree(base, SweepAxis::tensor_for_pipeline, &Parallel::tensor, changes);
    addDegree(base, SweepAxis::context, &Parallel::context, changes);
    for (const std::int64_t expert : neighbours(base.parallel.expert)) {
        Scenario scenario = base;
        scenario.parallel.expert = expert;
        changes.push_back({std::to_string(expert) + " expert ranks", ChangeOf::run, std::move(scenario)});
    }
}

void addSchedules(const Scenario& base, Changes& changes)
{
    if (base.parallel.pipeline == 1)
        return;
    for (int i = 0; i <= static_cast<int>(Schedule::dualpipe); ++i)
        if (auto scenario = atPlace(base, SweepAxis::schedule, i)) {
            const Parallel& parallel = scenario->parallel;
            std::string name = "schedule " + std::string{titleOf(parallel.schedule)};
            if (parallel.schedule == Schedule::interleaved)
                name += ", v " + std::to_string(parallel.virtual_stages);
            changes.push_back({std::move(name), ChangeOf::run, *scenario});
        }
    if (base.parallel.schedule != Schedule::interleaved)
        return;
    for (const std::int64_t stages : neighbours(base.parallel.virtual_stages)) {
        Scenario scenario = base;
        scenario.parallel.virtual_stages = stages;
        scenario.parallel.stage_layers.clear();
        if (stages > 1)
            changes.push_back({"v = " + std::to_string(stages), ChangeOf::run, std::move(scenario)});
    }
}

void addStages(const Scenario& base, Changes& changes)
{
    constexpr std::array<std::string_view, 3> names{
        "layers shared out evenly", "embedding and head count as layers", "stages of equal parameters"};
    for (int i = 0; i < static_cast<int>(names.size()) && base.parallel.pipeline > 1; ++i) {
        Scenario scenario = base;
        scenario.parallel.stage_balance = static_cast<StageBalance>(i);
        scenario.parallel.stage_layers.clear();
        changes.push_back({std::string{names[static_cast<std::size_t>(i)]}, ChangeOf::run, scenario});
    }
}

// " (+ overlap of gradients, tensor messages)": what frameworks turn on or off along with a change, and what
// may be most of its gain.
std::string overlapsThatFollow(const Scenario& base, const Scenario& changed)
{
    struct OverlapName {
        bool Conventions::*overlap;
        std::string_view of;
    };
    constexpr std::array<OverlapName, 4> names{{{&Conventions::dp_overlap, "gradients"},
                                                {&Conventions::param_overlap, "parameters"},
                                                {&Conventions::tp_overlap, "tensor messages"},
                                                {&Conventions::pp_overlap, "pipeline messages"}}};
    std::string text;
    for (const bool on : {true, false}) {
        std::string list;
        for (const OverlapName& name : names)
            if (changed.conventions.*name.overlap == on && base.conventions.*name.overlap != on)
                list += (list.empty() ? "" : ", ") + std::string{name.of};
        if (!list.empty())
            text += (on ? " (+ overlap of " : " (no overlap of ") + list + ")";
    }
    return text;
}

void addZero(const Scenario& base, Changes& changes)
{
    constexpr int stages = 4;
    for (int stage = 0; stage < stages; ++stage) {
        if (!runsZeroStage(base, stage))
            continue;
        if (auto scenario = atPlace(base, SweepAxis::zero_stage, stage))
            changes.push_back({(stage == 0 ? "no ZeRO" : "ZeRO stage " + std::to_string(stage))
                                   + overlapsThatFollow(base, *scenario),
                               ChangeOf::run, *scenario});
    }
}

void addRankOrders(const Scenario& base, Changes& changes)
{
    for (const RankOrder& order : usual_rank_orders) {
        Scenario scenario = base;
        scenario.parallel.rank_order = order;
        changes.push_back(
            {"ranks in the order " + rankOrderWord(order, base.parallel.context * base.parallel.expert > 1),
             ChangeOf::run, std::move(scenario)});
    }
}

struct Switch {
    std::string_view name;
    bool (*flip)(Scenario& scenario); // what it is then
};

template<auto section, auto member>
bool flip(Scenario& scenario)
{
    bool& value = scenario.*section.*member;
    value = !value;
    return value;
}

bool flipOffload(Scenario& scenario)
{
    Offload& offload = scenario.training.offload;
    offload = offload == Offload::none ? Offload::optimizer : Offload::none;
    return offload != Offload::none;
}

bool flipDispatcher(Scenario& scenario)
{
    TokenDispatcher& dispatcher = scenario.conventions.token_dispatcher;
    const bool is_on = dispatcher == TokenDispatcher::all_to_all;
    dispatcher = is_on ? TokenDispatcher::deepep : TokenDispatcher::all_to_all;
    return is_on;
}

// As the form names them.
constexpr std::array switches{
    Switch{"sequence parallelism", flip<&Scenario::parallel, &Parallel::sequence_parallel>},
    Switch{"experts split over tensor ranks", flip<&Scenario::parallel, &Parallel::expert_tensor_parallel>},
    Switch{"fused attention", flip<&Scenario::training, &Training::flash_attention>},
    Switch{"the optimizer on the host (not timed)", flipOffload},
    Switch{"gradients overlapped", flip<&Scenario::conventions, &Conventions::dp_overlap>},
    Switch{"parameters overlapped", flip<&Scenario::conventions, &Conventions::param_overlap>},
    Switch{"tensor messages overlapped", flip<&Scenario::conventions, &Conventions::tp_overlap>},
    Switch{"pipeline messages overlapped", flip<&Scenario::conventions, &Conventions::pp_overlap>},
    Switch{"expert messages overlapped", flip<&Scenario::conventions, &Conventions::ep_overlap>},
    Switch{"layers started as CUDA graphs", flip<&Scenario::conventions, &Conventions::cuda_graphs>},
    Switch{"tokens sent once to each rank (DeepEP)", flipDispatcher},
    Switch{"tokens sent to experts in fp8", flip<&Scenario::conventions, &Conventions::fp8_dispatch>},
    Switch{"weights gathered in fp8", flip<&Scenario::conventions, &Conventions::fp8_param_gather>},
    Switch{"gradients reduced for each micro-batch",
           flip<&Scenario::conventions, &Conventions::reduce_each_micro_batch>},
};

void addSwitches(const Scenario& base, Changes& changes)
{
    for (const Switch& each : switches) {
        Scenario scenario = base;
        const bool is_on = each.flip(scenario);
        std::string name = (is_on ? "with " : "without ") + std::string{each.name};
        if (base.conventions == scenario.conventions) {
            scenario.conventions = conventionsThere(base, scenario);
            name += overlapsThatFollow(base, scenario);
        }
        changes.push_back({std::move(name), ChangeOf::run, std::move(scenario)});
    }
}

// Bandwidths that were given to Li et al.'s formula are those of the same links.
void addLinks(const Scenario& base, Changes& changes)
{
    Scenario network = base;
    network.cluster.inter_node.bandwidth_GBps *= times_as_fast;
    changes.push_back({"network twice as fast", ChangeOf::machine, std::move(network)});
    const double in_node = base.cluster.intra_node.bandwidth_GBps * times_as_fast;
    changes.push_back({"links in a node twice as fast", ChangeOf::machine, withNodeBandwidth(base, in_node)});
    Scenario latency = base;
    latency.cluster.inter_node.latency_us /= times_as_fast;
    latency.cluster.intra_node.latency_us /= times_as_fast;
    CollectiveLaw& law = latency.cluster.collectives; // what collectives take of it
    for (double* each :
         {&law.all_reduce_step_us, &law.all_reduce_doubling_us, &law.ring_base_us, &law.ring_step_us})
        *each /= times_as_fast;
    changes.push_back({"half the latency of all links", ChangeOf::machine, std::move(latency)});
    Scenario reduction = base;
    const bool adds = flip<&Scenario::cluster, &Cluster::in_network_reduction>(reduction);
    changes.push_back({adds ? "reduction in the network" : "no reduction in the network", ChangeOf::machine,
                       std::move(reduction)});
}

void addGpus(const Scenario& base, Changes& changes)
{
    Scenario products = base;
    products.cluster.peak_tflops *= times_as_fast;
    changes.push_back({"GPU arithmetic twice as fast", ChangeOf::machine, std::move(products)});
    Scenario memory = base;
    memory.cluster.memory_bandwidth_GBps *= times_as_fast;
    changes.push_back({"GPU memory twice as fast", ChangeOf::machine, std::move(memory)});
    Scenario queued = base; // the same where they are: left out
    queued.cluster.launch_blocking = false;
    changes.push_back({"kernels queued", ChangeOf::machine, std::move(queued)});
}

using Family = void (*)(const Scenario&, Changes&);
constexpr std::array every_family{Family{addRecomputation}, Family{addMicroBatches}, Family{addPrecision},
                                  Family{addVocabulary},    Family{addDegrees},      Family{addSchedules},
                                  Family{addStages},        Family{addZero},         Family{addRankOrders},
                                  Family{addSwitches},      Family{addLinks},        Family{addGpus}};

// Times are sums whose order a change may turn round.
bool costsTheSame(const SweepPoint& one, const SweepPoint& other)
{
    constexpr double of_rounding = 1e-9;
    const double apart_s = std::fabs(one.time.iteration_s - other.time.iteration_s);
    return apart_s <= of_rounding * other.time.iteration_s && one.device_bytes == other.device_bytes;
}

} // namespace

SingleChanges singleChanges(const Scenario& scenario, const std::atomic<bool>* stop)
{
    SingleChanges answer{pointOf(scenario), {}};
    Changes changes;
    for (const Family family : every_family)
        family(scenario, changes);
    for (Change& change : changes) {
        if (stop != nullptr && stop->load(std::memory_order_relaxed))
            break;
        if (change.scenario == scenario)
            continue;
        SweepPoint point = pointOf(change.scenario);
        if (point.isValid() && !costsTheSame(point, answer.own))
            answer.changes.push_back({std::move(change.name), change.of, std::move(point)});
    }
    std::ranges::stable_sort(answer.changes, {}, [](const SingleChange& change) {
        return std::tuple{!change.point.fits, change.point.time.iteration_s};
    });
    return answer;
}

} // namespace shardscope
