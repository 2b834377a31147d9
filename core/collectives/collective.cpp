#include "core/collectives/collective.h"

#include "core/collectives/ring.h"

#include <array>

namespace shardscope
{

namespace
{

constexpr std::array<std::string_view, kind_count> kind_words{"tp", "cp",  "pp", "dp",     "emb",
                                                              "ep", "edp", "mp", "unknown"};
constexpr std::array<std::string_view, op_count> op_words{
    "all_reduce", "all_gather", "reduce_scatter", "reduce",  "all_to_all", "broadcast",
    "send",       "recv",       "gather",         "scatter", "barrier",    "other"};
constexpr std::array<std::string_view, phase_count> phase_words{"forward", "recompute", "backward", "step"};
constexpr std::array<std::string_view, dtype_count> dtype_words{"fp32", "fp16", "bf16", "fp8", "int64"};

template<class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& words, std::string_view word)
{
    for (std::size_t i = 0; i < N; ++i)
        if (words[i] == word)
            return static_cast<Enum>(i);
    return std::nullopt;
}

} // namespace

std::string_view word(Kind kind)
{
    return kind_words[static_cast<std::size_t>(kind)];
}

std::string_view word(Op op)
{
    return op_words[static_cast<std::size_t>(op)];
}

std::string_view word(Phase phase)
{
    return phase_words[static_cast<std::size_t>(phase)];
}

std::string_view word(Dtype dtype)
{
    return dtype_words[static_cast<std::size_t>(dtype)];
}

std::optional<Kind> kindFromWord(std::string_view word)
{
    return find<Kind>(kind_words, word);
}

std::optional<Op> opFromWord(std::string_view word)
{
    return find<Op>(op_words, word);
}

int bytesPerElement(Dtype dtype)
{
    switch (dtype) {
    case Dtype::fp32:
        return 4;
    case Dtype::fp16:
    case Dtype::bf16:
        return 2;
    case Dtype::fp8:
        return 1;
    case Dtype::int64:
        return 8;
    }
    return 0;
}

double wireBytes(Op op, int group_size, std::int64_t message_bytes)
{
    if (group_size < 2)
        return 0.0;
    switch (op) {
    case Op::all_reduce:
    case Op::all_gather:
    case Op::reduce_scatter:
    case Op::all_to_all:
    case Op::broadcast:
    case Op::reduce:
    case Op::send:
        return ringBytes(op, group_size, static_cast<double>(message_bytes));
    default:
        return 0.0;
    }
}

} // namespace shardscope
