#pragma once

#include "core/collectives/collective.h"
#include "core/prediction/model/layers_by_sort.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// The part of the model that a message belongs to; none: gradients, parameters and what is summed in a step.
enum class ModelPart : std::uint8_t {
    none,
    embedding, // the batch included
    encoder_attention,
    encoder_mlp,
    attention,
    recurrence,
    cross_attention,
    mlp,
    dispatch, // tokens to the experts' ranks, and in backward their gradients from there
    experts,  // what a tensor group exchanges of them
    shared_experts,
    combine, // tokens back from the experts' ranks
    mtp,     // look-up and projection of multi-token prediction; its layer's and head's are with their like
    head,    // the loss included
    pipeline // between two stages
};

// One class of equal messages that a rank takes part in during one iteration.
struct Message {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    Phase phase = Phase::forward;
    Dtype dtype = Dtype::fp16;
    ModelPart part = ModelPart::none;
    std::string_view what; // one of message_contents.h
    int group_size = 0;
    std::int64_t message_bytes = 0; // what one call is given; see wireBytes()
    std::int64_t count = 0;
    std::int64_t total_bytes = 0; // count * message_bytes
    double wire_bytes = 0.0;      // sent by the rank itself in all `count` calls, ring convention
};

// Parameters of the model, and of the rank that holds most.
struct ParameterCount {
    std::int64_t total = 0;        // unpadded vocabulary
    std::int64_t active = 0;       // used by one token; equals total in dense models
    std::int64_t per_rank_max = 0; // padded, as held
};

// Floating-point operations of one iteration over all ranks; hardware counts recomputation.
struct FlopCount {
    double model = 0.0;
    double hardware = 0.0;
};

// What one rank of a stage holds when it is fullest. Tensors: states, what waits for the backward pass, what
// lives for a moment, what the framework keeps aside. Then what the allocator holds of no use, and what the
// GPU's driver and NCCL take.
struct StageMemory {
    int stage = 0;
    std::int64_t weights_bytes = 0;
    std::int64_t gradients_bytes = 0;
    std::int64_t optimizer_bytes = 0;
    std::int64_t activations_bytes = 0;
    std::int64_t temporaries_bytes = 0;
    std::int64_t buffers_bytes = 0;
    std::int64_t cached_bytes = 0;
    std::int64_t context_bytes = 0;
    std::int64_t total_bytes = 0; // as conventions.memory_measure counts
    // With offloading: what the host's memory holds for the rank, and what passes between the two in one
    // iteration, both ways together.
    std::int64_t host_bytes = 0;
    std::int64_t host_traffic_bytes = 0;

    std::int64_t allocatedBytes() const
    {
        return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes + temporaries_bytes
               + buffers_bytes;
    }
    std::int64_t reservedBytes() const { return allocatedBytes() + cached_bytes; }
    std::int64_t deviceBytes() const { return reservedBytes() + context_bytes; }
};

// What every stage needs, and whether the fullest one fits into its GPU.
struct MemoryPrediction {
    std::int64_t peak_bytes = 0;     // total_bytes of the fullest stage
    std::int64_t device_bytes = 0;   // deviceBytes() of the fullest stage
    std::int64_t capacity_bytes = 0; // of one GPU
    bool fits = true;                // device_bytes <= capacity_bytes
    double host_transfer_s = 0.0;    // host_traffic_bytes of the busiest stage over PCIe; no part of the time
    std::vector<StageMemory> stages;
};

// Times of one iteration in seconds, as the iteration's critical path spends them.
struct TimePrediction {
    double iteration_s = 0.0;
    double compute_s = 0.0;
    double tp_s = 0.0;
    double cp_s = 0.0;
    double ep_s = 0.0;
    double pp_s = 0.0;
    double dp_s = 0.0;
    double emb_s = 0.0; // the gradients of tied embeddings
    double mp_s = 0.0;  // the gradient's norm
    double bubble_s = 0.0;
    double exposed_communication_s = 0.0;
    double hidden_communication_s = 0.0; // while the stage works: it costs no time
    double step_s = 0.0;                 // of compute_s: the optimizer
    double communication_ratio = 0.0;
    double bubble_ratio = 0.0;
    double tokens_per_s = 0.0; // of a list of parameters, which knows none: samples
    double mfu = 0.0;
    double hfu = 0.0;
    // The detailed model's compute without the step, as constants of the papers; 0 with Li et al.'s formula.
    double kernel_share = 0.0;      // k1 of Cheng et al. 2024: kernels; the rest is their dispatch
    double transformer_share = 0.0; // k2: of the kernels, those of layers
    double mu = 0.0;                // what Li et al. 2024, Eq. 5, would need
    std::array<double, 2> error_band{0.0, 0.0}; // relative: {-0.2, 0.2} is 20 % either way
    // That works longest, whose parts these are; -1 with Li et al.'s formula, which has no stages of their
    // own.
    int slowest_stage = -1;
};

// Why a stage of the pipeline does nothing: before its first backward pass, after its last forward pass,
// because a neighbour is not ready between them, or because a message is on its way. Behind the pipeline:
// because another stage has more to do in the step.
enum class IdleCause : std::uint8_t { fill, drain, imbalance, message, step };
std::string_view word(IdleCause cause);

// How one stage spends the pipeline's duration.
struct StageUse {
    double forward_s = 0.0;
    double backward_s = 0.0;       // with the weight gradients
    double fill_s = 0.0;           // idle before the first backward
    double drain_s = 0.0;          // idle after the last forward
    double imbalance_s = 0.0;      // idle between them: a neighbour is not ready
    double message_s = 0.0;        // idle because a message is on its way or, as sender, waited for
    double start_s = 0.0;          // of its first task
    double end_s = 0.0;            // of its last task
    double rest_s = 0.0;           // of drain_s: after its last task and message
    double hidden_message_s = 0.0; // of its messages to other stages: what travels while it works

    double bubble_s() const { return fill_s + drain_s + imbalance_s; }
    double idle_s() const { return bubble_s() + message_s; }
};

// Gradients that the replicas of a stage reduce together while the last backward pass goes on.
struct GradientBucket {
    int reduced = 0;    // row of StagePrediction::messages whose call reduces them
    int gathered = -1;  // row whose call gathers their parameters; -1: they have none of their own
    double ready = 1.0; // share of the stage's layers that the pass is through with when they are complete
};

// What every rank of one pipeline stage holds and does. Ranks of a stage play the same part: tensor, context
// and data peers send the same messages, so one class stands for all of them.
struct StagePrediction {
    int stage = 0;
    // Indices, in the model's order, an encoder's first; modules of multi-token prediction follow the last
    // layer of the model.
    std::vector<int> layers;
    std::int64_t parameters = 0;       // on one rank, padded vocabulary
    std::int64_t owned_parameters = 0; // those of them whose optimizer states it holds
    std::vector<Message> messages;
    // As they become ready; empty where gradients are reduced in every micro-batch, or behind the pass.
    std::vector<GradientBucket> buckets{};
    LayersBySort recomputed{}; // of the layers, those that are computed again whole
    StageUse use{};            // of the iteration's pipeline; empty with Li et al.'s formula
};

// The answer to one scenario. Plain data; figures are for one iteration.
struct Prediction {
    std::int64_t world_size = 0;
    std::int64_t micro_batches = 0;
    std::vector<std::string> warnings;
    ParameterCount parameters;
    FlopCount flops;
    MemoryPrediction memory;
    TimePrediction time;
    std::vector<StagePrediction> stages;
};

} // namespace shardscope
