#include "core/prediction/memory_advice.h"

#include "core/prediction/prediction.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

struct Change {
    std::string name;
    Scenario scenario;
};
using Changes = std::vector<Change>;

void addRecomputation(const Scenario& from, Changes& changes)
{
    for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
        if (recompute <= from.training.recompute)
            continue;
        Scenario scenario = from;
        scenario.training.recompute = recompute;
        changes.push_back({"recompute " + std::string{word(recompute)}, scenario});
    }
}

// DeepSpeed's and Megatron-LM's pipelines run with ZeRO 0 and 1 alone.
void addZero(const Scenario& from, Changes& changes)
{
    const int last = from.parallel.pipeline > 1 || from.conventions.framework == Framework::megatron ? 1 : 3;
    for (int stage = from.parallel.zero_stage + 1; stage <= last && from.parallel.data > 1; ++stage) {
        Scenario scenario = from;
        scenario.parallel.zero_stage = stage;
        changes.push_back({"ZeRO stage " + std::to_string(stage), scenario});
    }
}

// The global batch stays: there are twice as many micro-batches.
void addSmallerMicroBatches(const Scenario& from, Changes& changes)
{
    Scenario scenario = from;
    while (scenario.training.micro_batch_size % 2 == 0) {
        scenario.training.micro_batch_size /= 2;
        changes.push_back(
            {"micro-batches of " + std::to_string(scenario.training.micro_batch_size), scenario});
    }
}

// The same GPUs: fewer replicas, within a node.
void addTensor(const Scenario& from, Changes& changes)
{
    Scenario scenario = from;
    while (scenario.parallel.data % 2 == 0
           && scenario.parallel.tensor * 2 <= std::max<std::int64_t>(1, from.cluster.gpus_per_node)) {
        scenario.parallel.tensor *= 2;
        scenario.parallel.data /= 2;
        changes.push_back({"t = " + std::to_string(scenario.parallel.tensor), scenario});
    }
}

void addOffload(const Scenario& from, Changes& changes)
{
    if (from.training.offload != Offload::none)
        return;
    Scenario scenario = from;
    scenario.training.offload = Offload::optimizer;
    changes.push_back({"the optimizer offloaded to the host", scenario});
}

using Family = void (*)(const Scenario&, Changes&);
constexpr Family families[]{addRecomputation, addZero, addSmallerMicroBatches, addTensor, addOffload};

// Memory that the scenario needs, or nothing where it cannot be predicted.
std::optional<MemoryPrediction> memoryOf(const Scenario& scenario)
{
    auto memory = predictMemory(scenario);
    if (!memory)
        return std::nullopt;
    return std::move(memory).value();
}

std::optional<MemoryAdvice> oneChange(const Scenario& scenario)
{
    for (const Family family : families) {
        Changes changes;
        family(scenario, changes);
        for (Change& change : changes)
            if (const auto memory = memoryOf(change.scenario); memory && memory->fits)
                return MemoryAdvice{std::move(change.scenario), {change.name}, memory->device_bytes};
    }
    return std::nullopt;
}

// Each family's change that saves most, one family after the other until it fits.
MemoryAdvice severalChanges(const Scenario& scenario, std::int64_t device_bytes)
{
    MemoryAdvice advice{scenario, {}, device_bytes};
    for (const Family family : families) {
        Changes changes;
        family(advice.scenario, changes);
        const Change* best = nullptr;
        bool fits = false;
        for (const Change& change : changes) {
            const auto memory = memoryOf(change.scenario);
            if (!memory || memory->device_bytes >= advice.device_bytes)
                continue;
            advice.device_bytes = memory->device_bytes;
            best = &change;
            fits = memory->fits;
            if (fits)
                break;
        }
        if (!best)
            continue;
        advice.scenario = best->scenario;
        advice.changes.push_back(best->name);
        if (fits)
            return advice;
    }
    return {scenario, {}, device_bytes};
}

} // namespace

std::optional<MemoryAdvice> adviseMemory(const Scenario& scenario)
{
    const auto memory = memoryOf(scenario);
    if (!memory || memory->fits)
        return std::nullopt;
    if (auto advice = oneChange(scenario))
        return advice;
    return severalChanges(scenario, memory->device_bytes);
}

} // namespace shardscope
