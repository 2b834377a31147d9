#include "core/prediction/prediction_warnings.h"

#include "core/base/format.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/model_warnings.h"
#include "core/prediction/not_calibrated.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/time/ends_time.h"
#include "core/prediction/time/machine.h"
#include "core/prediction/time/node_placement.h"
#include "core/prediction/time/time_error.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/scale_up_domain.h"
#include "core/scenario/schedule_title.h"
#include "core/scenario/words.h"
#include "core/scenario/zero_stages.h"

namespace shardscope
{

namespace
{

// Of ZeRO 2 and 3 with a pipeline.
const char* zeroInPipelines(Framework framework)
{
    switch (framework) {
    case Framework::megatron:
        return "Megatron-LM's distributed optimizer is stage 1: with pipelines, stages 2 and 3 here mean "
               "that the gradients of every micro-batch are reduced.";
    case Framework::deepspeed:
        return "DeepSpeed runs pipelines only with ZeRO 0 and 1: stage 2 or 3 reduces the gradients of every "
               "micro-batch.";
    case Framework::fsdp:
        return "PyTorch's pipelines reduce summed gradients once an iteration, which is "
               "reduce_each_micro_batch off; here every micro-batch's are reduced.";
    case Framework::ddp:
        break;
    }
    return "With pipelines, ZeRO 2 and 3 here mean that the gradients of every micro-batch are reduced.";
}

void warnOfTensorOverlap(const Scenario& scenario, std::vector<std::string>& warnings)
{
    if (!scenario.conventions.tp_overlap || scenario.parallel.tensor == 1)
        return;
    if (!scenario.parallel.sequence_parallel)
        warnings.emplace_back(
            "tp_overlap needs sequence_parallel, whose messages can be cut: nothing of it is overlapped.");
    else if (!staysOnNodes(scenario, Kind::tp))
        warnings.emplace_back(
            "tp_overlap works over the links inside a node alone (Transformer Engine's userbuffers): these "
            "tensor groups leave their nodes, and nothing of it is overlapped.");
}

void warnOfZeroStage(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Framework framework = scenario.conventions.framework;
    if (hasZeroStage(framework, scenario.parallel.zero_stage))
        return;
    warnings.emplace_back(
        framework == Framework::fsdp
            ? "PyTorch's FSDP has no ZeRO stage 1: NO_SHARD is stage 0, SHARD_GRAD_OP 2, FULL_SHARD 3."
            : "PyTorch's DDP has no ZeRO stages 2 and 3: with ZeroRedundancyOptimizer it has stage 1; those "
              "are FSDP's.");
}

void warnOfDispatcher(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const bool is_deepep = scenario.conventions.token_dispatcher == TokenDispatcher::deepep;
    if (!is_deepep || scenario.parallel.expert < 2)
        return;
    if (scenario.conventions.framework == Framework::deepspeed)
        warnings.emplace_back("DeepSpeed's own MoE layer has no DeepEP: it sends tokens by all_to_all.");
    const RankLayout layout{scenario.parallel};
    if (!layout.fillsBlocksAlike(scaleUpDomain(scenario.cluster, layout.worldSize())))
        warnings.emplace_back(
            "Expert groups do not lie on all nodes alike: tokens are taken to go straight to "
            "each of their ranks, not by way of one of each node.");
    if (scenario.parallel.tensor > 1 && scenario.parallel.sequence_parallel)
        warnings.emplace_back(
            "Megatron-LM's flex dispatcher sends tokens to the tensor ranks of an expert too; "
            "here these gather them from one another, as with all_to_all.");
}

// What the framework does otherwise, or not at all.
void warnOfLayout(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Parallel& parallel = scenario.parallel;
    if (hasExperts(scenario.model) && parallel.tensor > 1 && !parallel.sequence_parallel)
        warnings.emplace_back(
            "Megatron-LM trains experts over tensor ranks only with sequence_parallel; here every "
            "tensor rank dispatches all tokens and an all_reduce joins the experts' outputs.");
    const Model& model = scenario.model;
    if (model.kind == ModelKind::transformer && model.hasAttentionLayers() && model.mla.kv_lora_rank == 0
        && parallel.tensor > model.kv_heads)
        warnings.emplace_back(
            "tensor (" + std::to_string(parallel.tensor) + ") is more than kv_heads ("
            + std::to_string(model.kv_heads)
            + "): every rank is taken to hold one key-value head whole. Megatron-Core cuts the heads "
              "instead, and gathers queries, keys and values in every layer: messages that are not counted "
              "here.");
    warnOfDispatcher(scenario, warnings);
    warnOfTensorOverlap(scenario, warnings);
    warnOfZeroStage(scenario, warnings);
    if (parallel.zero_stage > 1 && parallel.pipeline > 1 && scenario.conventions.reduce_each_micro_batch)
        warnings.emplace_back(zeroInPipelines(scenario.conventions.framework));
}

// Megatron-LM refuses what it cannot share out evenly, unless it is told how.
void warnOfUnevenStages(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Parallel& parallel = scenario.parallel;
    const std::int64_t pieces = parallel.pipeline * parallel.virtual_stages;
    if (scenario.conventions.framework != Framework::megatron || pieces == 1 || !parallel.stage_layers.empty()
        || parallel.stage_balance != StageBalance::layers || scenario.model.layers % pieces == 0)
        return;
    warnings.emplace_back((parallel.virtual_stages > 1 ? "pipeline * virtual_stages (" : "pipeline (")
                          + std::to_string(pieces) + ") does not divide layers ("
                          + std::to_string(scenario.model.layers) + "): Megatron-LM then needs "
                          + (scenario.model.layer_pattern.empty() ? "pipeline-model-parallel-layout"
                                                                  : "bars (|) in hybrid_layer_pattern")
                          + "; here the first pieces have "
                            "a layer more.");
}

// What the bytes shown do not tell of the times.
void warnOfBytes(const Scenario& scenario, std::vector<std::string>& warnings)
{
    if (scenario.time_model != TimeModel::detailed || scenario.worldSize() == 1)
        return;
    if (scenario.cluster.in_network_reduction)
        warnings.emplace_back(
            "in_network_reduction is only in the times: bytes on the wire and between ranks "
            "are those of rings, twice what passes where the network's switches add up.");
    const Parallel& parallel = scenario.parallel;
    if (parallel.zero_stage == 3 && parallel.data * parallel.context > 1
        && scenario.conventions.zero3_by_tensor)
        warnings.emplace_back(
            "zero3_by_tensor is only in the times: a message of a layer takes as long as one "
            "of each of its tensors by one NIC of the node, as published runs of 2021 "
            "did; without it a layer is one call, by all NICs.");
}

void warnOfPods(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const bool are_several = Machine{scenario.cluster}.podRanks(scenario.worldSize()) > 0;
    if (scenario.time_model == TimeModel::detailed && are_several && scenario.cluster.oversubscription > 1.0)
        warnings.emplace_back(
            "What passes between pods takes as long as their bandwidth says: no published run tells what "
            "oversubscription costs, and the error shown is that of networks that are nowhere narrower.");
}

// What the time does not count.
void warnOfOffload(const Scenario& scenario, std::vector<std::string>& warnings)
{
    if (scenario.training.offload != Offload::none && scenario.training.optimizer != Optimizer::none)
        warnings.emplace_back(
            "offload is only in the memory: neither what passes between GPU and host nor the "
            "optimizer's work on the host is in the iteration's time.");
}

void warnOfLaunches(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Conventions& told = scenario.conventions;
    const bool overlaps =
        told.dp_overlap || told.param_overlap || told.tp_overlap || told.pp_overlap || told.ep_overlap;
    if (scenario.cluster.launch_blocking && overlaps && scenario.time_model == TimeModel::detailed)
        warnings.emplace_back(
            "launch_blocking starts a kernel when the one before it is done: nothing is overlapped, whatever "
            "dp_overlap, tp_overlap and their like say.");
}

// From there on the operations that Li et al. leave out are missed.
constexpr double most_attention_of_li = 0.2;

double attentionShare(const Scenario& scenario)
{
    if (scenario.model.kind != ModelKind::transformer)
        return 0.0;
    const ForwardFlops flops = forwardFlops(scenario.model, scenario.training.causal_flops);
    return (flops.attention + flops.recurrence)
           / (flops.layers + flops.attention + flops.recurrence + flops.logits);
}

void warnOfTimeModel(const Scenario& scenario, std::vector<std::string>& warnings)
{
    if (scenario.time_model == TimeModel::li && attentionShare(scenario) > most_attention_of_li)
        warnings.emplace_back(
            "Li et al.'s formula leaves out the products of attention, which are a fifth or "
            "more of this model's: it gives too short times, and too high an MFU. The "
            "detailed time model counts them.");
    const bool has_band = scenario.cluster.calibrated && scenario.cluster.compute.time_error > 0.0;
    if (scenario.time_model != TimeModel::detailed || !has_band || unlikeMeasured(scenario).empty())
        return;
    const bool is_wider = isWidenedAsUnlike(scenario, countParameters(scenario.model).total);
    warnings.emplace_back(
        "Few published measurements are like this (" + unlikeMeasured(scenario) + "): the error range is "
        + (is_wider ? "as wide as for a GPU of which no run was measured."
                    : "this GPU's own, which is already as wide as for one of which no run was measured."));
}

// What multi-token prediction is counted as, and where it is none that is trained.
void warnOfMultiToken(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Model& model = scenario.model;
    if (model.mtp_layers == 0)
        return;
    const bool is_taken = model.position_embedding == PositionEmbedding::rope
                          || model.position_embedding == PositionEmbedding::none;
    if (scenario.conventions.framework == Framework::megatron && !is_taken)
        warnings.emplace_back("Megatron-LM has mtp_layers with position_embedding rope or none alone.");
    if (scenario.conventions.framework != Framework::megatron)
        warnings.emplace_back("mtp_layers are predicted as Megatron-LM has them: on the last stage, which of "
                              "several holds a copy of the embedding.");
    if (scenario.time_model == TimeModel::li)
        warnings.emplace_back(
            "Li et al.'s formula shares mtp_layers out over all stages, and leaves out that the head works "
            "once more for each. The detailed time model has both on the last stage.");
}

// What decides how long the products of attention take.
void warnOfAttention(const Scenario& scenario, std::vector<std::string>& warnings)
{
    if (!scenario.model.hasAttentionLayers())
        return;
    if (worksInBlocks(scenario.parallel) && !scenario.training.flash_attention)
        warnings.emplace_back(
            "Attention of a sequence that several ranks share works part by part and stores no scores: "
            "flash_attention is taken as true.");
    if (scenario.time_model == TimeModel::detailed && scenario.model.kind == ModelKind::transformer
        && storesScores(scenario) && !hasAlignedHeads(scenario))
        warnings.emplace_back(
            "head_dim (" + std::to_string(scenario.model.head_dim)
            + ") does not fill steps of 16 bytes: without flash_attention the products of its "
              "scores miss the matrix units, and take about twelve times as long.");
}

// A vocabulary that is not padded, or to an odd multiple.
void warnOfVocabulary(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Model& model = scenario.model;
    if (scenario.time_model != TimeModel::detailed || model.kind != ModelKind::transformer)
        return;
    const double slowdown = logitsSlowdown(scenario);
    const std::int64_t tensor = scenario.parallel.tensor;
    if (slowdown > 1.0)
        warnings.emplace_back(
            "A rank's part of the vocabulary (" + std::to_string(paddedVocabulary(model, tensor) / tensor)
            + ") does not fill steps of 16 bytes: the products of its logits take about "
            + formatCount(slowdown) + " times as long. vocab_padding 128, Megatron-LM's, " + "pads it.");
}

// What full recomputation does not save. V-Half and V-Min put hardly anything off.
void warnOfPutOffGradients(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Schedule schedule = scenario.parallel.schedule;
    const bool puts_off =
        schedule == Schedule::zb_h1 || schedule == Schedule::zb_h2 || schedule == Schedule::zb_v;
    if (puts_off && scenario.parallel.pipeline > 1 && scenario.microBatches() > 1
        && scenario.training.recompute == Recompute::full)
        warnings.emplace_back(std::string{titleOf(schedule)}
                              + " puts weight gradients off, and keeps for them what full recomputation "
                                "would not keep: that saves little memory here. With selective or no "
                                "recomputation it may take less, and is faster.");
}

// Settings of a recomputation that is another one.
void warnOfRecomputation(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Training& training = scenario.training;
    if (training.recompute != Recompute::full && training.recompute_layers > 0)
        warnings.emplace_back("recompute_layers counts with full recomputation alone: recompute is "
                              + std::string{word(training.recompute)} + ".");
    const bool is_of_core =
        training.recompute == Recompute::selective && repeatsOf(scenario).has(RecomputeModule::core_attn)
        && scenario.model.hasAttentionLayers() && scenario.model.kind == ModelKind::transformer;
    if (is_of_core && !storesScores(scenario))
        warnings.emplace_back(
            "Attention is fused and keeps no scores: computing it again takes time and saves "
            "next to nothing."
            + std::string{hasRecomputeModules(scenario.conventions.framework)
                              ? " recompute_modules names other parts of a layer."
                              : ""});
    if (training.recompute_modules.empty())
        return;
    if (training.recompute != Recompute::selective)
        warnings.emplace_back("recompute_modules count with selective recomputation alone: recompute is "
                              + std::string{word(training.recompute)} + ".");
    else if (!hasRecomputeModules(scenario.conventions.framework))
        warnings.emplace_back("recompute_modules are Megatron-Core's and count for nothing with FSDP and "
                              "DDP.");
    else
        for (const RecomputeModule module : training.recompute_modules)
            if (!hasModule(scenario.model, module))
                warnings.emplace_back("recompute_modules: no layer of this model has what "
                                      + std::string{word(module)}
                                      + (module == RecomputeModule::layernorm
                                             ? " is of, a norm that is not fused with a product."
                                             : " is of."));
}

// Which of its rates for fp32 the GPU is taken to have.
std::string fp32Rate(const Cluster& cluster)
{
    const double speedup = formatSpeedup(cluster.compute, Precision::fp32);
    std::string rate = "Products in fp32 are taken at up to " + formatPlain(cluster.peak_tflops * speedup, 4)
                       + " TFLOP/s, " + formatPlain(speedup, 4) + " of the 16-bit peak";
    if (takesTf32(cluster))
        rate += ": as TF32, which frameworks use only where they are told to; plain fp32 is far slower";
    return rate + "; cluster.compute.fp32_speedup sets another rate.";
}

// Formats that the GPU gains nothing from, or has two rates for. Of a cluster that is not calibrated no rate
// stands for anything.
void warnOfFormats(const Scenario& scenario, std::vector<std::string>& warnings)
{
    if (scenario.training.precision == Precision::fp32 && scenario.cluster.calibrated)
        warnings.push_back(fp32Rate(scenario.cluster));
    const ComputeLaw& law = scenario.cluster.compute;
    if (quantizesProducts(scenario.training.precision) && !law.hasFp8())
        warnings.push_back(scenario.cluster.gpu + " has no matrix units for "
                           + std::string{word(scenario.training.precision)}
                           + " that are known here: products are taken to last as long as in bf16; "
                             "cluster.compute.fp8_speedup sets another rate.");
    else if (scenario.training.precision == Precision::fp4 && !law.hasFp4())
        warnings.push_back(
            scenario.cluster.gpu
            + " has no matrix units for fp4 that are known here: products are taken to last as "
              "long as in fp8; cluster.compute.fp4_over_fp8 sets another rate.");
    if (quantizesProducts(scenario.training.precision) && law.formats_are_apart)
        warnings.push_back(
            "The measured times of this GPU in 16 bits and in fewer are of different systems: do "
            "not take the ratio of two predictions for what "
            + std::string{word(scenario.training.precision)} + " gains.");
    if (scenario.training.precision == Precision::bf16 && scenario.cluster.compute.bf16_speedup < 1.0)
        warnings.emplace_back(scenario.cluster.gpu
                              + " has no matrix units for bf16: products are as slow as in fp32; "
                                "training.precision fp16 is what it is fast in.");
}

} // namespace

std::vector<std::string> warningsFor(const Scenario& scenario)
{
    std::vector<std::string> warnings;
    warnOfModel(scenario, warnings);
    warnOfLayout(scenario, warnings);
    warnOfUnevenStages(scenario, warnings);
    warnOfBytes(scenario, warnings);
    warnOfPods(scenario, warnings);
    warnOfOffload(scenario, warnings);
    warnOfLaunches(scenario, warnings);
    warnOfTimeModel(scenario, warnings);
    warnOfMultiToken(scenario, warnings);
    warnOfAttention(scenario, warnings);
    warnOfVocabulary(scenario, warnings);
    warnOfFormats(scenario, warnings);
    warnOfPutOffGradients(scenario, warnings);
    warnOfRecomputation(scenario, warnings);
    if (!scenario.cluster.calibrated)
        warnings.emplace_back(not_calibrated);
    return warnings;
}

} // namespace shardscope
