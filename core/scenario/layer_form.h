#pragma once

#include <cstddef>
#include <cstdint>

namespace shardscope
{

// What a layer is made of: a block that lets tokens see each other (attention, or a recurrence in its place),
// then one that works on each token by itself (an MLP, or experts); or one block alone, as hybrid models of
// Megatron-LM count their layers.
enum class LayerForm : std::uint8_t {
    attention_mlp,
    attention_experts,
    recurrence_mlp,
    recurrence_experts,
    attention,
    recurrence,
    mlp,
    experts
};
inline constexpr std::size_t layer_form_count = static_cast<std::size_t>(LayerForm::experts) + 1;
constexpr bool hasAttention(LayerForm form)
{
    return form == LayerForm::attention_mlp || form == LayerForm::attention_experts
           || form == LayerForm::attention;
}
constexpr bool hasRecurrence(LayerForm form)
{
    return form == LayerForm::recurrence_mlp || form == LayerForm::recurrence_experts
           || form == LayerForm::recurrence;
}
constexpr bool hasMlp(LayerForm form)
{
    return form == LayerForm::attention_mlp || form == LayerForm::recurrence_mlp || form == LayerForm::mlp;
}
constexpr bool hasExperts(LayerForm form)
{
    return form == LayerForm::attention_experts || form == LayerForm::recurrence_experts
           || form == LayerForm::experts;
}
// Blocks of a layer: 1 or 2.
constexpr std::int64_t blocksOf(LayerForm form)
{
    return form < LayerForm::attention ? 2 : 1;
}

// State space duality (Dao & Gu 2024), and linear attention with a gated delta rule (Yang et al. 2024).
enum class RecurrenceKind : std::uint8_t { mamba2, gated_delta_net };

// Layers that carry a state from token to token in the place of attention; none while heads is 0. What goes
// in is projected to values and a gate as wide, to keys and queries, and to two numbers a head (Mamba-2:
// one); all but the gate pass a short convolution over the sequence.
struct Recurrence {
    RecurrenceKind kind = RecurrenceKind::mamba2;
    std::int64_t heads = 0;       // of values
    std::int64_t value_dim = 64;  // of a value
    std::int64_t key_groups = 8;  // of keys and queries: Mamba-2's B and C, which heads share
    std::int64_t key_dim = 128;   // of a key, and of a query
    std::int64_t conv_kernel = 4; // tokens
    bool operator==(const Recurrence&) const = default;
};

} // namespace shardscope
