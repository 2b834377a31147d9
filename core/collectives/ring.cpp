#include "core/collectives/ring.h"

namespace shardscope
{

double ringBytes(Op op, int members, double message_bytes)
{
    const double n = members;
    switch (op) {
    case Op::all_reduce:
        return 2.0 * (n - 1.0) * message_bytes / n;
    case Op::all_gather:
    case Op::reduce_scatter:
    case Op::all_to_all:
        return (n - 1.0) * message_bytes / n;
    default:
        return message_bytes;
    }
}

} // namespace shardscope
