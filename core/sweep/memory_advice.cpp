#include "core/sweep/memory_advice.h"

#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/scenario/defaults.h"
#include "core/scenario/words.h"
#include "core/sweep/layout.h"

#include <algorithm>
#include <array>

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

void addZero(const Scenario& from, Changes& changes)
{
    const int last = lastZeroStage(from);
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

// The same GPUs: half as many replicas, each over twice as many ranks of a degree, and so on up to `most`.
void addDoublings(const Scenario& from, const char* symbol, std::int64_t Parallel::*degree, std::int64_t most,
                  Changes& changes)
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

// The tensor ranks of a replica stay within a node.
void addTensor(const Scenario& from, Changes& changes)
{
    const auto most = std::max<std::int64_t>(1, from.cluster.gpus_per_node);
    addDoublings(from, "t", &Parallel::tensor, most, changes);
}

void addPipeline(const Scenario& from, Changes& changes)
{
    if (from.parallel.zero_stage > 1 || !from.parallel.stage_layers.empty())
        return;
    addDoublings(from, "p", &Parallel::pipeline, from.model.layers, changes);
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
using Families = std::array<Family, 6>;
constexpr Families families{addRecomputation, addZero,     addSmallerMicroBatches,
                            addTensor,        addPipeline, addOffload};
// ZeRO 2 and 3 rule out stages, and stages ZeRO 2 and 3: where the one fails, the other may do.
constexpr Families stages_first{addRecomputation,       addPipeline, addZero,
                                addSmallerMicroBatches, addTensor,   addOffload};

// Memory that the scenario needs, or nothing where it cannot be predicted.
std::optional<MemoryPrediction> memoryOf(const Scenario& scenario)
{
    auto memory = predictMemory(scenario);
    if (!memory)
        return std::nullopt;
    return std::move(memory).value();
}

// What suffices: as a usual error of the prediction may be what is missing, nearly full is a second choice.
enum class Room : std::uint8_t { some, nearly_none };

bool suffices(Room room, const MemoryPrediction& memory, const Cluster& cluster)
{
    return memory.fits && (room == Room::nearly_none || !isNearlyFull(memory.device_bytes, cluster));
}

// As whoever makes the change gets it: conventions that were at their defaults follow.
Changes changesOf(Family family, const Scenario& from)
{
    Changes changes;
    family(from, changes);
    for (Change& change : changes)
        change.scenario.conventions = conventionsThere(from, change.scenario);
    return changes;
}

std::optional<MemoryAdvice> oneChange(Room room, const Scenario& scenario)
{
    for (const Family family : families) {
        Changes changes = changesOf(family, scenario);
        for (Change& change : changes)
            if (const auto memory = memoryOf(change.scenario);
                memory && suffices(room, *memory, scenario.cluster))
                return MemoryAdvice{std::move(change.scenario), {change.name}, memory->device_bytes};
    }
    return std::nullopt;
}

// Each family's change that saves most, one family after the other until it suffices.
std::optional<MemoryAdvice> severalChanges(Room room, const Families& order, const Scenario& scenario,
                                           std::int64_t device_bytes)
{
    MemoryAdvice advice{scenario, {}, device_bytes};
    for (const Family family : order) {
        const Changes changes = changesOf(family, advice.scenario);
        const Change* best = nullptr;
        bool is_enough = false;
        for (const Change& change : changes) {
            const auto memory = memoryOf(change.scenario);
            if (!memory || memory->device_bytes >= advice.device_bytes)
                continue;
            advice.device_bytes = memory->device_bytes;
            best = &change;
            is_enough = suffices(room, *memory, scenario.cluster);
            if (is_enough)
                break;
        }
        if (!best)
            continue;
        advice.scenario = best->scenario;
        advice.changes.push_back(best->name);
        if (is_enough)
            return advice;
    }
    return std::nullopt;
}

std::optional<MemoryAdvice> advise(Room room, const Scenario& scenario, std::int64_t device_bytes)
{
    if (auto advice = oneChange(room, scenario))
        return advice;
    for (const Families& order : {families, stages_first})
        if (auto advice = severalChanges(room, order, scenario, device_bytes))
            return advice;
    return std::nullopt;
}

} // namespace

std::optional<MemoryAdvice> adviseMemory(const Scenario& scenario)
{
    const auto memory = memoryOf(scenario);
    if (!memory || memory->fits)
        return std::nullopt;
    for (const Room room : {Room::some, Room::nearly_none}) {
        if (auto advice = advise(room, scenario, memory->device_bytes)) {
            advice->is_nearly_full = room == Room::nearly_none;
            return advice;
        }
    }
    return MemoryAdvice{scenario, {}, memory->device_bytes};
}

} // namespace shardscope
