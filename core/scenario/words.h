#pragma once

#include "core/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace shardscope
{

// As many words as an enumeration has enumerators.
template<auto last>
using WordsUpTo = std::array<std::string_view, static_cast<std::size_t>(last) + 1>;

// The words of the scenario format for each enumeration, in the order of its enumerators.
template<class Enum>
struct EnumWords;

template<>
struct EnumWords<ModelKind> {
    static constexpr WordsUpTo<ModelKind::parameter_list> words{"transformer", "parameter_list"};
};
template<>
struct EnumWords<PositionEmbedding> {
    static constexpr WordsUpTo<PositionEmbedding::relative> words{"learned", "rope", "alibi", "none",
                                                                  "relative"};
};
template<>
struct EnumWords<Norm> {
    static constexpr WordsUpTo<Norm::rmsnorm> words{"layernorm", "rmsnorm"};
};
template<>
struct EnumWords<OutputHead> {
    static constexpr WordsUpTo<OutputHead::bert> words{"language_model", "bert"};
};
template<>
struct EnumWords<Precision> {
    static constexpr WordsUpTo<Precision::fp4> words{"fp32", "fp16", "bf16", "fp8", "fp4"};
};
template<>
struct EnumWords<Optimizer> {
    static constexpr WordsUpTo<Optimizer::none> words{"adam", "sgd", "none"};
};
template<>
struct EnumWords<Recompute> {
    static constexpr WordsUpTo<Recompute::full> words{"none", "selective", "full"};
};
template<>
struct EnumWords<RecomputeModule> {
    static constexpr WordsUpTo<RecomputeModule::shared_experts> words{
        "core_attn", "layernorm", "mla_up_proj", "mlp", "moe", "moe_act", "shared_experts"};
};
template<>
struct EnumWords<RecurrenceKind> {
    static constexpr WordsUpTo<RecurrenceKind::gated_delta_net> words{"mamba2", "gated_delta_net"};
};
// The letters of Megatron-LM's --hybrid-override-pattern, of two blocks one after the other.
template<>
struct EnumWords<LayerForm> {
    static constexpr WordsUpTo<LayerForm::experts> words{"*-", "*E", "M-", "ME", "*", "M", "-", "E"};
};
template<>
struct EnumWords<Offload> {
    static constexpr WordsUpTo<Offload::optimizer> words{"none", "optimizer"};
};
template<>
struct EnumWords<ContextMethod> {
    static constexpr WordsUpTo<ContextMethod::all_gather> words{"ring", "ulysses", "all_gather"};
};
template<>
struct EnumWords<Schedule> {
    static constexpr WordsUpTo<Schedule::dualpipe> words{"gpipe", "1f1b",   "interleaved", "zb-h1",   "zb-h2",
                                                         "zb-v",  "v-half", "v-min",       "dualpipe"};
};
template<>
struct EnumWords<StageBalance> {
    static constexpr WordsUpTo<StageBalance::parameters> words{"layers", "ends_count", "parameters"};
};
template<>
struct EnumWords<Framework> {
    static constexpr WordsUpTo<Framework::ddp> words{"megatron", "deepspeed", "fsdp", "ddp"};
};
template<>
struct EnumWords<DpReduction> {
    static constexpr WordsUpTo<DpReduction::buckets> words{"flat", "buckets"};
};
template<>
struct EnumWords<TokenDispatcher> {
    static constexpr WordsUpTo<TokenDispatcher::deepep> words{"all_to_all", "deepep"};
};
template<>
struct EnumWords<ZeroUnit> {
    static constexpr WordsUpTo<ZeroUnit::layer> words{"model", "layer"};
};
template<>
struct EnumWords<ZeroReduction> {
    static constexpr WordsUpTo<ZeroReduction::reduce> words{"all_reduce", "reduce_scatter", "reduce"};
};
template<>
struct EnumWords<ZeroKeeps> {
    static constexpr WordsUpTo<ZeroKeeps::root_and_last> words{"none", "root", "root_and_last"};
};
template<>
struct EnumWords<MemoryMeasure> {
    static constexpr WordsUpTo<MemoryMeasure::device> words{"allocated", "reserved", "device"};
};
template<>
struct EnumWords<TimeModel> {
    static constexpr WordsUpTo<TimeModel::detailed> words{"li", "detailed"};
};
template<>
struct EnumWords<BandwidthOf> {
    static constexpr WordsUpTo<BandwidthOf::nic> words{"gpu", "node", "nic"};
};
template<>
struct EnumWords<NodeWiring> {
    static constexpr WordsUpTo<NodeWiring::switched> words{"auto", "mesh", "switch"};
};

// An enumeration of the scenario that the format spells in words.
template<class Enum>
concept HasWords = requires
{
    EnumWords<Enum>::words;
};

template<HasWords Enum>
constexpr std::span<const std::string_view> words()
{
    static_assert(std::ranges::count(EnumWords<Enum>::words, std::string_view{}) == 0, "a word is missing");
    return EnumWords<Enum>::words;
}

template<HasWords Enum>
constexpr std::string_view word(Enum value)
{
    return words<Enum>()[static_cast<std::size_t>(value)];
}

template<HasWords Enum>
constexpr std::optional<Enum> fromWord(std::string_view text)
{
    const auto found = std::ranges::find(words<Enum>(), text);
    if (found == words<Enum>().end())
        return std::nullopt;
    return static_cast<Enum>(found - words<Enum>().begin());
}

// What may stand in a link's `kind`: words that nothing but the format needs.
inline constexpr auto link_kinds = std::to_array<std::string_view>(
    {"nvlink2", "nvlink3", "nvlink4", "nvlink5", "pcie3", "pcie4", "pcie5", "infinity_fabric", "infiniband",
     "roce", "tcp", "slingshot", "omnipath", "efa", "ici", "loopback"});

} // namespace shardscope
