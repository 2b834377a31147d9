#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/model/head_widths.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/model/recurrence.h"
#include "core/scenario/pytorch.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Of attention in an iteration: layers times micro-batches, and those of them whose attention is computed
// again.
struct Calls {
    std::int64_t all = 0;
    std::int64_t again = 0;

    std::int64_t of(Phase phase) const { return phase == Phase::recompute ? again : all; }
};

struct RingMessage {
    Phase phase;
    std::string_view what;
    Dtype dtype;
    std::int64_t bytes;
    std::int64_t count;
};

void goRound(const IterationFigures& figures, const RingMessage& message, MessageList& list)
{
    for (const Op op : {Op::send, Op::recv})
        list.add({Kind::cp, op, figures.context, ModelPart::attention}, message.phase, message.dtype,
                 message.what, message.bytes, message.count);
}

// PyTorch adds gradients of keys and values up in fp32, and sends them by themselves: once for each rank, the
// last time home (torch.distributed.tensor.experimental, _templated_ring_attention_backward).
void addGradientRounds(const IterationFigures& figures, std::int64_t calls, MessageList& list)
{
    const HeadWidths widths = headWidths(figures);
    goRound(figures,
            {Phase::backward, contents::key_value_gradient, Dtype::fp32,
             figures.tokens * (widths.key + widths.value) * bytesPerElement(Dtype::fp32),
             calls * figures.context},
            list);
}

// Ring attention (Liu et al. 2023): keys and values of the own part of the sequence go round in c - 1 steps.
// In the backward pass they go round once more; their gradients follow a step behind, and so come home with
// the step after the last (Transformer Engine's AttnFuncWithCPAndKVP2P).
void addRing(const IterationFigures& figures, const Calls& calls, MessageList& list)
{
    const HeadWidths widths = headWidths(figures);
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t key_values = figures.tokens * (widths.key + widths.value) * element;
    const auto exchange = [&](Phase phase, std::string_view what, std::int64_t bytes, std::int64_t steps) {
        goRound(figures, {phase, what, figures.activation_dtype, bytes, calls.of(phase) * steps}, list);
    };
    exchange(Phase::forward, contents::key_value, key_values, figures.context - 1);
    exchange(Phase::recompute, contents::key_value, key_values, figures.context - 1);
    if (isPyTorch(figures.scenario.conventions.framework)) {
        exchange(Phase::backward, contents::key_value, key_values, figures.context - 1);
        return addGradientRounds(figures, calls.all, list);
    }
    exchange(Phase::backward, contents::key_value, key_values, 1);
    exchange(Phase::backward, contents::key_value_and_gradient, 2 * key_values, figures.context - 2);
    exchange(Phase::backward, contents::key_value_gradient, key_values, 1);
}

// DeepSpeed-Ulysses (Jacobs et al. 2023): all_to_all turns parts of the sequence into parts of the heads, and
// back. Fewer heads of keys and values than ranks are copied first (DeepSpeed, UlyssesSPAttentionHF).
void addUlysses(const IterationFigures& figures, const Calls& calls, MessageList& list)
{
    const HeadWidths widths = headWidths(figures, figures.context);
    const std::int64_t token = figures.tokens * bytesPerElement(figures.activation_dtype);
    const auto exchange = [&](Phase phase) {
        const auto add = [&](std::string_view what, std::int64_t width) {
            list.add({Kind::cp, Op::all_to_all, figures.context, ModelPart::attention}, phase,
                     figures.activation_dtype, what, token * width, calls.of(phase));
        };
        add(contents::query, widths.query);
        add(contents::key, widths.key);
        add(contents::value, widths.value);
        add(contents::attention_output, widths.output);
    };
    exchange(Phase::forward);
    exchange(Phase::recompute);
    exchange(Phase::backward);
}

