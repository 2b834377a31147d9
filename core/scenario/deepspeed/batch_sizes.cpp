#include "core/scenario/deepspeed/batch_sizes.h"

#include "core/scenario/deepspeed/deepspeed_settings.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace shardscope
{

namespace
{

constexpr std::int64_t largest = 1'000'000'000; // of one size: two of them multiply without overflow

std::int64_t bounded(std::int64_t size)
{
    return std::clamp<std::int64_t>(size, 1, largest);
}

std::int64_t product(std::int64_t one, std::int64_t other)
{
    std::int64_t result = 0;
    return __builtin_mul_overflow(one, other, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

std::int64_t passesOf(const Scenario& scenario)
{
    const std::int64_t step =
        product(bounded(scenario.training.micro_batch_size), bounded(scenario.parallel.data));
    return bounded(scenario.training.global_batch_size / step);
}

struct Batch {
    std::optional<std::int64_t> train;
    std::optional<std::int64_t> micro;
    std::optional<std::int64_t> passes;
    std::int64_t replicas = 1;

    std::int64_t samplesOfPasses() const
    {
        return product(product(micro.value_or(1), passes.value_or(1)), replicas);
    }
};

// What nobody sets is as it was; what only the file's other sizes tell stays open.
Batch asked(const Scenario& scenario, const Scenario& before, const DeepSpeedSettings& settings)
{
    Batch batch{settings.train_batch, settings.micro_batch, settings.accumulation,
                bounded(scenario.parallel.data)};
    const bool is_nothing_set = !batch.train && !batch.micro && !batch.passes;
    const bool is_train_open = !batch.train && settings.is_train_batch_auto;
    if (!batch.micro && !(batch.train && batch.passes) && (settings.is_micro_batch_auto || !batch.train))
        batch.micro = bounded(before.training.micro_batch_size);
    if (!batch.passes && !(batch.train && batch.micro)
        && (settings.is_accumulation_auto || is_train_open || is_nothing_set))
        batch.passes = passesOf(before);
    return batch;
}

// Rounded down as DeepSpeed does, which then refuses what does not come out even.
void complete(Batch& batch)
{
    if (!batch.train) {
        batch.passes = batch.passes.value_or(1);
        batch.train = batch.samplesOfPasses();
    } else if (batch.micro) {
        batch.passes = bounded(*batch.train / product(*batch.micro, batch.replicas));
    } else {
        batch.passes = batch.passes.value_or(1);
        batch.micro = bounded(*batch.train / product(*batch.passes, batch.replicas));
    }
}

std::string counted(std::int64_t count, std::string_view one, std::string_view several)
{
    return std::to_string(count) + " " + std::string{count == 1 ? one : several};
}

// Of replicas that nobody tells nobody knows what DeepSpeed refuses.
std::string refusal(const Batch& batch, bool tells_replicas)
{
    const std::string train = "train_batch_size " + std::to_string(batch.train.value_or(1));
    const std::string samples = counted(batch.micro.value_or(1), "sample", "samples") + " of a micro-batch ";
    const std::string taken = std::to_string(batch.samplesOfPasses()) + " is taken.";
    if (tells_replicas)
        return train + " is no multiple of " + samples + "in "
               + counted(batch.passes.value_or(1), "pass", "passes") + ", which DeepSpeed refuses; " + taken;
    return train + " is not " + samples + "on " + counted(batch.replicas, "replica", "replicas")
           + " a whole number of times; " + taken;
}

} // namespace

void setBatch(Scenario& scenario, const Scenario& before, const DeepSpeedSettings& settings,
              std::vector<std::string>& notes)
{
    Batch batch = asked(scenario, before, settings);
    const bool has_all = batch.train && settings.micro_batch && settings.accumulation;
    const std::int64_t of_replica = product(batch.micro.value_or(1), batch.passes.value_or(1));
    if (has_all && *batch.train % of_replica == 0)
        batch.replicas = *batch.train / of_replica;
    else if (!has_all)
        complete(batch);
    if (!has_all)
        notes.push_back("On how many GPUs it runs is not told; "
                        + counted(batch.replicas, "replica is taken.", "replicas are taken."));
    if (*batch.train != batch.samplesOfPasses())
        notes.push_back(refusal(batch, has_all));
    scenario.parallel.data = batch.replicas;
    scenario.training.micro_batch_size = *batch.micro;
    scenario.training.global_batch_size = batch.samplesOfPasses();
}

} // namespace shardscope
