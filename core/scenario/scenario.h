#pragma once

#include "core/collectives/collective_law.h"
#include "core/scenario/compute_law.h"
#include "core/scenario/model.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// The number format of matrix products and of activations. Those of fewer than 16 bits are of products alone:
// weights and activations are kept and sent in bf16 beside them.
enum class Precision : std::uint8_t { fp32, fp16, bf16, fp8, fp4 };

// Whether numbers are made smaller for products alone, which read them with a scale beside them.
constexpr bool quantizesProducts(Precision precision)
{
    return precision == Precision::fp8 || precision == Precision::fp4;
}

// Whether weights and activations are bf16.
constexpr bool hasBf16Weights(Precision precision)
{
    return precision == Precision::bf16 || quantizesProducts(precision);
}
enum class Optimizer : std::uint8_t { adam, sgd, none };
// What the backward pass computes once more instead of keeping: nothing, attention's core, or all of a layer
// (Korthikanti et al. 2022).
enum class Recompute : std::uint8_t { none, selective, full };
// Parts of a layer, by the names of Megatron-Core's --recompute-modules: attention's core; norms that are not
// fused with a product; latent attention's projections up; a dense MLP; all of an expert block; the
// activation function of its routed experts; its shared experts.
enum class RecomputeModule : std::uint8_t {
    core_attn,
    layernorm,
    mla_up_proj,
    mlp,
    moe,
    moe_act,
    shared_experts
};
// What the host's memory holds instead of the GPU's: the optimizer with its states, as ZeRO-Offload.
enum class Offload : std::uint8_t { none, optimizer };
enum class ContextMethod : std::uint8_t { ring, ulysses, all_gather };
// The order of forward and backward passes in a pipeline; zb: zero bubble (Qi et al. 2024), v: the model
// goes down the stages and comes back up, two virtual stages on each (Qi et al. 2024b, Pipeline Parallelism
// with Controllable Memory), dualpipe: DeepSeek-V3's.
enum class Schedule : std::uint8_t {
    gpipe,
    one_f_one_b,
    interleaved,
    zb_h1,
    zb_h2,
    zb_v,
    v_half,
    v_min,
    dualpipe
};
constexpr bool isVShaped(Schedule schedule)
{
    return schedule == Schedule::zb_v || schedule == Schedule::v_half || schedule == Schedule::v_min;
}
// How layers are shared out: evenly, with the embedding and the head as a layer each, or by parameters.
enum class StageBalance : std::uint8_t { layers, ends_count, parameters };
enum class Framework : std::uint8_t { megatron, deepspeed, fsdp, ddp };
// How tokens reach their experts: one copy for each expert, by all_to_all; or one for each rank that holds
// some of them, of which those for one node cross the network as one (DeepEP, HybridEP).
enum class TokenDispatcher : std::uint8_t { all_to_all, deepep };
// Gradients of replicas in one buffer, or in buckets that close at dp_bucket_bytes, last layer first.
enum class DpReduction : std::uint8_t { flat, buckets };
// What ZeRO reduces and gathers at once: one buffer of all parameters, or a layer.
enum class ZeroUnit : std::uint8_t { model, layer };
// How ZeRO 1 and 2 bring gradients together; reduce: one for each owner.
enum class ZeroReduction : std::uint8_t { all_reduce, reduce_scatter, reduce };
// What ZeRO-3 leaves gathered between forward and backward: nothing, the root unit (embeddings, final norm,
// head), or the last layer too.
enum class ZeroKeeps : std::uint8_t { none, root, root_and_last };
// What a figure of memory counts: tensors, what PyTorch's allocator holds for them, or all that nvidia-smi
// shows.
enum class MemoryMeasure : std::uint8_t { allocated, reserved, device };
// Li et al. 2024's closed form, or every operator and message by itself with the schedule played.
enum class TimeModel : std::uint8_t { li, detailed };
// Whose a link's bandwidth is: each GPU's, one that the GPUs of a node share, or each network card's.
enum class BandwidthOf : std::uint8_t { gpu, node, nic };

// A dimension of the rank layout. ep splits the ranks of dp and cp, so it has no size of its own in the
// world.
enum class Dimension : std::uint8_t { tp, cp, ep, dp, pp };
// Innermost first; all five, each once. tp-cp-ep-dp-pp is Megatron's order.
using RankOrder = std::array<Dimension, 5>;
inline constexpr RankOrder megatron_rank_order{Dimension::tp, Dimension::cp, Dimension::ep, Dimension::dp,
                                               Dimension::pp};

