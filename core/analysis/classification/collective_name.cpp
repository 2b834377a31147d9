#include "core/analysis/classification/collective_name.h"

#include "core/analysis/classification/name_pattern.h"

#include <algorithm>
#include <array>
#include <string>

namespace shardscope
{

namespace
{

struct Word {
    std::string_view letters;
    Op op;
};

// Longer words before those that they contain. NCCL's SendRecv kernel serves all_to_all, send and recv alike,
// and a batch of messages is neither a send nor a recv.
constexpr std::array words{Word{"reducescatter", Op::reduce_scatter},
                           Word{"allreduce", Op::all_reduce},
                           Word{"crossdevicereduce", Op::all_reduce},
                           Word{"allgather", Op::all_gather},
                           Word{"alltoall", Op::all_to_all},
                           Word{"broadcast", Op::broadcast},
                           Word{"sendrecv", Op::other},
                           Word{"isendirecv", Op::other},
                           Word{"send", Op::send},
                           Word{"recv", Op::recv},
                           Word{"barrier", Op::barrier},
                           Word{"gather", Op::gather},
                           Word{"scatter", Op::scatter},
                           Word{"reduce", Op::reduce}};

} // namespace

Op opFromName(std::string_view name)
{
    std::string letters = lowerCase(name.substr(0, name.find('(')));
    std::erase_if(letters, [](char c) { return c == '_' || c == '-'; });
    for (const Word& word : words)
        if (letters.find(word.letters) != std::string::npos)
            return word.op;
    return Op::other;
}

std::int64_t messageBytes(Op op, std::int64_t in_bytes, std::int64_t out_bytes, std::int64_t group_size)
{
    const auto times = [](std::int64_t bytes, std::int64_t factor) {
        std::int64_t product = 0;
        return __builtin_mul_overflow(bytes, factor, &product) ? std::int64_t{-1} : product;
    };
    switch (op) {
    case Op::all_gather:
    case Op::gather:
        // Some writers give the part twice; the whole is larger than it unless the group is one rank.
        if (out_bytes >= 0 && (out_bytes != in_bytes || group_size < 2))
            return out_bytes;
        return in_bytes >= 0 && group_size > 0 ? times(in_bytes, group_size) : -1;
    case Op::reduce_scatter:
    case Op::scatter:
        if (in_bytes >= 0)
            return in_bytes;
        return out_bytes >= 0 && group_size > 0 ? times(out_bytes, group_size) : -1;
    case Op::recv:
        return std::max(in_bytes, out_bytes);
    case Op::barrier:
        return 0;
    default:
        return in_bytes >= 0 ? in_bytes : out_bytes;
    }
}

} // namespace shardscope
