#include "core/analysis/calls/shown_message.h"

namespace shardscope
{

Shown howShown(const Message& message, const ShownCalls& calls)
{
    const bool by_gloo = calls.name.starts_with("gloo:");
    if (message.op == Op::reduce_scatter && calls.op == Op::all_to_all)
        return by_gloo && calls.message_bytes == message.message_bytes ? Shown::as_all_to_all : Shown::no;
    if (message.op != calls.op)
        return Shown::no;
    if (calls.message_bytes < 0)
        return calls.op == Op::all_gather && calls.in_bytes >= 0
                       && calls.in_bytes * message.group_size == message.message_bytes
                   ? Shown::by_its_part
                   : Shown::no;
    if (calls.message_bytes == message.message_bytes)
        return Shown::as_it_is;
    if (by_gloo && message.op == Op::all_reduce && message.dtype == Dtype::bf16
        && calls.message_bytes == 2 * message.message_bytes)
        return Shown::in_fp32;
    return Shown::no;
}

} // namespace shardscope
