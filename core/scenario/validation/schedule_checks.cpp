#include "core/base/format.h"
#include "core/scenario/micro_batch_groups.h"
#include "core/scenario/validation/findings.h"
#include "core/scenario/words.h"

namespace shardscope
{

namespace
{

bool acceptsMicroBatches(const Scenario& scenario, std::int64_t micro_batches)
{
    const Parallel& parallel = scenario.parallel;
    const std::int64_t stages = parallel.pipeline;
    if (parallel.schedule == Schedule::interleaved && stages > 1 && parallel.virtual_stages > 1)
        return fillGroups(parallel, scenario.conventions.framework, micro_batches);
    if (parallel.schedule == Schedule::dualpipe && stages % 2 == 0)
        return micro_batches % 2 == 0 && micro_batches >= 2 * stages;
    return micro_batches >= 1;
}

// The nearest batches that every rule accepts: "32 or 64". Where these are beyond all numbers, what all
// replicas work on at once.
std::string goodBatches(const Scenario& scenario)
{
    constexpr std::int64_t farthest = 100'000;
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::int64_t step = scenario.training.micro_batch_size * scenario.parallel.data;
    const std::int64_t now = scenario.training.global_batch_size / step;
    if (step > most / (farthest + now))
        return std::to_string(step);
    std::string batches;
    for (std::int64_t m = now; m >= std::max<std::int64_t>(1, now - farthest) && batches.empty(); --m)
        if (acceptsMicroBatches(scenario, m))
            batches = std::to_string(m * step);
    for (std::int64_t m = now + 1; m <= now + farthest; ++m)
        if (acceptsMicroBatches(scenario, m))
            return batches + (batches.empty() ? "" : " or ") + std::to_string(m * step);
    return batches.empty() ? std::to_string(step) : batches;
}

// The nearest numbers of replicas that share the batch out as every rule wants it: "2 or 4"; empty: none
// does.
std::string goodReplicas(const Scenario& scenario)
{
    const Training& training = scenario.training;
    const Parallel& parallel = scenario.parallel;
    if (training.global_batch_size % training.micro_batch_size != 0)
        return {};
    const std::int64_t all = training.global_batch_size / training.micro_batch_size;
    const auto isGood = [&](std::int64_t replicas) {
        return acceptsMicroBatches(scenario, all / replicas)
               && parallel.expertRanks() / parallel.data * replicas % parallel.expert == 0;
    };
    constexpr std::size_t either_side = 2;
    return divisorsNear(all, parallel.data, isGood, either_side);
}

// What the interleaved schedule wants of its micro-batches.
std::string badRounds(const Scenario& scenario)
{
    const std::string stages = std::to_string(scenario.parallel.pipeline);
    const std::string micro_batches = std::to_string(scenario.microBatches());
    return goInRounds(scenario.parallel, scenario.conventions.framework)
               ? "schedule interleaved deals micro-batches out to rounds of at least pipeline (" + stages
                     + "), all as large, which " + micro_batches + " do not fill"
               : "schedule interleaved needs a multiple of pipeline (" + stages + ") micro-batches, not "
                     + micro_batches;
}

void checkInterleaved(const Scenario& scenario, Findings& findings)
{
    const Parallel& parallel = scenario.parallel;
    const std::int64_t micro_batches = scenario.microBatches();
    if (parallel.pipeline < 2)
        findings.add("parallel.schedule",
                     "schedule interleaved needs at least 2 pipeline stages; choose 1f1b, or "
                     "raise pipeline");
    else if (parallel.virtual_stages < 2)
        findings.add("parallel.virtual_stages",
                     "schedule interleaved needs at least 2 virtual_stages; raise them, or "
                     "choose 1f1b");
    else if (parallel.micro_batch_group > 0 && !acceptsMicroBatches(scenario, micro_batches))
        findings.add(
            "parallel.micro_batch_group",
            "micro_batch_group has to lie between pipeline (" + std::to_string(parallel.pipeline)
                + ") and the number of micro-batches (" + std::to_string(micro_batches)
                + "), and the last group to be whole or no smaller than pipeline; choose 0 for groups of "
                  "pipeline");
    else if (!acceptsMicroBatches(scenario, micro_batches))
        findings.add("training.global_batch_size", badRounds(scenario) + "; choose a global_batch_size of "
                                                       + goodBatches(scenario) + ", or 1f1b");
}

// DualPipe feeds the pipeline from both ends (DeepSeek-AI, DualPipe).
void checkDualPipe(const Scenario& scenario, Findings& findings)
{
    const Parallel& parallel = scenario.parallel;
    const std::int64_t micro_batches = scenario.microBatches();
    if (parallel.pipeline % 2 != 0)
        findings.add("parallel.pipeline", "schedule dualpipe needs an even number of pipeline stages, not "
                                              + std::to_string(parallel.pipeline) + "; choose "
                                              + std::to_string(parallel.pipeline + 1)
                                              + ", or another schedule");
    else if (!acceptsMicroBatches(scenario, micro_batches))
        findings.add("training.global_batch_size",
                     "schedule dualpipe needs an even number of micro-batches, at least 2 * pipeline = "
                         + std::to_string(2 * parallel.pipeline) + ", not " + std::to_string(micro_batches)
                         + "; choose a global_batch_size of " + goodBatches(scenario)
                         + ", or another schedule");
}

// A V has a way down the stages and one back up (Qi et al. 2024b).
void checkVShape(const Parallel& parallel, Findings& findings)
{
    const std::string named_schedule = "schedule " + std::string{word(parallel.schedule)};
    if (parallel.pipeline < 2)
        findings.add("parallel.schedule", named_schedule
                                              + " needs at least 2 pipeline stages; choose 1f1b, or raise "
                                                "pipeline");
    else if (parallel.virtual_stages != 2)
        findings.add("parallel.virtual_stages",
                     named_schedule + " has 2 virtual_stages on each stage, not "
                         + std::to_string(parallel.virtual_stages) + "; set 2, or choose "
                         + (parallel.virtual_stages > 1 ? "interleaved" : "another schedule"));
}

// Schedules are played pass by pass. A timeline of so many takes about 2 GB.
constexpr std::int64_t most_passes = 1 << 20;

} // namespace

void checkBatch(const Scenario& scenario, Findings& findings)
{
    const Training& training = scenario.training;
    const Parallel& parallel = scenario.parallel;
    const std::int64_t step = training.micro_batch_size * parallel.data;
    const std::int64_t batch = training.global_batch_size;
    if (batch % step == 0)
        return;
    const std::string replicas = goodReplicas(scenario);
    findings.add("training.global_batch_size",
                 "micro_batch_size * data (" + std::to_string(training.micro_batch_size) + " * "
                     + std::to_string(parallel.data) + " = " + std::to_string(step) + ") does not divide "
                     + named("global_batch_size", batch) + "; choose a global_batch_size of "
                     + goodBatches(scenario) + (replicas.empty() ? "" : ", or parallel.data of " + replicas));
}

void checkPasses(const Scenario& scenario, Findings& findings)
{
    if (scenario.forwardPasses() <= most_passes)
        return;
    const std::int64_t stages = scenario.parallel.pipeline * scenario.parallel.virtual_stages;
    findings.add("training.global_batch_size",
                 formatGrouped(scenario.microBatches()) + " micro-batches"
                     + (stages > 1 ? " through " + formatGrouped(stages) + " stages" : "")
                     + " are more passes than can be followed (" + formatGrouped(most_passes)
                     + "); make global_batch_size smaller, or micro_batch_size or data larger");
}

void checkSchedule(const Scenario& scenario, Findings& findings)
{
    const Parallel& parallel = scenario.parallel;
    if (scenario.training.global_batch_size % (scenario.training.micro_batch_size * parallel.data) != 0)
        return;
    if (parallel.schedule == Schedule::interleaved)
        return checkInterleaved(scenario, findings);
    if (isVShaped(parallel.schedule))
        return checkVShape(parallel, findings);
    if (parallel.virtual_stages > 1)
        return findings.add("parallel.virtual_stages",
                            named("virtual_stages", parallel.virtual_stages)
                                + " needs schedule interleaved; choose that, or 1");
    if (parallel.schedule == Schedule::dualpipe)
        checkDualPipe(scenario, findings);
}

} // namespace shardscope
