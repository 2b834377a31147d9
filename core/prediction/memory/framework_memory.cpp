#include "core/prediction/memory/framework_memory.h"
#include "core/prediction/model/recurrence.h"

#include "core/prediction/memory/memory_moments.h"
#include "core/scenario/deepspeed/bf16_optimizer.h"
#include "core/scenario/optimizer_states.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::int64_t mebibyte = 1 << 20;

// 32 MiB each for PyTorch's and Transformer Engine's cuBLAS work space on Hopper and later.
constexpr std::int64_t cublas_workspaces_bytes = 64 * mebibyte;
// nvidia-smi with one empty tensor on an A100 (BigScience, tr11-176B-ml/chronicles-prequel.md).
constexpr std::int64_t cuda_context_bytes = 1573 * mebibyte;
// NCCL_BUFFSIZE of 4 MiB for each of 24 channels (NVLink of an A100); of each channel two connections of a
// ring and two of a tree.
constexpr std::int64_t communicator_bytes = std::int64_t{24} * 4 * 4 * mebibyte;

// DeepSpeed's allgather_bucket_size, in elements: of ZeRO 1 and 2, and of its bf16 optimizer.
constexpr std::int64_t zero_gather_elements = 500'000'000;
constexpr std::int64_t bf16_gather_elements = 5'000'000'000;

// Reserved over allocated: Megatron-LM, mean of ten configurations (SimuMax, docs/b200), for DeepSpeed's fork
// of it too; FSDP, a fit to torchtitan's published runs (docs/memory.md).
constexpr std::int64_t megatron_idle_percent = 5;
constexpr std::int64_t pytorch_idle_percent = 15;

// Processes that talk over the loopback device: neither CUDA nor NCCL nor cuBLAS.
bool isOnProcessors(const Cluster& cluster)
{
    return cluster.intra_node.kind == "loopback";
}

bool isHalfPrecision(const Scenario& scenario)
{
    return scenario.training.precision != Precision::fp32;
}

// DeepSpeed's bf16 optimizer: a 16-bit gradient beside a sum in fp32. Stages 2 and 3 have one of their own.
bool sumsGradientsApart(const IterationFigures& figures)
{
    return usesBf16Optimizer(figures.scenario);
}

// Transformer Engine returns one empty gradient for each shape of weight and keeps it (get_dummy_wgrad):
// those of one layer, of each kind of block.
std::int64_t gradientPlaceholderBytes(const IterationFigures& figures, const StageShape& shape)
{
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t expert = shape.layersWith(hasExperts) > 0
                                    ? expertParameters(figures.scenario.model, figures.expert_tensor)
                                    : 0;
    const Model& model = figures.scenario.model;
    const Shards shards{figures.tensor, figures.expert, figures.expert_tensor};
    std::int64_t blocks = 0;
    const auto add = [&](LayerForm block, bool (*has)(LayerForm)) {
        if (shape.layersWith(has) > 0)
            blocks += layerParameters(model, block, shards).sharded;
    };
    add(LayerForm::attention, hasAttention);
    add(LayerForm::recurrence, hasRecurrence);
    add(LayerForm::mlp, hasMlp);
    add(LayerForm::experts, hasExperts); // those that all tokens share
    const std::int64_t projection = shape.counts.mtp > 0 ? figures.mtp_extra.sharded : 0;
    return element * (blocks + expert + projection);
}

// Parameters of the largest tensor: the vocabulary's, the first product of a feed-forward block, or of a
// recurrence.
std::int64_t largestTensor(const IterationFigures& figures, const StageShape& shape)
{
    const Model& model = figures.scenario.model;
    const std::int64_t recurrence =
        shape.layersWith(hasRecurrence) > 0
            ? model.hidden_size * recurrenceWidths(model, figures.tensor).projected()
            : 0;
    const bool has_products = shape.layersWith(hasMlp) + shape.layersWith(hasExperts) > 0;
    const std::int64_t mlp =
        has_products ? model.hidden_size * model.ffn_hidden_size / figures.tensor * (model.gated_mlp ? 2 : 1)
                     : 0;
    const std::int64_t product = std::max(recurrence, mlp);
    return shape.first || shape.last ? std::max(product, figures.word_embedding) : product;
}

// all_gather into a list of tensors goes through one flat copy of the bucket (ProcessGroupNCCL).
std::int64_t gatheredBytes(const IterationFigures& figures, std::int64_t parameters, std::int64_t bucket)
{
    if (!figures.hasReplicas())
        return 0;
    return bytesPerElement(figures.activation_dtype) * parameters
           / std::max<std::int64_t>(1, parameters / bucket);
}

// Transformer Engine's Adam works on states in fp32: of those in other formats it makes such copies, of all
// parameters before it updates the first (FusedAdam.step, get_unscaled_state). Of bf16 weights it puts the
// copy together within the kernel.
MemoryTerms precisionAwareStep(const IterationFigures& figures, const StageShape& shape)
{
    const Training& training = figures.scenario.training;
    const std::int64_t floats = bytesPerElement(Dtype::fp32) * ownedParameters(figures, shape);
    MemoryTerms step;
    step.add("first moments in fp32", training.exp_avg_bytes != 4 ? floats : 0);
    step.add("second moments in fp32", training.exp_avg_sq_bytes != 4 ? floats : 0);
    if (masterBytes(training) == 2 && !keepsRemainders(figures.scenario))
        step.add("copy of the weights in fp32", floats);
    return step;
}

