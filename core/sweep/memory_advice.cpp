#include "core/sweep/memory_advice.h"

#include "core/prediction/predict.h"
#include "core/scenario/defaults.h"
#include "core/scenario/recomputation_words.h"
#include "core/sweep/fewest_layers_again.h"
#include "core/sweep/memory_reliefs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace shardscope
{

namespace
{

// A schedule of more passes is not played to tell what an answer costs: one takes up to 2 ms.
constexpr std::int64_t most_played_passes = 4096;
// Ours: an answer with a change more has to be so much faster.
constexpr double worth_of_a_change = 0.01;

using ReliefFamily = void (*)(const Scenario&, Reliefs&);
// What a run is started with on the ranks that it has.
constexpr std::array settings{relieveByRecomputation, relieveBySequenceParallelism, relieveByZero,
                              relieveBySmallerMicroBatches, relieveByExpertParallelism};
using Families = std::array<ReliefFamily, 8>;
constexpr Families families{relieveByRecomputation,
                            relieveBySequenceParallelism,
                            relieveByExpertParallelism,
                            relieveByZero,
                            relieveBySmallerMicroBatches,
                            relieveByTensor,
                            relieveByPipeline,
                            relieveByOffload};
// ZeRO 2 and 3 rule out stages, and stages ZeRO 2 and 3: where the one fails, the other may do.
constexpr Families stages_first{relieveByRecomputation,
                                relieveBySequenceParallelism,
                                relieveByExpertParallelism,
                                relieveByPipeline,
                                relieveByZero,
                                relieveBySmallerMicroBatches,
                                relieveByTensor,
                                relieveByOffload};

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
    return room == Room::nearly_none ? memory.fits : fitsWithRoom(memory, cluster);
}

// As whoever makes the change gets it: conventions that were at their defaults follow.
Reliefs changesOf(ReliefFamily family, const Scenario& from)
{
    Reliefs changes;
    family(from, changes);
    for (Relief& change : changes)
        change.scenario.conventions = conventionsThere(from, change.scenario);
    return changes;
}

// Changes that are made together.
struct Answer {
    Scenario scenario;
    std::vector<std::string> changes;
    std::int64_t device_bytes = 0;
    double at_least_s = 0.0; // of an iteration
};
using Answers = std::vector<Answer>;

// Settings from the first on, one alone or several together.
void addCombinations(const Answer& from, std::size_t first, std::size_t most, Answers& answers)
{
    for (std::size_t i = first; i < settings.size(); ++i) {
        Reliefs changes;
        settings[i](from.scenario, changes);
        for (Relief& change : changes) {
            Answer answer{std::move(change.scenario), from.changes};
            answer.changes.push_back(std::move(change.name));
            if (answer.changes.size() < most)
                addCombinations(answer, i + 1, most, answers);
            answers.push_back(std::move(answer));
        }
    }
}

// What can be answered, in turn: the next step is asked where the one before holds nothing that suffices.
enum class Step : std::uint8_t { of_few_settings, of_layout, of_settings, of_offload };
constexpr std::array steps{Step::of_few_settings, Step::of_layout, Step::of_settings, Step::of_offload};

Answers answersOf(Step step, const Scenario& from)
{
    constexpr std::size_t few = 3;
    Answers answers;
    if (step == Step::of_few_settings || step == Step::of_settings)
        addCombinations({from, {}}, 0, step == Step::of_settings ? settings.size() : few, answers);
    Reliefs changes;
    if (step == Step::of_layout) {
        relieveByTensor(from, changes);
        relieveByPipeline(from, changes);
    } else if (step == Step::of_offload) { // whose time is not predicted: beside others it would look fast
        relieveByOffload(from, changes);
    }
    for (Relief& change : changes)
        answers.push_back({std::move(change.scenario), {std::move(change.name)}});
    for (Answer& answer : answers)
        answer.scenario.conventions = conventionsThere(from, answer.scenario);
    return answers;
}

// Of full recomputation as few layers as suffice: each costs a forward pass.
void recomputeLess(Room room, Answer& answer)
{
    Training& training = answer.scenario.training;
    const auto change = std::ranges::find(answer.changes, recomputationWords(answer.scenario));
    if (training.recompute != Recompute::full || change == answer.changes.end())
        return;
    const auto layers =
        fewestLayersAgain(answer.scenario, [room](const MemoryPrediction& memory, const Cluster& cluster) {
            return suffices(room, memory, cluster);
        });
    if (!layers)
        return;
    training.recompute_layers = *layers;
    *change = recomputationWords(answer.scenario);
    if (const auto memory = memoryOf(answer.scenario))
        answer.device_bytes = memory->device_bytes;
}

// Whether the one cannot be slower for what it recomputes. Blocks that are computed again cost more than a
// few layers may.
bool recomputesNoMore(const Training& one, const Training& other)
{
    if (one.recompute == other.recompute)
        return one.recompute_modules == other.recompute_modules;
    constexpr std::array blocks{RecomputeModule::mlp, RecomputeModule::moe, RecomputeModule::shared_experts};
    return one.recompute < other.recompute
           && std::ranges::find_first_of(one.recompute_modules, blocks) == one.recompute_modules.end();
}

// Those of the answers that suffice, without those that recompute more than another one of them needs.
Answers sufficing(Room room, Answers answers, const Cluster& cluster)
{
    std::erase_if(answers, [&](Answer& answer) {
        const auto memory = memoryOf(answer.scenario);
        answer.device_bytes = memory ? memory->device_bytes : 0;
        return !memory || !suffices(room, *memory, cluster);
    });
    // Of those that recompute as much, what changes less goes first.
    std::ranges::stable_sort(answers, {}, [](const Answer& answer) {
        return std::pair{answer.scenario.training.recompute, answer.changes.size()};
    });
    Answers kept;
    for (Answer& answer : answers)
        if (std::ranges::none_of(kept, [&](const Answer& other) {
                return other.scenario.parallel == answer.scenario.parallel
                       && other.scenario.training.micro_batch_size
                              == answer.scenario.training.micro_batch_size
                       && other.scenario.training.offload == answer.scenario.training.offload
                       && recomputesNoMore(other.scenario.training, answer.scenario.training);
            }))
            kept.push_back(std::move(answer));
    for (Answer& answer : kept)
        recomputeLess(room, answer);
    return kept;
}

double priced(double seconds, const Answer& answer)
{
    return seconds * (1.0 + worth_of_a_change * static_cast<double>(answer.changes.size() - 1));
}

// As long as schedules get where micro-batches are single sequences.
bool hasShortSchedules(const Scenario& scenario)
{
    return scenario.forwardPasses() * scenario.training.micro_batch_size <= most_played_passes;
}

// 0: it is not predicted, as what passes between GPU and host is no part of it.
double iterationOf(const Scenario& scenario)
{
    if (scenario.training.offload != Offload::none)
        return 0.0;
    const auto prediction = predict(scenario);
    return prediction ? prediction.value().time.iteration_s : std::numeric_limits<double>::infinity();
}

// Schedules are played of those alone that their bound leaves a chance; of long ones none is, and the bound
// decides.
std::optional<MemoryAdvice> fastest(Room room, Step step, const Scenario& scenario)
{
    Answers answers = sufficing(room, answersOf(step, scenario), scenario.cluster);
    if (answers.empty())
        return std::nullopt;
    for (Answer& answer : answers)
        if (const auto cost = costAtLeast(answer.scenario))
            answer.at_least_s = cost.value().iteration_s;
    const auto bound = [](const Answer& answer) { return priced(answer.at_least_s, answer); };
    std::ranges::stable_sort(answers, {}, bound);
    const Answer* best = &answers.front();
    double best_s = 0.0;
    if (hasShortSchedules(scenario)) {
        best_s = iterationOf(best->scenario);
        for (const Answer& answer : std::span{answers}.subspan(1)) {
            if (bound(answer) >= priced(best_s, *best))
                break;
            const double seconds = iterationOf(answer.scenario);
            if (priced(seconds, answer) >= priced(best_s, *best))
                continue;
            best = &answer;
            best_s = seconds;
        }
    }
    return MemoryAdvice{best->scenario, best->changes, best->device_bytes, best_s, false, false};
}

// Of changes that each name what replicas are left, the last tells it.
std::vector<std::string> toldOnce(std::vector<std::string> changes)
{
    constexpr std::string_view replicas = " (d = ";
    bool is_told = false;
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
        const std::size_t at = change->find(replicas);
        if (at == std::string::npos)
            continue;
        if (is_told)
            change->erase(at);
        is_told = true;
    }
    return changes;
}

