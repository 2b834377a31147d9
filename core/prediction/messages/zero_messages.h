#pragma once

#include "core/prediction/messages/gradient_buckets.h"
#include "core/prediction/messages/message_list.h"
#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/layer_traits.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace shardscope
{

// A layer of one kind as a unit of ZeRO: its parameters in this group, and how many of them the stage holds.
struct LayerUnit {
    std::int64_t parameters = 0;
    std::int64_t count = 0;
    std::int64_t in_fp8 = 0; // of the parameters, when they are gathered
};

// The parameters of a stage that one group of ranks keeps copies of.
struct ReplicaGroup {
    Kind kind = Kind::dp;
    int size = 1;
    std::int64_t parameters = 0;
    bool is_fp8 = false; // parameters, when they are gathered
    // Its buckets go with a chunk's last ones of another group (Megatron-LM's partition_buckets, where some
    // are fp8).
    bool goes_with_last = false;
    std::int64_t root_parameters = 0;                 // embedding, final norm and head: a unit of its own
    std::array<LayerUnit, layer_sort_count> layers{}; // by LayerSort::index()
    std::span<const LayerSort> sorts;      // of the stage's layers in the model's order, from ZeRO stage 2 on
    std::optional<LayerSort> last_layer;   // of the model; none: another stage's
    std::span<const std::int64_t> tensors; // in backward order; filled where buckets need them
    std::span<const std::size_t> layer_begins;   // see GradientTensors
    std::span<const std::size_t> chunk_begins;   // the same
    std::optional<std::size_t> shared_embedding; // the same
    bool of_first_stage = true;

    // Share of the stage's layers that the backward pass is through with when it has come to the `end`th
    // tensor.
    double readyAfter(std::size_t end) const;
    // The same of a bucket with that last tensor.
    double bucketReadyAfter(std::size_t end) const;
};

// Buckets of the group's gradients. What Megatron-LM overlaps with the backward pass has one for each chunk,
// but for the first chunk of the first stage, which is cut: the others are not on the critical path
// (DistributedDataParallel, disable_bucketing). With the distributed optimizer both stages that hold a tied
// embedding give it a bucket of its own, and tensors begin at multiples of 64 (_ParamAndGradBuffer).
Buckets bucketsOf(const IterationFigures& figures, const ReplicaGroup& group);

// Buckets are made of single tensors; other ways of reducing know only sums.
bool needsTensors(const IterationFigures& figures);

// Weights of products travel to their ranks in fp8. Megatron-LM keeps a buffer of its own for them, whose
// gradients are reduced by themselves, too (_ParamAndGradBuffer, one for each format); FSDP gathers a unit as
// bytes, whatever is in it.
bool gathersInFp8(const Scenario& scenario);

// Messages of ZeRO stages 1 to 3 (Rajbhandari et al. 2020) in one group: gradients as
// conventions.zero_reduction says, parameters gathered after the step, or with stage 3 before use.
void addZeroMessages(const IterationFigures& figures, const ReplicaGroup& group, MessageList& list);

} // namespace shardscope