// Each rank gathers the keys and values of the whole sequence before it begins, in the backward pass once
// more. Transformer Engine has a message for each, and scatters the sums of their gradients
// (AttnFuncWithCPAndKVAllGather); PyTorch has one for both, whose gradients go round as in a ring
// (_AllGatherRotater, torchtitan's way).
void addGather(const IterationFigures& figures, const Calls& calls, MessageList& list)
{
    const HeadWidths widths = headWidths(figures);
    const std::int64_t token = figures.tokens * bytesPerElement(figures.activation_dtype);
    const std::int64_t sequence = token * figures.context;
    const bool by_pytorch = isPyTorch(figures.scenario.conventions.framework);
    const auto add = [&](Op op, Phase phase, std::string_view what, std::int64_t bytes) {
        list.add({Kind::cp, op, figures.context, ModelPart::attention}, phase, figures.activation_dtype, what,
                 bytes, calls.of(phase));
    };
    const auto gather = [&](Phase phase) {
        if (by_pytorch)
            return add(Op::all_gather, phase, contents::key_value, sequence * (widths.key + widths.value));
        add(Op::all_gather, phase, contents::key, sequence * widths.key);
        add(Op::all_gather, phase, contents::value, sequence * widths.value);
    };
    gather(Phase::forward);
    gather(Phase::recompute);
    gather(Phase::backward);
    if (by_pytorch)
        return addGradientRounds(figures, calls.all, list);
    add(Op::reduce_scatter, Phase::backward, contents::key_gradient, sequence * widths.key);
    add(Op::reduce_scatter, Phase::backward, contents::value_gradient, sequence * widths.value);
}

// Whatever attention does: each rank has the whole sequence of some heads while the state goes along it
// (Megatron-Core's MambaContextParallel, and GatedDeltaNet), a call for each tensor. Fewer groups than ranks
// are copied first.
void addRecurrences(const IterationFigures& figures, const Calls& calls, MessageList& list)
{
    const Recurrence& recurrence = figures.scenario.model.recurrence;
    const RecurrenceWidths widths = recurrenceWidths(figures.scenario.model, figures.tensor);
    const std::int64_t groups = recurrence.key_groups / figures.tensor;
    const std::int64_t keys = std::max<std::int64_t>(groups, figures.context) * recurrence.key_dim;
    const std::int64_t heads = recurrence.heads / figures.tensor;
    const std::int64_t token = figures.tokens * bytesPerElement(figures.activation_dtype);
    for (const Phase phase : {Phase::forward, Phase::recompute, Phase::backward}) {
        const auto add = [&](std::string_view what, std::int64_t width, std::int64_t times = 1) {
            list.add({Kind::cp, Op::all_to_all, figures.context, ModelPart::recurrence}, phase,
                     figures.activation_dtype, what, token * width, times * calls.of(phase));
        };
        add(contents::recurrence_gate, widths.values);
        add(contents::recurrence_value, widths.values);
        add(contents::recurrence_key, keys);
        add(contents::recurrence_query, keys);
        add(contents::recurrence_step, heads, widths.per_head / heads);
        add(contents::recurrence_output, widths.values);
    }
}

void addAttention(const IterationFigures& figures, const Calls& calls, MessageList& list)
{
    switch (figures.scenario.parallel.context_method) {
    case ContextMethod::ring:
        return addRing(figures, calls, list);
    case ContextMethod::ulysses:
        return addUlysses(figures, calls, list);
    case ContextMethod::all_gather:
        return addGather(figures, calls, list);
    }
}

} // namespace

void addContextParallelMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    const Scenario& scenario = figures.scenario;
    if (figures.context < 2)
        return;
    const bool is_of_others = repeatsOfOthers(scenario).has(RecomputeModule::core_attn); // exchange included
    const std::int64_t attentions = shape.layersWith(hasAttention);
    const std::int64_t again = is_of_others ? attentions : shape.recomputed.decoder.with(hasAttention);
    addAttention(figures, {figures.passes * attentions, figures.passes * again}, list);
    if (const std::int64_t recurrences = shape.layersWith(hasRecurrence); recurrences > 0)
        addRecurrences(
            figures,
            {figures.passes * recurrences, figures.passes * shape.recomputed.decoder.with(hasRecurrence)},
            list);
}

} // namespace shardscope
