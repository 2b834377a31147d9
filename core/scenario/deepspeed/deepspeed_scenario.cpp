#include "core/scenario/deepspeed/deepspeed_scenario.h"

#include "core/scenario/deepspeed/batch_sizes.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// What is trained in fp8 is in bf16 for DeepSpeed: the products come from Transformer Engine.
void setFormats(Scenario& scenario, const DeepSpeedSettings& settings, std::vector<std::string>& notes)
{
    Training& training = scenario.training;
    const bool is_fp8 = training.precision == Precision::fp8 && settings.precision == Precision::bf16;
    if (settings.precision && !is_fp8)
        training.precision = *settings.precision;
    const bool is_half = training.precision != Precision::fp32;
    // Its bf16 optimizer, which is that without ZeRO, sums up in fp32 unless it is told otherwise.
    const bool sums_in_float = training.precision == Precision::bf16 && scenario.parallel.zero_stage == 0;
    training.gradient_bytes = is_half ? settings.gradient_bytes.value_or(sums_in_float ? 4 : 2) : 4;
    if (settings.sent_bytes && *settings.sent_bytes != training.gradient_bytes)
        notes.emplace_back(
            "communication_data_type: Gradients are predicted to be sent in the format of their sum.");
    if (settings.recomputes)
        training.recompute = Recompute::full;
}

void setOffload(Scenario& scenario, const DeepSpeedSettings& settings)
{
    if (settings.offloads_optimizer && scenario.parallel.zero_stage > 0)
        scenario.training.offload = Offload::optimizer;
}

// Stage 3 overlaps unless it is told not to. Without ZeRO DeepSpeed reduces when backward is through, in
// buckets of its own.
void setMessages(Scenario& scenario, const DeepSpeedSettings& settings)
{
    Conventions& conventions = scenario.conventions;
    const int stage = scenario.parallel.zero_stage;
    conventions.dp_overlap = stage > 0 && settings.overlaps.value_or(stage == 3);
    const bool is_first_or_second = stage == 1 || stage == 2;
    if (is_first_or_second)
        conventions.zero_reduction = settings.reduction;
    if (is_first_or_second && settings.bucket)
        conventions.dp_bucket_bytes =
            std::max<std::int64_t>(1, *settings.bucket) * std::clamp(scenario.training.gradient_bytes, 1, 4);
    if (settings.cuts_stage_messages)
        conventions.pp_partitioned = *settings.cuts_stage_messages;
    if (settings.tensor_overlaps)
        conventions.tp_overlap = *settings.tensor_overlaps;
}

void setLayout(Scenario& scenario, const DeepSpeedSettings& settings, std::vector<std::string>& notes)
{
    Parallel& parallel = scenario.parallel;
    const std::int64_t gpus = boundedWorldSize(parallel);
    parallel.tensor = settings.tensor.value_or(parallel.tensor);
    if (settings.sequence) {
        parallel.context = *settings.sequence;
        parallel.context_method = ContextMethod::ulysses;
    }
    if (settings.tensor || settings.sequence)
        scenario = withWorldSize(std::move(scenario), gpus);
    if (!settings.expert)
        return;
    if (scenario.model.experts.count > 0)
        scenario.parallel.expert = *settings.expert;
    else
        notes.emplace_back("expert_parallel: The model has no experts.");
}

} // namespace

void layOverRun(Scenario& run, const DeepSpeedSettings& settings, std::vector<std::string>& notes)
{
    const Scenario before = run;
    setFormats(run, settings, notes);
    setOffload(run, settings);
    run = withFollowingConventions(before, std::move(run));
    setMessages(run, settings);
}

Scenario withDeepSpeed(const Scenario& base, const DeepSpeedSettings& settings,
                       std::vector<std::string>& notes)
{
    Scenario scenario = base;
    if (base.conventions.framework != Framework::deepspeed)
        scenario = withFramework(std::move(scenario), Framework::deepspeed);
    const Scenario before = scenario;
    scenario.parallel.zero_stage = settings.zero_stage.value_or(base.parallel.zero_stage);
    scenario.training.offload = Offload::none;
    scenario.training.optimizer = settings.optimizer.value_or(base.training.optimizer);
    setLayout(scenario, settings, notes);
    setBatch(scenario, base, settings, notes);
    scenario = withFollowingConventions(before, std::move(scenario));
    layOverRun(scenario, settings, notes);
    if (!settings.precision && !settings.is_precision_auto)
        notes.push_back("Neither fp16 nor bf16 is set; the number format stays "
                        + std::string{word(scenario.training.precision)} + ".");
    if (settings.tells_how_to_recompute && !settings.recomputes)
        notes.emplace_back(
            "activation_checkpointing: What is recomputed the model's code decides; it stays as "
            "it is.");
    return scenario;
}

} // namespace shardscope