// Each family's change that saves most, one family after the other until it suffices.
std::optional<MemoryAdvice> severalChanges(Room room, const Families& order, const Scenario& scenario,
                                           std::int64_t device_bytes)
{
    MemoryAdvice advice{scenario, {}, device_bytes};
    for (const ReliefFamily family : order) {
        const Reliefs changes = changesOf(family, advice.scenario);
        const Relief* best = nullptr;
        bool is_enough = false;
        for (const Relief& change : changes) {
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
    for (const Step step : steps)
        if (auto advice = fastest(room, step, scenario))
            return advice;
    for (const Families& order : {families, stages_first})
        if (auto advice = severalChanges(room, order, scenario, device_bytes)) {
            advice->changes = toldOnce(std::move(advice->changes));
            advice->iteration_s = hasShortSchedules(scenario) ? iterationOf(advice->scenario) : 0.0;
            return advice;
        }
    return std::nullopt;
}

bool overlapsMore(const Conventions& before, const Conventions& after)
{
    return (after.dp_overlap && !before.dp_overlap) || (after.param_overlap && !before.param_overlap)
           || (after.tp_overlap && !before.tp_overlap) || (after.pp_overlap && !before.pp_overlap);
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
            advice->overlaps_more = overlapsMore(scenario.conventions, advice->scenario.conventions);
            return advice;
        }
    }
    return MemoryAdvice{scenario, {}, memory->device_bytes};
}

} // namespace shardscope
