#include "core/analysis/calls/measured_matrix.h"

#include "core/analysis/calls/call_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace shardscope
{

namespace
{

class MatrixBuilder
{
public:
    MatrixBuilder(const TraceSet& traces, const CallList& list, const Parallel* layout)
        : m_list{list}, m_layout{layout}, m_read{recordedRanks(traces)}
    {
    }

    // False: the call's size, group or peer is not known.
    bool add(const Call& call)
    {
        if (call.op == Op::barrier)
            return true;
        if (call.message_bytes < 0)
            return false;
        if (isPointToPoint(call.op))
            return addMessage(call);
        return addCollective(call);
    }

    // all_to_all calls that are taken for even ones, though what comes out is not what goes in, or the list
    // of their splits is cut.
    std::int64_t callsOfUnknownSplits() const { return m_not_told; }

    std::vector<MeasuredCell> cells() const
    {
        std::vector<MeasuredCell> cells;
        for (const auto& [key, bytes] : m_bytes)
            cells.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), bytes});
        return cells;
    }

private:
    void cell(Kind kind, std::int64_t sender, std::int64_t receiver, double bytes)
    {
        if (sender != receiver && bytes > 0.0)
            m_bytes[{kind, sender, receiver}] += bytes;
    }

    bool addMessage(const Call& call)
    {
        const double bytes = static_cast<double>(call.message_bytes) * static_cast<double>(call.count);
        if (call.peer >= 0) {
            if (call.op == Op::send)
                cell(call.kind, call.rank, call.peer, bytes);
            else if (!m_read.contains(call.peer))
                cell(call.kind, call.peer, call.rank, bytes);
            return true;
        }
        if (call.op == Op::recv)
            return true; // its sender's own call counts, or tells that it is not known
        if (call.kind != Kind::pp || call.members < 0)
            return false;
        const auto& stages = m_list.groups[static_cast<std::size_t>(call.members)];
        const auto own = std::find(stages.begin(), stages.end(), call.rank);
        if (own == stages.end() || stages.size() < 2)
            return false;
        // Of each of its parts of the model activations go forth and gradients back; at the ends of the model
        // one of them does not. In a V as much goes either way, and nothing around the ring.
        const bool is_first = own == stages.begin();
        const bool is_last = own + 1 == stages.end();
        const bool is_told = m_layout != nullptr && std::ssize(stages) == m_layout->pipeline;
        const bool is_ring = is_told && !isVShaped(m_layout->schedule);
        const std::int64_t parts = is_ring ? m_layout->virtual_stages : 1;
        const auto forth = static_cast<double>(parts - (is_last ? 1 : 0));
        const auto back = static_cast<double>(parts - (is_first ? 1 : 0));
        cell(call.kind, call.rank, is_last ? stages.front() : own[1], bytes * forth / (forth + back));
        cell(call.kind, call.rank, is_first ? stages.back() : own[-1], bytes * back / (forth + back));
        return true;
    }

    bool addCollective(const Call& call)
    {
        if (call.members < 0)
            return false;
        const auto& members = m_list.groups[static_cast<std::size_t>(call.members)];
        const auto own = std::find(members.begin(), members.end(), call.rank);
        if (own == members.end())
            return false;
        const int size = static_cast<int>(members.size());
        const double bytes = wireBytes(call.op, size, call.message_bytes) * static_cast<double>(call.count);
        const bool is_last = own + 1 == members.end();
        switch (call.op) {
        case Op::all_reduce:
        case Op::all_gather:
        case Op::reduce_scatter:
            cell(call.kind, call.rank, is_last ? members.front() : own[1], bytes);
            return true;
        case Op::broadcast:
        case Op::reduce:
            if (!is_last)
                cell(call.kind, call.rank, own[1], bytes);
            return true;
        case Op::all_to_all:
            addSplits(call, members);
            return true;
        default:
            return false;
        }
    }

    // Splits count rows of a tensor, or elements: whatever they are, they share out all that goes in.
    void addSplits(const Call& call, const std::vector<std::int64_t>& members)
    {
        const auto told = numbersFromText(call.in_splits);
        const bool are_whole = told && told->size() == members.size();
        const bool are_equal = call.in_splits.empty() || call.in_splits == "[]"; // PyTorch's word for it
        if (!are_whole && !(are_equal && (call.out_bytes < 0 || call.out_bytes == call.in_bytes)))
            m_not_told += call.count;
        const std::vector<std::int64_t> splits =
            are_whole ? *told : std::vector<std::int64_t>(members.size(), 1);
        const double sum = std::accumulate(splits.begin(), splits.end(), 0.0);
        const double all = static_cast<double>(call.message_bytes) * static_cast<double>(call.count);
        for (std::size_t i = 0; i < members.size() && sum > 0.0; ++i)
            cell(call.kind, call.rank, members[i], all * static_cast<double>(splits[i]) / sum);
    }

    const CallList& m_list;
    const Parallel* m_layout;
    std::set<std::int64_t> m_read;
    std::int64_t m_not_told = 0;
    std::map<std::tuple<Kind, std::int64_t, std::int64_t>, double> m_bytes;
};

// Of a training log, which stands for no rank.
bool tellsNoCalls(const TraceFile& file)
{
    const bool is_log = !file.timers.empty() || !file.memory.empty() || !file.arguments.empty();
    return is_log && file.calls.empty() && !file.digest && (!file.store || file.store->size() == 0);
}

} // namespace

std::set<std::int64_t> recordedRanks(const TraceSet& traces)
{
    std::set<std::int64_t> ranks;
    for (const TraceFile& file : traces.files)
        if (file.status != FileStatus::rejected && !tellsNoCalls(file))
            ranks.insert(file.rank);
    return ranks;
}

std::vector<MeasuredCell> measuredMatrix(const TraceSet& traces, const CallList& list, const Parallel* layout,
                                         std::vector<std::string>& notes)
{
    MatrixBuilder matrix{traces, list, layout};
    std::int64_t left_out = 0;
    for (const Call& call : list.calls)
        if (!matrix.add(call))
            left_out += call.count;
    if (const std::int64_t calls = matrix.callsOfUnknownSplits(); calls > 0)
        notes.push_back(
            std::to_string(calls)
            + " uneven all_to_all calls, of which the trace does not tell the splits, stand in the "
              "matrix as if every receiver got the same");
    if (left_out > 0)
        notes.push_back(std::to_string(left_out) + (left_out == 1 ? " call is" : " calls are")
                        + " not in the matrix: size, group or peer is not known");
    return matrix.cells();
}

} // namespace shardscope