// What happens in one iteration, and in which formats.
struct Training {
    std::int64_t global_batch_size = 512; // samples of one iteration over all replicas
    std::int64_t micro_batch_size = 4;    // samples of one pass
    Precision precision = Precision::bf16;
    int gradient_bytes = 4;                // 2, 4, or 6: 16-bit gradients and their float sum
    Optimizer optimizer = Optimizer::adam; // sgd: with momentum
    // What the optimizer keeps of each parameter, under PyTorch's names: a copy of the weight beside the one
    // that computes (0: none; 2: 16 bits, or those of a float that a bf16 weight lacks; 4: fp32), Adam's
    // moments (1: 8 bits, 2, 4). SGD's momentum counts as exp_avg.
    int master_bytes = 4;
    int exp_avg_bytes = 4;
    int exp_avg_sq_bytes = 4;
    Recompute recompute = Recompute::none;
    std::int64_t recompute_layers = 0; // full: of each virtual stage, the first so many; 0: all
    // Selective: each once, in their order; empty: attention's core, with FSDP every second product.
    std::vector<RecomputeModule> recompute_modules;
    Offload offload = Offload::none;
    bool flash_attention = false; // one fused kernel, which stores no scores
    bool causal_flops = false;    // attention counts half, as a causal mask needs; papers count all of it
    bool operator==(const Training&) const = default;
};

// How the work is split over ranks: pipeline * tensor * data * context of them.
struct Parallel {
    std::int64_t pipeline = 1;
    std::int64_t tensor = 1;
    std::int64_t data = 1;    // replicas
    std::int64_t context = 1; // ranks that share the tokens of a sequence
    std::int64_t expert = 1;  // ranks that share the experts: neighbours among expertRanks()
    // The tensor group splits routed experts as it does the rest. If not, each rank holds its experts whole,
    // and the tensor ranks share them out as others do (Megatron-LM's expert_tensor_parallel_size 1).
    bool expert_tensor_parallel = true;
    ContextMethod context_method = ContextMethod::ring;
    bool sequence_parallel = false;  // the tensor group splits the tokens outside its products, too
    int zero_stage = 0;              // 1: optimizer states, 2: and gradients, 3: and parameters are split
    std::int64_t virtual_stages = 1; // of each stage: groups of layers that a micro-batch reaches in turn
    std::int64_t micro_batch_group =
        0; // interleaved: that pass a piece before the next; 0: microBatchGroup()
    Schedule schedule = Schedule::one_f_one_b;
    RankOrder rank_order = megatron_rank_order;
    StageBalance stage_balance = StageBalance::layers;
    // Overrides stage_balance: the layers of each virtual stage, pipeline * virtual_stages figures.
    std::vector<std::int64_t> stage_layers;
    bool operator==(const Parallel&) const = default;

    // Ranks that split one routed expert.
    std::int64_t expertTensor() const { return expert_tensor_parallel ? tensor : 1; }
    // Of a stage, those that experts and their replicas are shared out to, each with a part of its own.
    std::int64_t expertRanks() const
    {
        return expert_tensor_parallel ? data * context : tensor * context * data;
    }
    bool holdsExpertsWhole() const { return expertTensor() < tensor; }
    // Routed experts have other replicas than the rest of a layer.
    bool expertsAreApart() const { return expert > 1 || holdsExpertsWhole(); }
};

// What frameworks do in different ways with the same model and layout; `framework` decides what holds by
// default (defaults.h), and each can be set by itself.
struct Conventions {
    Framework framework = Framework::megatron;
    DpReduction dp_reduction = DpReduction::flat;
    std::int64_t dp_bucket_bytes = 26214400; // PyTorch DDP's bucket_cap_mb: 25 MiB
    bool dp_overlap = false;                 // gradients of replicas travel while the backward pass goes on
    bool param_overlap = false; // ZeRO 1 and 2 gather parameters while the first forward pass goes on
    bool tp_overlap = false;    // tensor-parallel messages travel while products are computed
    bool pp_overlap = false;    // an interleaved stage works on while its messages travel; others never do
    // Messages of experts travel while another micro-batch is computed; with dualpipe they always do.
    bool ep_overlap = false;
    // Layers are started as CUDA graphs, without their routing and experts: these know their sizes late.
    bool cuda_graphs = false;
    TokenDispatcher token_dispatcher = TokenDispatcher::all_to_all;
    // Tokens go to their experts, and the gradients of what these return, in fp8 with a float for every 128
    // numbers; what comes back stays in 16 bits (DeepSeek-V3).
    bool fp8_dispatch = false;
    // ZeRO gathers the weights of layers' products in fp8: Megatron-LM's --fp8-param-gather, FSDP's
    // enable_fsdp_float8_all_gather. Other parameters, and gradients, stay as they are.
    bool fp8_param_gather = false;
    ZeroUnit zero_unit = ZeroUnit::layer; // of stages 2 and 3; stage 1 has one buffer for the model
    ZeroReduction zero_reduction = ZeroReduction::reduce_scatter;
    // ZeRO 2 and 3 reduce the gradients of every micro-batch; if not, each rank keeps whole sums that are
    // reduced once an iteration (PyTorch's no_sync).
    bool reduce_each_micro_batch = true;
    ZeroKeeps zero3_keeps = ZeroKeeps::root; // between the forward and the backward pass
    // Stage 3 gathers each tensor of a unit by itself, over one adapter of a node, as DeepSpeed's did in
    // 2021. Calls are counted by units all the same.
    bool zero3_by_tensor = true;
    // With sequence_parallel the backward pass gathers the inputs of products once more instead of keeping
    // them.
    bool sp_regather = true;
    // With sequence_parallel the embedding's sum is scattered at once instead of summed on every rank.
    bool sp_reduce_scatter_embedding = false;
    // Of a message between stages each rank of the tensor group sends its part, and the receivers gather it:
    // DeepSpeed's, and Megatron-LM's of 2021 (scatter-gather-tensors-in-pipeline).
    bool pp_partitioned = false;
    bool tp_broadcast_batch = false; // the tensor group's first rank reads the batch and hands it on
    bool report_loss = true;         // replicas sum up one float for each micro-batch, on the last stage
    bool gradient_norm = true;       // an all_reduce of one float a step
    // The loss leaves its gradient in the 16-bit logits; otherwise it works on a copy in fp32.
    bool fused_cross_entropy = true;
    MemoryMeasure memory_measure = MemoryMeasure::allocated;
    // Memory traffic of norms, activations, dropout and residuals against Megatron-LM's fused kernels.
    double operator_traffic = 1.0;
    bool operator==(const Conventions&) const = default;
};

