#include "core/prediction/stage_messages.h"

namespace shardscope
{

namespace
{

// Heads of keys and values on one rank of the tensor group; at least one.
std::int64_t keyHeads(const IterationFigures& figures)
{
    return (figures.scenario.model.kv_heads + figures.tensor - 1) / figures.tensor;
}

// Ring attention (Liu et al. 2023): keys and values of the own part of the sequence go round in c - 1 steps;
// on the way back their gradients travel with them.
void addRing(const IterationFigures& figures, std::int64_t calls, bool recomputes, MessageList& list)
{
    const Model& model = figures.scenario.model;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t key_values = 2 * figures.tokens * keyHeads(figures) * model.head_dim * element;
    const std::int64_t steps = calls * (figures.context - 1);
    const auto exchange = [&](Phase phase, std::string_view what, std::int64_t bytes) {
        list.add({Kind::cp, Op::send, figures.context}, phase, figures.activation_dtype, what, bytes, steps);
        list.add({Kind::cp, Op::recv, figures.context}, phase, figures.activation_dtype, what, bytes, steps);
    };
    exchange(Phase::forward, "key_value", key_values);
    if (recomputes)
        exchange(Phase::recompute, "key_value", key_values);
    exchange(Phase::backward, "key_value_and_gradient", 2 * key_values);
}

// DeepSpeed-Ulysses (Jacobs et al. 2023): all_to_all turns parts of the sequence into parts of the heads, and
// back.
void addUlysses(const IterationFigures& figures, std::int64_t calls, bool recomputes, MessageList& list)
{
    const Model& model = figures.scenario.model;
    const std::int64_t element = bytesPerElement(figures.activation_dtype);
    const std::int64_t head = figures.tokens * model.head_dim * element;
    const std::int64_t queries = head * model.attention_heads / figures.tensor;
    const std::int64_t keys = head * keyHeads(figures);
    const auto exchange = [&](Phase phase) {
        const auto add = [&](std::string_view what, std::int64_t bytes) {
            list.add({Kind::cp, Op::all_to_all, figures.context}, phase, figures.activation_dtype, what,
                     bytes, calls);
        };
        add("query", queries);
        add("key", keys);
        add("value", keys);
        add("attention_output", queries);
    };
    exchange(Phase::forward);
    if (recomputes)
        exchange(Phase::recompute);
    exchange(Phase::backward);
}

} // namespace

void addContextParallelMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    const Scenario& scenario = figures.scenario;
    if (figures.context < 2)
        return;
    const std::int64_t calls = figures.passes * shape.layerCount();
    // Selective recomputation is that of the attention, exchange included.
    const bool recomputes = scenario.training.recompute != Recompute::none;
    if (scenario.parallel.context_method == ContextMethod::ring)
        addRing(figures, calls, recomputes, list);
    else
        addUlysses(figures, calls, recomputes, list);
}

} // namespace shardscope
