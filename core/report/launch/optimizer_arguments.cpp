#include "core/report/launch/optimizer_arguments.h"

#include "core/scenario/optimizer_states.h"
#include "core/scenario/words.h"

namespace shardscope
{

namespace
{

// Of choices that take as many bytes the one that needs no scale.
std::string_view formatOf(int bytes)
{
    return bytes == 1 ? "fp8" : bytes == 2 ? "bf16" : "fp32";
}

// Transformer Engine keeps of the fp32 copy of bf16 weights the 16 bits that they lack, unless Megatron-FSDP
// holds weights in fp32 for it; no argument turns that off.
void addCopy(const Scenario& scenario, CommandArguments& arguments)
{
    const Training& training = scenario.training;
    const bool is_sharded = scenario.parallel.zero_stage >= 2;
    const bool has_remainders = training.precision != Precision::fp16 && !is_sharded;
    if (training.master_bytes == 2 && training.precision == Precision::fp16)
        arguments.add("main-params-dtype", "fp16");
    arguments.remarkIf(training.master_bytes == 0,
                       "No equivalent: master_bytes 0; Megatron-LM keeps a copy of 16-bit weights.");
    arguments.remarkIf(training.master_bytes == 2 && is_sharded,
                       "No equivalent: master_bytes 2; Megatron-FSDP keeps a copy in fp32.");
    arguments.remarkIf(training.master_bytes == 4 && has_remainders,
                       "No equivalent: master_bytes 4 beside other moments; Transformer Engine keeps 2 bytes "
                       "beside bf16 weights.");
}

// What validate_args of Megatron-LM asks for.
void remarkNeeds(const Scenario& scenario, CommandArguments& arguments)
{
    arguments.remarkIf(scenario.parallel.zero_stage == 0,
                       "use-precision-aware-optimizer needs the distributed optimizer: zero_stage 1.");
}

void addStates(const Scenario& scenario, CommandArguments& arguments)
{
    const Training& training = scenario.training;
    arguments.flag("use-precision-aware-optimizer");
    if (training.gradient_bytes == 2)
        arguments.add("main-grads-dtype", "bf16");
    if (training.exp_avg_bytes != 4)
        arguments.add("exp-avg-dtype", formatOf(training.exp_avg_bytes));
    if (training.exp_avg_sq_bytes != 4)
        arguments.add("exp-avg-sq-dtype", formatOf(training.exp_avg_sq_bytes));
    if (training.precision != Precision::fp32)
        addCopy(scenario, arguments);
    remarkNeeds(scenario, arguments);
}

} // namespace

void addOptimizer(const Scenario& scenario, CommandArguments& arguments)
{
    const Training& training = scenario.training;
    const bool is_offloaded = training.offload == Offload::optimizer;
    arguments.remarkIf(training.optimizer == Optimizer::none,
                       "No equivalent: training without an optimizer.");
    if (training.optimizer == Optimizer::none)
        return;
    arguments.add("optimizer", word(training.optimizer));
    const bool is_usual =
        training.exp_avg_bytes == 4 && (masterBytes(training) == 4 || training.precision == Precision::fp32);
    arguments.remarkIf(
        training.optimizer == Optimizer::sgd && !is_usual,
        "No equivalent: a copy or a momentum in another format than fp32; Megatron-LM has them "
        "for Adam alone.");
    if (!needsPrecisionAwareOptimizer(training))
        return;
    arguments.remarkIf(is_offloaded, "No equivalent: states in other formats than fp32 on the host.");
    if (!is_offloaded)
        addStates(scenario, arguments);
}

} // namespace shardscope
