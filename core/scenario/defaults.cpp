#include "core/scenario/defaults.h"

#include "core/scenario/pytorch.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Fits to published training steps (docs/accuracy.md).
constexpr double deepspeed_traffic = 1.88;
constexpr double pytorch_traffic = 2.33;

void setMegatron(Conventions& conventions, std::int64_t gradient_bytes, const Parallel& parallel)
{
    constexpr std::int64_t bucket = 40'000'000;
    constexpr std::int64_t bucket_for_each_replica = 1'000'000;
    const std::int64_t replicas = std::clamp<std::int64_t>(parallel.data, 1, 1'000'000'000);
    if (!conventions.dp_overlap)
        return;
    conventions.dp_reduction = DpReduction::buckets;
    conventions.dp_bucket_bytes = gradient_bytes * std::max(bucket, bucket_for_each_replica * replicas);
}

void setDeepSpeed(Conventions& conventions, std::int64_t gradient_bytes, const Parallel& parallel)
{
    constexpr std::int64_t bucket = 500'000'000;
    conventions.operator_traffic = deepspeed_traffic;
    conventions.dp_reduction = DpReduction::buckets;
    conventions.dp_bucket_bytes = bucket * gradient_bytes;
    conventions.zero_reduction =
        parallel.zero_stage == 3 ? ZeroReduction::reduce_scatter : ZeroReduction::all_reduce;
    conventions.pp_partitioned = true;
    conventions.memory_measure = MemoryMeasure::device;
}

// Megatron-LM fuses its loss. FSDP with ALiBi is MosaicML's llm-foundry, whose MPT models take flash-attn's
// loss (model.loss_fn, fused_crossentropy unless said); PyTorch's own works on fp32 copies.
bool fusesLoss(Framework framework, const Model& model)
{
    const bool is_mpt = framework == Framework::fsdp && model.position_embedding == PositionEmbedding::alibi;
    return framework == Framework::megatron || is_mpt;
}

// FSDP's and DDP's.
void setPyTorch(Conventions& conventions)
{
    conventions.operator_traffic = pytorch_traffic;
    conventions.memory_measure = MemoryMeasure::reserved;
    conventions.report_loss = false;
}

} // namespace

int defaultGradientBytes(Framework framework, Precision precision)
{
    const bool summed_in_float = framework == Framework::megatron && hasBf16Weights(precision);
    return precision == Precision::fp32 || summed_in_float ? 4 : 2;
}

int defaultMasterBytes(Precision precision)
{
    return precision == Precision::fp32 ? 0 : 4;
}

int defaultZeroStage(Framework framework)
{
    return framework == Framework::fsdp ? 3 : 0;
}

ContextMethod defaultContextMethod(Framework framework)
{
    return isPyTorch(framework) ? ContextMethod::all_gather : ContextMethod::ring;
}

Conventions defaultConventions(Framework framework, const Model& model, const Training& training,
                               const Parallel& parallel)
{
    bool overlap = false;
    switch (framework) {
    case Framework::megatron: // with its distributed optimizer
        overlap = parallel.zero_stage > 0;
        break;
    case Framework::deepspeed: // overlap_comm of its configuration, unless set
        overlap = parallel.zero_stage == 3 && parallel.pipeline == 1;
        break;
    case Framework::fsdp:
    case Framework::ddp:
        overlap = true;
        break;
    }
    return defaultConventions(framework, model, training, parallel, overlap);
}

Conventions defaultConventions(Framework framework, const Model& model, const Training& training,
                               const Parallel& parallel, bool dp_overlap)
{
    Conventions conventions;
    conventions.framework = framework;
    conventions.dp_overlap = dp_overlap;
    // DeepSpeed's overlap_comm is of what replicas send, and its pipelines wait for their messages.
    conventions.param_overlap = dp_overlap && framework != Framework::deepspeed;
    conventions.pp_overlap = dp_overlap && framework != Framework::deepspeed;
    // Transformer Engine's overlapped products know no fp4 (NVIDIA's recipes turn it off there).
    conventions.tp_overlap = dp_overlap && framework == Framework::megatron && parallel.zero_stage > 0
                             && parallel.sequence_parallel && training.precision != Precision::fp4;
    conventions.fp8_param_gather =
        framework == Framework::megatron && parallel.zero_stage > 0 && training.precision == Precision::fp8;
    // Runs of today gather whole units; those without fused attention are of the days before.
    conventions.zero3_by_tensor =
        (framework == Framework::deepspeed || framework == Framework::megatron) && !training.flash_attention;
    conventions.fused_cross_entropy = fusesLoss(framework, model);
    // Keep the products in range while nothing is validated yet.
    const std::int64_t gradient_bytes = std::clamp(training.gradient_bytes, 1, 8);
    switch (framework) {
    case Framework::megatron:
        setMegatron(conventions, gradient_bytes, parallel);
        break;
    case Framework::deepspeed:
        setDeepSpeed(conventions, gradient_bytes, parallel);
        break;
    case Framework::fsdp:
        setPyTorch(conventions);
        conventions.zero3_keeps = ZeroKeeps::root_and_last;
        break;
    case Framework::ddp:
        setPyTorch(conventions);
        conventions.dp_reduction = DpReduction::buckets;
        break;
    }
    return conventions;
}

