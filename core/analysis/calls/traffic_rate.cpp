#include "core/analysis/calls/traffic_rate.h"

#include "core/analysis/gpu_time/interval_union.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardscope
{

namespace
{

// A call as far as the rate asks.
struct Sending {
    Interval time;
    std::int64_t rank = 0;
    Op op = Op::other;
    std::int64_t group_size = 0;
    std::int64_t message_bytes = -1;
};

// What the rank itself sends. Without a known group the message stands for it.
double sentBytes(const Sending& call)
{
    if (call.op == Op::recv || call.op == Op::barrier)
        return 0.0;
    const double bytes = static_cast<double>(call.message_bytes);
    if (call.op == Op::send || call.group_size == 0)
        return bytes;
    return wireBytes(call.op, static_cast<int>(call.group_size), call.message_bytes);
}

// Adds an amount evenly over [start, end); a call that takes no time falls into one bin.
void spread(TrafficRate& rate, TraceTime start, TraceTime end, double amount)
{
    const auto binOf = [&](TraceTime time) {
        return static_cast<std::size_t>((time - rate.start_ns) / rate.bin_ns);
    };
    if (end <= start) {
        rate.amounts[binOf(start)] += amount;
        return;
    }
    const double per_ns = amount / static_cast<double>(end - start);
    for (TraceTime from = start; from < end;) {
        const std::size_t bin = binOf(from);
        const TraceTime bin_end = rate.start_ns + static_cast<TraceTime>(bin + 1) * rate.bin_ns;
        const TraceTime to = std::min(end, bin_end);
        rate.amounts[bin] += per_ns * static_cast<double>(to - from);
        from = to;
    }
}

// Each rank once, however many of its streams and GPUs communicate at the same time.
void spreadBusyTime(TrafficRate& rate, const std::vector<Sending>& calls)
{
    std::map<std::int64_t, std::vector<Interval>> ranks;
    for (const Sending& call : calls)
        ranks[call.rank].push_back(call.time);
    for (auto& [rank, times] : ranks) {
        const IntervalUnion busy{std::move(times)};
        for (const Interval& time : busy.spans())
            spread(rate, time.start, time.end, static_cast<double>(time.end - time.start));
    }
}

TrafficRate rateOf(const std::vector<Sending>& calls, int bins)
{
    TrafficRate rate;
    Interval run;
    for (const Sending& call : calls) {
        const bool is_first = rate.sized_calls + rate.unsized_calls == 0;
        run = is_first ? call.time
                       : Interval{std::min(run.start, call.time.start), std::max(run.end, call.time.end)};
        ++(call.message_bytes >= 0 ? rate.sized_calls : rate.unsized_calls);
    }
    if (calls.empty() || bins < 1)
        return rate;
    rate.of = rate.sized_calls > 0 ? TrafficOf::bytes_sent : TrafficOf::communication_ns;
    rate.start_ns = run.start;
    rate.bin_ns = (run.end - run.start) / bins + 1;
    rate.amounts.assign(static_cast<std::size_t>((run.end - run.start) / rate.bin_ns + 1), 0.0);
    if (rate.of == TrafficOf::communication_ns)
        spreadBusyTime(rate, calls);
    else
        for (const Sending& call : calls)
            if (call.message_bytes >= 0)
                spread(rate, call.time.start, call.time.end, sentBytes(call));
    return rate;
}

} // namespace

TrafficRate trafficRate(const CallList& list, int bins)
{
    std::vector<Sending> calls;
    for (const Call& call : list.calls)
        if (call.is_timed)
            calls.push_back({{call.start, call.start + call.duration_ns},
                             call.rank,
                             call.op,
                             call.group_size,
                             call.message_bytes});
    return rateOf(calls, bins);
}

TrafficRate trafficRate(const std::vector<MeasuredCall>& calls, const TraceSet& traces,
                        const ClockOffsets& ahead, int bins)
{
    std::vector<Sending> sendings;
    for (const MeasuredCall& call : calls) {
        const TraceFile& file = traces.files[call.file];
        if (!file.store)
            continue;
        const auto offset = ahead.find(file.rank);
        const TraceTime start = file.store->start(call.event) - (offset == ahead.end() ? 0 : offset->second);
        sendings.push_back({{start, start + file.store->duration(call.event)},
                            file.rank,
                            call.op,
                            call.group_size,
                            call.message_bytes});
    }
    return rateOf(sendings, bins);
}

} // namespace shardscope
