#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardscope
{

// The dimension of parallelism that a message serves. emb: tied embeddings, first and last stage; edp:
// replicas of an expert; mp: where the gradient norm is summed; unknown: a measured message whose kind
// nothing told.
enum class Kind : std::uint8_t { tp, cp, pp, dp, emb, ep, edp, mp, unknown };
inline constexpr int kind_count = static_cast<int>(Kind::unknown) + 1;

// What replicas of the whole model or of an expert send each other: gradients, weights, losses.
constexpr bool isOfReplicas(Kind kind)
{
    return kind == Kind::dp || kind == Kind::edp;
}

enum class Op : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    reduce,
    all_to_all,
    broadcast,
    send,
    recv,
    gather,
    scatter,
    barrier,
    other
};
inline constexpr int op_count = static_cast<int>(Op::other) + 1;

constexpr bool isPointToPoint(Op op)
{
    return op == Op::send || op == Op::recv;
}

enum class Phase : std::uint8_t { forward, recompute, backward, step };
inline constexpr int phase_count = static_cast<int>(Phase::step) + 1;

enum class Dtype : std::uint8_t { fp32, fp16, bf16, fp8, int64 };
inline constexpr int dtype_count = static_cast<int>(Dtype::int64) + 1;

// The words of the file formats ("tp", "all_reduce", "forward", "fp16"), both ways.
std::string_view word(Kind kind);
std::string_view word(Op op);
std::string_view word(Phase phase);
std::string_view word(Dtype dtype);
std::optional<Kind> kindFromWord(std::string_view word);
std::optional<Op> opFromWord(std::string_view word);

int bytesPerElement(Dtype dtype);

// Bytes that one rank sends for one call under the ring convention. `message_bytes` is what the call is
// given: all_reduce, broadcast and reduce the buffer, all_gather the gathered result, reduce_scatter the
// input, all_to_all all that the rank puts in, send the tensor. all_reduce 2(n-1)/n S; all_gather,
// reduce_scatter, all_to_all (n-1)/n S; broadcast S for every rank but the last of the chain (answered here
// as S); send S; recv, barrier 0. gather, scatter and others 0: no program here predicts them.
double wireBytes(Op op, int group_size, std::int64_t message_bytes);

} // namespace shardscope