Conventions conventionsThere(const Scenario& scenario, const Scenario& changed)
{
    const Conventions& now = scenario.conventions;
    const auto byDefault = [&](const Scenario& of, auto... overlap) {
        return defaultConventions(now.framework, of.model, of.training, of.parallel, overlap...);
    };
    Conventions before = byDefault(scenario);
    Conventions after = byDefault(changed);
    if (now.dp_overlap != before.dp_overlap) {
        before = byDefault(scenario, now.dp_overlap);
        after = byDefault(changed, now.dp_overlap);
    }
    Conventions there = now;
    const auto follow = [](auto& value, const auto& by_default, const auto& by_default_there) {
        if (value == by_default)
            value = by_default_there;
    };
    follow(there.dp_overlap, before.dp_overlap, after.dp_overlap);
    follow(there.param_overlap, before.param_overlap, after.param_overlap);
    // What hides tensor-parallel messages does not ask how states are shared out, though recipes set both:
    // else a stage would be credited with it. Nor does what hides those between stages.
    const bool had_fp4 = scenario.training.precision == Precision::fp4;
    const bool has_fp4 = changed.training.precision == Precision::fp4;
    if (changed.parallel.sequence_parallel != scenario.parallel.sequence_parallel || had_fp4 != has_fp4)
        follow(there.tp_overlap, before.tp_overlap, after.tp_overlap);
    follow(there.dp_reduction, before.dp_reduction, after.dp_reduction);
    follow(there.dp_bucket_bytes, before.dp_bucket_bytes, after.dp_bucket_bytes);
    follow(there.fp8_param_gather, before.fp8_param_gather, after.fp8_param_gather);
    follow(there.zero_reduction, before.zero_reduction, after.zero_reduction);
    follow(there.zero3_by_tensor, before.zero3_by_tensor, after.zero3_by_tensor);
    follow(there.fused_cross_entropy, before.fused_cross_entropy, after.fused_cross_entropy);
    return there;
}

int gradientBytesThere(const Scenario& scenario, Framework framework, Precision precision)
{
    const int now = scenario.training.gradient_bytes;
    if (now == defaultGradientBytes(scenario.conventions.framework, scenario.training.precision))
        return defaultGradientBytes(framework, precision);
    return precision == Precision::fp32 ? std::max(now, 4) : now;
}

int masterBytesThere(const Training& training, Precision precision)
{
    const bool is_usual = training.master_bytes == defaultMasterBytes(training.precision);
    return is_usual || precision == Precision::fp32 ? defaultMasterBytes(precision) : training.master_bytes;
}

bool defaultFlashAttention(const Model& model)
{
    return model.gated_mlp || model.position_embedding == PositionEmbedding::rope
           || model.recurrence.heads > 0;
}

std::int64_t defaultGlobalBatchSize(std::int64_t micro_batch_size, std::int64_t data)
{
    constexpr std::int64_t usual = 512;
    constexpr std::int64_t largest = 1'000'000'000; // of either factor; validate() refuses more
    if (micro_batch_size < 1 || data < 1 || micro_batch_size > largest || data > largest)
        return usual;
    const std::int64_t step = micro_batch_size * data;
    return (usual + step - 1) / step * step;
}

Schedule defaultSchedule(std::int64_t virtual_stages)
{
    return virtual_stages > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
}

std::int64_t defaultVirtualStages(Schedule schedule)
{
    return isVShaped(schedule) ? 2 : 1;
}

std::int64_t defaultAttentionHeads(std::int64_t hidden_size)
{
    for (const std::int64_t head_dim : {128, 64})
        if (hidden_size > 0 && hidden_size % head_dim == 0)
            return hidden_size / head_dim;
    return 1;
}

} // namespace shardscope
