#include "core/sweep/memory_reliefs.h"

#include "core/prediction/model/recomputation.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/zero_stages.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// The same GPUs: half as many replicas, each over twice as many ranks of a degree, and so on up to `most`.
void addDoublings(const Scenario& from, const char* symbol, std::int64_t Parallel::*degree, std::int64_t most,
                  Reliefs& changes)
{
    Scenario scenario = from;
    Parallel& parallel = scenario.parallel;
    while (parallel.data % 2 == 0 && parallel.*degree * 2 <= most) {
        parallel.*degree *= 2;
        parallel.data /= 2;
        changes.push_back({std::string{symbol} + " = " + std::to_string(parallel.*degree)
                               + " (d = " + std::to_string(parallel.data) + ")",
                           scenario});
    }
}

} // namespace

void relieveByRecomputation(const Scenario& from, Reliefs& changes)
{
    const Training& before = from.training;
    const auto add = [&](Recompute recompute) {
        Scenario scenario = from;
        scenario.training.recompute = recompute;
        scenario.training.recompute_layers = 0;
        if (recompute == Recompute::selective)
            scenario.training.recompute_modules = modulesWorthTrying(from);
        // Without attention's core, where that is fused.
        const std::vector<RecomputeModule>& modules = scenario.training.recompute_modules;
        const bool is_less = recompute == Recompute::selective && before.recompute == recompute
                             && std::ranges::includes(before.recompute_modules, modules);
        changes.push_back({recomputationWords(scenario) + (is_less ? " alone" : ""), scenario});
    };
    const bool has_other_modules =
        before.recompute == Recompute::selective && modulesWorthTrying(from) != before.recompute_modules;
    const bool has_some_layers = before.recompute == Recompute::full && before.recompute_layers > 0;
    if (before.recompute == Recompute::none || has_other_modules || has_some_layers)
        add(Recompute::selective);
    if (before.recompute != Recompute::full || has_some_layers)
        add(Recompute::full);
}

void relieveBySequenceParallelism(const Scenario& from, Reliefs& changes)
{
    if (from.parallel.sequence_parallel || from.parallel.tensor == 1)
        return;
    Scenario scenario = from;
    scenario.parallel.sequence_parallel = true;
    changes.push_back({"sequence parallelism", scenario});
}

void relieveByZero(const Scenario& from, Reliefs& changes)
{
    constexpr int stages = 4;
    for (int stage = from.parallel.zero_stage + 1; stage < stages && from.parallel.data > 1; ++stage) {
        if (!runsZeroStage(from, stage))
            continue;
        Scenario scenario = from;
        scenario.parallel.zero_stage = stage;
        changes.push_back({"ZeRO stage " + std::to_string(stage), scenario});
    }
}

void relieveBySmallerMicroBatches(const Scenario& from, Reliefs& changes)
{
    Scenario scenario = from;
    while (scenario.training.micro_batch_size % 2 == 0) {
        scenario.training.micro_batch_size /= 2;
        changes.push_back(
            {"micro-batches of " + std::to_string(scenario.training.micro_batch_size), scenario});
    }
}

void relieveByExpertParallelism(const Scenario& from, Reliefs& changes)
{
    Scenario scenario = from;
    Parallel& parallel = scenario.parallel;
    const std::int64_t ranks = parallel.expertRanks();
    const std::int64_t count = from.model.experts.count;
    while (count > 0 && count % (parallel.expert * 2) == 0 && ranks % (parallel.expert * 2) == 0) {
        parallel.expert *= 2;
        changes.push_back({std::to_string(parallel.expert) + " expert ranks", scenario});
    }
}

void relieveByTensor(const Scenario& from, Reliefs& changes)
{
    const auto most = std::max<std::int64_t>(1, from.cluster.gpus_per_node);
    addDoublings(from, "t", &Parallel::tensor, most, changes);
}

void relieveByPipeline(const Scenario& from, Reliefs& changes)
{
    if (from.parallel.zero_stage > 1 || !from.parallel.stage_layers.empty())
        return;
    addDoublings(from, "p", &Parallel::pipeline, from.model.layers, changes);
}

void relieveByOffload(const Scenario& from, Reliefs& changes)
{
    if (from.training.offload != Offload::none)
        return;
    Scenario scenario = from;
    scenario.training.offload = Offload::optimizer;
    changes.push_back({"the optimizer offloaded to the host", scenario});
}

} // namespace shardscope
