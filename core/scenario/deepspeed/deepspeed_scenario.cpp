#include "core/scenario/deepspeed/deepspeed_scenario.h"

#include "core/scenario/deepspeed/batch_sizes.h"
#include "core/scenario/deepspeed/bf16_optimizer.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/defaults.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// What is trained in fp8 or fp4 is in bf16 for DeepSpeed: the products come from Transformer Engine.
void setFormats(Scenario& scenario, const DeepSpeedSettings& settings)
{
    Training& training = scenario.training;
    const bool is_known = quantizesProducts(training.precision) && settings.precision == Precision::bf16;
    if (settings.precision && !is_known)
        training.precision = *settings.precision;
    const bool is_half = training.precision != Precision::fp32;
    // Its bf16 optimizer, which is that without ZeRO, sums up in fp32 unless it is told otherwise.
    const bool sums_in_float =
        is_half && training.precision != Precision::fp16 && scenario.parallel.zero_stage == 0;
    training.gradient_bytes = is_half ? settings.gradient_bytes.value_or(sums_in_float ? 4 : 2) : 4;
    if (settings.recomputes)
        training.recompute = Recompute::full;
}

// DeepSpeed refuses 16-bit weights and states without ZeRO, and states without weights (config.py,
// _do_error_check).
void setStates(Scenario& scenario, const DeepSpeedSettings& settings, std::vector<std::string>& notes)
{
    Training& training = scenario.training;
    const bool has_zero = scenario.parallel.zero_stage > 0;
    const bool is_half = training.precision != Precision::fp32;
    training.master_bytes = defaultMasterBytes(training.precision);
    training.exp_avg_bytes = default_moment_bytes;
    training.exp_avg_sq_bytes = default_moment_bytes;
    if (!settings.master_bytes && !settings.moment_bytes)
        return;
    if (!has_zero || !is_half || !settings.master_bytes) {
        notes.emplace_back(
            "The optimizer's weights and states in 16 bits are for fp16 or bf16 with ZeRO, states only "
            "beside such weights; they are predicted in fp32.");
        return;
    }
    training.master_bytes = *settings.master_bytes;
    training.exp_avg_bytes = settings.moment_bytes.value_or(default_moment_bytes);
    training.exp_avg_sq_bytes = training.exp_avg_bytes;
}

// What DeepSpeed reduces is in the format of the weights unless it is told otherwise, whatever it is summed
// up in.
void noteSentFormat(const Scenario& scenario, const DeepSpeedSettings& settings,
                    std::vector<std::string>& notes)
{
    const Training& training = scenario.training;
    const int usual = training.precision == Precision::fp32 ? 4 : 2;
    const bool are_sent = scenario.parallel.data > 1 || scenario.parallel.context > 1;
    if (!are_sent || settings.sent_bytes.value_or(usual) == training.gradient_bytes)
        return;
    if (settings.sent_bytes)
        notes.emplace_back(
            "communication_data_type: Gradients are predicted to be sent in the format of their sum.");
    else
        notes.emplace_back(
            "Gradients are predicted to be sent in fp32, the format of their sum; DeepSpeed sends "
            "them in 16 bit.");
}

void setOffload(Scenario& scenario, const DeepSpeedSettings& settings)
{
    if (settings.offloads_optimizer && scenario.parallel.zero_stage > 0)
        scenario.training.offload = Offload::optimizer;
}

// Stage 3 overlaps unless it is told not to, and pipelines never do.
bool overlaps(const Scenario& scenario, const DeepSpeedSettings& settings, bool is_pipeline,
              std::vector<std::string>& notes)
{
    if (is_pipeline && settings.overlaps.value_or(false))
        notes.emplace_back(
            scenario.parallel.pipeline > 1
                ? "overlap_comm: DeepSpeed switches it off for pipelines."
                : "overlap_comm: DeepSpeed switches it off for pipelines, which a script without "
                  "--no-pipeline-parallel builds even of one stage.");
    return !is_pipeline && settings.overlaps.value_or(scenario.parallel.zero_stage == 3);
}

// Hugging Face's Trainer fills "auto" in by the width of the model.
std::optional<std::int64_t> bucketOf(const Model& model, const DeepSpeedSettings& settings)
{
    constexpr std::int64_t widest = 1'000'000;
    const bool is_wide = model.kind == ModelKind::transformer && model.hidden_size > 0;
    if (!settings.is_bucket_auto || !is_wide)
        return settings.bucket;
    const std::int64_t width = std::min(model.hidden_size, widest);
    return width * width;
}

// Without ZeRO DeepSpeed reduces when backward is through, in buckets of its own; so does its bf16 optimizer.
void setReduction(Scenario& scenario, const DeepSpeedSettings& settings, bool is_pipeline,
                  std::vector<std::string>& notes)
{
    Conventions& conventions = scenario.conventions;
    const int stage = scenario.parallel.zero_stage;
    const bool is_bf16_optimizer = usesBf16Optimizer(scenario);
    if (stage > 0 && is_bf16_optimizer && (settings.overlaps.value_or(false) || settings.bucket))
        notes.emplace_back(
            "overlap_comm and reduce_bucket_size have no effect on stage 1 in bf16 with a sum in "
            "fp32, which DeepSpeed's bf16 optimizer reduces behind the backward pass.");
    if (stage == 0 || is_bf16_optimizer) {
        conventions.dp_overlap = false;
        return;
    }
    conventions.dp_overlap = overlaps(scenario, settings, is_pipeline, notes);
    if (stage < 3)
        conventions.zero_reduction = settings.reduction;
    if (const auto bucket = bucketOf(scenario.model, settings))
        conventions.dp_bucket_bytes =
            std::max<std::int64_t>(1, *bucket) * std::clamp(scenario.training.gradient_bytes, 1, 4);
}

void setMessages(Scenario& scenario, const DeepSpeedSettings& settings)
{
    Conventions& conventions = scenario.conventions;
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

void layOverRun(Scenario& run, const DeepSpeedSettings& settings, bool is_pipeline,
                std::vector<std::string>& notes)
{
    const Scenario before = run;
    setFormats(run, settings);
    setStates(run, settings, notes);
    noteSentFormat(run, settings, notes);
    setOffload(run, settings);
    run = withFollowingConventions(before, std::move(run));
    setReduction(run, settings, is_pipeline, notes);
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
    layOverRun(scenario, settings, scenario.parallel.pipeline > 1, notes);
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