// 16-bit gradients that nothing has summed up in float are copied for the optimizer (main_param.grad). In
// BigScience's log of 18 B parameters on four stages 20.0 bytes a parameter are allocated behind the step.
MemoryTerms megatronStep(const IterationFigures& figures, const StageShape& shape)
{
    const Training& training = figures.scenario.training;
    if (usesPrecisionAwareOptimizer(figures.scenario))
        return precisionAwareStep(figures, shape);
    MemoryTerms step;
    const bool is_copied = training.gradient_bytes == 2 && training.optimizer != Optimizer::none
                           && training.offload == Offload::none;
    if (is_copied)
        step.add("own gradients in fp32", bytesPerElement(Dtype::fp32) * ownedParameters(figures, shape));
    return step;
}

MemoryTerms deepSpeedStep(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t parameters = shape.trainedParameters();
    MemoryTerms step;
    // fp16: to look for overflow; bf16: to be added to the sum.
    step.add("largest gradient in fp32", bytesPerElement(Dtype::fp32) * largestTensor(figures, shape));
    if (sumsGradientsApart(figures)) {
        if (scenario.training.gradient_bytes == 4)
            step.add("16-bit gradients", element * parameters);
        step.add("gathered weights", gatheredBytes(figures, parameters, bf16_gather_elements));
        return step;
    }
    const std::int64_t own = scenario.training.offload == Offload::none ? ownedParameters(figures, shape) : 0;
    step.add("own gradients, flat", element * own);
    // In the format of the optimizer's weights (master_weights_and_grads_dtype): 16-bit ones as they are.
    if (masterBytes(scenario.training) == 4)
        step.add("own gradients in fp32", bytesPerElement(Dtype::fp32) * own);
    if (scenario.parallel.zero_stage < 3) // which gathers before use
        step.add("gathered weights", gatheredBytes(figures, parameters, zero_gather_elements));
    return step;
}

} // namespace

MemoryTerms frameworkBuffers(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    const std::int64_t parameters = shape.trainedParameters();
    const std::int64_t gradients = scenario.training.gradient_bytes * parameters;
    MemoryTerms buffers;
    switch (scenario.conventions.framework) {
    case Framework::megatron:
        if (!isOnProcessors(scenario.cluster))
            buffers.add("cuBLAS work spaces", cublas_workspaces_bytes);
        if (sumsGradientsInProducts(scenario))
            buffers.add("empty weight gradients of Transformer Engine",
                        gradientPlaceholderBytes(figures, shape));
        break;
    case Framework::deepspeed:
        // ZeRO gathers gradients in a bucket (contiguous_gradients); the bf16 optimizer has none.
        if (scenario.parallel.zero_stage > 0 && !sumsGradientsApart(figures))
            buffers.add("ZeRO's bucket", std::min(scenario.conventions.dp_bucket_bytes, gradients));
        break;
    case Framework::fsdp:
        break;
    case Framework::ddp:
        // gradient_as_bucket_view is off: buckets are copies.
        buffers.add("DDP's buckets", figures.hasReplicas() ? gradients : 0);
        break;
    }
    return buffers;
}

MemoryTerms stepTensors(const IterationFigures& figures, const StageShape& shape)
{
    const Scenario& scenario = figures.scenario;
    if (!isHalfPrecision(scenario) || scenario.model.kind == ModelKind::parameter_list)
        return {};
    switch (scenario.conventions.framework) {
    case Framework::megatron:
        return megatronStep(figures, shape);
    case Framework::deepspeed:
        return deepSpeedStep(figures, shape);
    case Framework::fsdp:
    case Framework::ddp:
        break;
    }
    return {};
}

std::int64_t idlePercent(Framework framework)
{
    const bool is_megatron = framework == Framework::megatron || framework == Framework::deepspeed;
    return is_megatron ? megatron_idle_percent : pytorch_idle_percent;
}

std::int64_t keptBlockBytes(Framework framework, std::int64_t backward_bytes, std::int64_t step_bytes)
{
    return framework == Framework::deepspeed ? std::min(backward_bytes, step_bytes) : 0;
}

MemoryTerms contextTerms(const IterationFigures& figures)
{
    if (isOnProcessors(figures.scenario.cluster))
        return {};
    const Parallel& parallel = figures.scenario.parallel;
    std::int64_t communicators = 0;
    for (const std::int64_t ranks : {parallel.tensor, parallel.context, parallel.pipeline, parallel.expert,
                                     std::int64_t{figures.data_group}})
        communicators += ranks > 1 ? 1 : 0;
    MemoryTerms context;
    context.add("CUDA context", cuda_context_bytes);
    context.add("NCCL's communicators", communicators * communicator_bytes);
    return context;
}

} // namespace shardscope
