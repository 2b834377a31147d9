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

// The words of the scenario format for each enumeration, in the order of its enumerators.
template<class Enum>
struct EnumWords;

template<>
struct EnumWords<ModelKind> {
    static constexpr std::array<std::string_view, 2> words{"transformer", "parameter_list"};
};
template<>
struct EnumWords<PositionEmbedding> {
    static constexpr std::array<std::string_view, 5> words{"learned", "rope", "alibi", "none", "relative"};
};
template<>
struct EnumWords<Norm> {
    static constexpr std::array<std::string_view, 2> words{"layernorm", "rmsnorm"};
};
template<>
struct EnumWords<OutputHead> {
    static constexpr std::array<std::string_view, 2> words{"language_model", "bert"};
};
template<>
struct EnumWords<Precision> {
    static constexpr std::array<std::string_view, 4> words{"fp32", "fp16", "bf16", "fp8"};
};
template<>
struct EnumWords<Optimizer> {
    static constexpr std::array<std::string_view, 3> words{"adam", "sgd", "none"};
};
template<>
struct EnumWords<Recompute> {
    static constexpr std::array<std::string_view, 3> words{"none", "selective", "full"};
};
template<>
struct EnumWords<Offload> {
    static constexpr std::array<std::string_view, 2> words{"none", "optimizer"};
};
template<>
struct EnumWords<ContextMethod> {
    static constexpr std::array<std::string_view, 2> words{"ring", "ulysses"};
};
template<>
struct EnumWords<Schedule> {
    static constexpr std::array<std::string_view, 6> words{"gpipe", "1f1b",  "interleaved",
                                                           "zb-h1", "zb-h2", "dualpipe"};
};
template<>
struct EnumWords<StageBalance> {
    static constexpr std::array<std::string_view, 3> words{"layers", "ends_count", "parameters"};
};
template<>
struct EnumWords<Framework> {
    static constexpr std::array<std::string_view, 4> words{"megatron", "deepspeed", "fsdp", "ddp"};
};
template<>
struct EnumWords<DpReduction> {
    static constexpr std::array<std::string_view, 2> words{"flat", "buckets"};
};
template<>
struct EnumWords<ZeroUnit> {
    static constexpr std::array<std::string_view, 2> words{"model", "layer"};
};
template<>
struct EnumWords<ZeroReduction> {
    static constexpr std::array<std::string_view, 3> words{"all_reduce", "reduce_scatter", "reduce"};
};
template<>
struct EnumWords<ZeroKeeps> {
    static constexpr std::array<std::string_view, 3> words{"none", "root", "root_and_last"};
};
template<>
struct EnumWords<MemoryMeasure> {
    static constexpr std::array<std::string_view, 3> words{"allocated", "reserved", "device"};
};
template<>
struct EnumWords<TimeModel> {
    static constexpr std::array<std::string_view, 2> words{"li", "detailed"};
};
template<>
struct EnumWords<BandwidthOf> {
    static constexpr std::array<std::string_view, 2> words{"gpu", "node"};
};
template<>
struct EnumWords<NodeWiring> {
    static constexpr std::array<std::string_view, 3> words{"auto", "mesh", "switch"};
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
    return EnumWords<Enum>::words;
}

template<HasWords Enum>
constexpr std::string_view word(Enum value)
{
    return EnumWords<Enum>::words[static_cast<std::size_t>(value)];
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
inline constexpr std::array<std::string_view, 16> link_kinds{
    "nvlink2",    "nvlink3", "nvlink4", "nvlink5",   "pcie3",    "pcie4", "pcie5", "infinity_fabric",
    "infiniband", "roce",    "tcp",     "slingshot", "omnipath", "efa",   "ici",   "loopback"};

} // namespace shardscope
