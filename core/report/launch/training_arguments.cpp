#include "core/report/launch/training_arguments.h"

#include "core/report/launch/optimizer_arguments.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

void addRecomputation(const Training& training, CommandArguments& arguments)
{
    if (training.recompute == Recompute::none)
        return;
    arguments.add("recompute-granularity", std::string{word(training.recompute)});
    if (training.recompute == Recompute::full) {
        arguments.add("recompute-method", training.recompute_layers > 0 ? "block" : "uniform");
        arguments.add("recompute-num-layers", std::max<std::int64_t>(1, training.recompute_layers));
        return;
    }
    if (training.recompute_modules.empty())
        return;
    arguments.add("recompute-modules", moduleList(training.recompute_modules, " "));
    const auto has = [&](RecomputeModule module) {
        return std::ranges::find(training.recompute_modules, module) != training.recompute_modules.end();
    };
    arguments.flagIf(has(RecomputeModule::moe_act), "moe-grouped-gemm"); // which Megatron-LM asks for
    arguments.remarkIf(quantizesProducts(training.precision)
                           && (has(RecomputeModule::moe_act) || has(RecomputeModule::layernorm)),
                       "Megatron-LM refuses moe_act and layernorm with the delayed recipe of fp8, its "
                       "default; --fp8-recipe names another.");
}

} // namespace

void addTraining(const Scenario& scenario, CommandArguments& arguments)
{
    const Training& training = scenario.training;
    arguments.add("micro-batch-size", training.micro_batch_size);
    arguments.add("global-batch-size", training.global_batch_size);
    arguments.flagIf(hasBf16Weights(training.precision), "bf16");
    arguments.flagIf(training.precision == Precision::fp16, "fp16");
    if (training.precision == Precision::fp8)
        arguments.add("fp8-format", "hybrid");
    if (training.precision == Precision::fp4)
        arguments.add("fp4-format", "e2m1");
    arguments.flagIf(training.precision == Precision::fp16 && training.gradient_bytes >= 4,
                     "accumulate-allreduce-grads-in-fp32");
    arguments.flagIf(hasBf16Weights(training.precision) && training.gradient_bytes == 2,
                     "grad-reduce-in-bf16");
    addOptimizer(scenario, arguments);
    addRecomputation(training, arguments);
    arguments.flagIf(training.flash_attention, "use-flash-attn");
    if (!training.flash_attention) // otherwise Megatron-LM takes a fused one by itself
        arguments.add("attention-backend", "unfused");
    if (!scenario.conventions.gradient_norm)
        arguments.add("clip-grad", "0.0"); // its default clips by the norm, which it reduces for that
}

} // namespace shardscope