// Bandwidth in GB/s (1e9 bytes), one direction, per GPU unless bandwidth_of says node, or of a network nic.
struct Link {
    std::string kind; // nvlink2 ... nvlink5, pcie3 ... pcie5, infinity_fabric, infiniband, roce, tcp, ...
    double bandwidth_GBps = 0.0;
    double latency_us = 0.0;
    BandwidthOf bandwidth_of = BandwidthOf::gpu;
    bool operator==(const Link&) const = default;
};

// Li et al.'s C_TP, C_PP, C_DP; nothing: derived from the links.
struct EffectiveBandwidth {
    std::optional<double> tp_GBps;
    std::optional<double> pp_GBps;
    std::optional<double> dp_GBps;
    bool operator==(const EffectiveBandwidth&) const = default;
};

// How the GPUs of a node are joined: each to each by links of their own, or by a switch. automatic: as their
// links tell.
enum class NodeWiring : std::uint8_t { automatic, mesh, switched };

// The machines: GPUs, what joins them, and the laws of the times that they take.
struct Cluster {
    std::string preset; // empty: none, or edited since
    std::string gpu = "A100-SXM4-80GB";
    double peak_tflops = 312.0; // dense, 16 bit
    double memory_GB = 80.0;    // of 2^30 bytes, as data sheets say GB of a GPU's memory
    double memory_bandwidth_GBps = 2039.0;
    std::int64_t gpus_per_node = 8;
    // GPUs that intra_node joins where that is more than a node (a rack of NVLink switches); 0:
    // gpus_per_node.
    std::int64_t scale_up_gpus = 0;
    std::int64_t nics_per_node = 0; // network cards that the GPUs of a node share; 0: not known
    // Nodes whose traffic with one another has their whole bandwidth; 0: all. Between such pods there is so
    // much less of it: 7.0 is a seventh, 1.0 as much.
    std::int64_t nodes_per_pod = 0;
    double oversubscription = 1.0;
    NodeWiring node_wiring = NodeWiring::automatic;
    Link intra_node{"nvlink3", 300.0, 6.0};
    Link inter_node{"infiniband", 25.0, 30.0};
    double mu = 0.565; // share of the peak that compute reaches, Li et al.; the default is the A100's
    // The mu that the user's own iterations gave, and with it Li et al.'s bands; 0: none. Another mu is no
    // fit.
    double fitted_mu = 0.0;
    EffectiveBandwidth effective;
    bool in_network_reduction = false; // switches between nodes add up: half of an all_reduce's bytes
    // An all_reduce on two or three nodes takes trees, which send less between them than a ring.
    bool few_node_trees = false;
    // The processor starts a kernel when the one before it is done (CUDA_LAUNCH_BLOCKING=1): its time adds to
    // the kernels', and nothing overlaps.
    bool launch_blocking = false;
    ComputeLaw compute;
    CollectiveLaw collectives;
    bool calibrated = true; // false: counts and sizes can be compared, times cannot
    bool operator==(const Cluster&) const = default;

    bool hasFittedMu() const { return fitted_mu > 0.0 && mu == fitted_mu; }
};

// Everything that the user can set, resolved: every member holds, presets and defaults are already put in.
// Plain data; equal scenarios predict the same. Member names are the keys of the *.scenario.json format.
struct Scenario {
    std::string name;
    Model model;
    Training training;
    Parallel parallel;
    Conventions conventions;
    TimeModel time_model = TimeModel::detailed;
    Cluster cluster;
    bool operator==(const Scenario&) const = default;

    // Valid scenarios stay far from overflow: validate() refuses sizes whose product would.
    std::int64_t worldSize() const
    {
        return parallel.pipeline * parallel.tensor * parallel.context * parallel.data;
    }
    // m: micro-batches that each replica works through in one iteration.
    std::int64_t microBatches() const
    {
        return training.global_batch_size / (training.micro_batch_size * parallel.data);
    }
    // Micro-batches through every virtual stage: what playing a schedule costs grows with them.
    std::int64_t forwardPasses() const
    {
        return microBatches() * parallel.pipeline * parallel.virtual_stages;
    }
};

} // namespace shardscope
