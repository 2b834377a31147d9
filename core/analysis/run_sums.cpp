#include "core/analysis/run_sums.h"

#include <algorithm>

namespace shardscope
{

namespace
{

CallSize sizeOf(const CallKey& key)
{
    return {std::get<1>(key), std::get<2>(key), std::get<3>(key)};
}

CallKey withoutKind(const CallKey& key)
{
    return {Kind::unknown, std::get<1>(key), std::get<2>(key), std::get<3>(key)};
}

} // namespace

void addAmount(const IterationAmount& amount, IterationAmount& sum)
{
    sum.calls += amount.calls;
    sum.seconds += amount.seconds;
    sum.exposed_s += amount.exposed_s;
}

RunSums::RunSums(const AnalysedRun& run, const std::vector<std::int64_t>& ranks)
    : m_each_rank{1.0 / static_cast<double>(std::max<std::size_t>(1, ranks.size()))}
{
    for (const RankMeasurement& rank : run.measurement.ranks)
        if (std::ranges::binary_search(ranks, rank.rank))
            add(rank, iterationsOf(run.traces, run.measurement, rank.rank));
    makeOneIteration(m_times);
    for (const IterationTimes& times : m_times)
        addParts(times);
    iteration_s = iterationLength_s(m_times);
    for (const TransferRow& row : run.measurement.cross_rank.transfers)
        transfer_s[{row.kind, row.op, row.message_bytes, row.group_size}] =
            1e-9 * static_cast<double>(row.median_ns);
    for (const MeasuredTimer& timer : run.measurement.timers)
        timers_s[timer.name] = timer.median_s;
    if (iteration_s == 0.0)
        takeUndivided(run.measurement);
}

std::set<CallSize> RunSums::callsOfNoKind() const
{
    std::set<CallSize> unknown;
    for (const auto& [key, amount] : calls)
        if (std::get<Kind>(key) == Kind::unknown)
            unknown.insert(sizeOf(key));
    return unknown;
}

// Such calls would look like more communication of no kind, and less of each.
bool RunSums::tellsMoreThan(const RunSums& other) const
{
    const std::set<CallSize> of_no_kind = callsOfNoKind();
    const auto isTold = [&](const CallSize& size) {
        return std::ranges::any_of(calls, [&](const auto& each) {
            return sizeOf(each.first) == size && std::get<Kind>(each.first) != Kind::unknown;
        });
    };
    return std::ranges::any_of(other.callsOfNoKind(), [&](const CallSize& size) {
        return !of_no_kind.contains(size) && (of_no_kind.empty() || isTold(size));
    });
}

void RunSums::uniteKinds()
{
    std::map<CallKey, IterationAmount> united;
    std::map<CallSize, int> kinds; // with calls of that size
    for (const auto& [key, amount] : calls) {
        addAmount(amount, united[withoutKind(key)]);
        ++kinds[sizeOf(key)];
    }
    calls = std::move(united);
    std::map<CallKey, double> transfers; // of several kinds no one has the median of all
    for (const auto& [key, seconds] : transfer_s)
        if (kinds[sizeOf(key)] == 1)
            transfers[withoutKind(key)] = seconds;
    transfer_s = std::move(transfers);
    double exposed_s = 0.0;
    for (const auto& [key, seconds] : parts_s)
        exposed_s += key.first == IterationPart::communication ? seconds : 0.0;
    std::erase_if(parts_s, [](const auto& part) { return part.first.first == IterationPart::communication; });
    if (exposed_s > 0.0)
        parts_s[{IterationPart::communication, Kind::unknown}] = exposed_s;
}

void RunSums::add(const RankMeasurement& rank, std::int64_t recorded)
{
    const bool by_steps = isToldBySteps(rank);
    const std::int64_t its_iterations = by_steps ? static_cast<std::int64_t>(rank.steps.size()) : recorded;
    iterations = std::max(iterations, its_iterations);
    m_each = m_each_rank / static_cast<double>(its_iterations);
    addCalls(rank);
    for (const KernelRow& row : rank.kernels)
        addTo(kernels[{row.name, row.of}], row.count, row.own_ns(), 0.0);
    if (!rank.has_timeline)
        return;
    is_by_steps = is_by_steps && by_steps;
    m_times.push_back(iterationTimes(rank, recorded));
    if (by_steps)
        addOutside(rank);
}

void RunSums::addTo(IterationAmount& amount, std::int64_t calls_made, std::int64_t sum_ns,
                    double exposed_ns) const
{
    amount.calls += m_each * static_cast<double>(calls_made);
    amount.seconds += m_each * 1e-9 * static_cast<double>(sum_ns);
    amount.exposed_s += m_each * 1e-9 * exposed_ns;
}

void RunSums::addCalls(const RankMeasurement& rank)
{
    const double in_steps = exposedShareOfSteps(rank);
    for (const MeasuredCollective& each : rank.collectives)
        if (each.countInSteps() > 0)
            addTo(calls[{each.kind, each.op, each.message_bytes, each.group_size}], each.countInSteps(),
                  each.sum_ns - each.outside_ns, in_steps * static_cast<double>(each.exposed_ns));
}

void RunSums::addParts(const IterationTimes& times)
{
    const auto part = [&](IterationPart of, Kind kind, double seconds) {
        if (seconds > 0.0)
            parts_s[{of, kind}] += m_each_rank * seconds;
    };
    part(IterationPart::compute, Kind::unknown, times.compute_s - times.overlap_s);
    part(IterationPart::overlapped, Kind::unknown, times.overlap_s);
    for (int kind = 0; kind < kind_count; ++kind)
        part(IterationPart::communication, static_cast<Kind>(kind),
             times.exposed_s[static_cast<std::size_t>(kind)]);
    part(IterationPart::copies, Kind::unknown, times.memory_s);
    part(IterationPart::idle, Kind::unknown, times.idle_s);
}

void RunSums::addOutside(const RankMeasurement& rank)
{
    std::int64_t within = 0;
    for (const StepMeasurement& step : rank.steps)
        within += step.times.compute_count + step.times.communication_count;
    const std::int64_t all = rank.compute_count + rank.communication_count;
    if (all > 0)
        outside_steps = std::max(outside_steps, 1.0 - static_cast<double>(within) / static_cast<double>(all));
}

// Of a log, or of a schedule that was written down.
void RunSums::takeUndivided(const Measurement& run)
{
    if (const auto told = timers_s.find(std::string{iteration_timer}); told != timers_s.end())
        iteration_s = told->second;
    else if (run.bubble)
        iteration_s = run.bubble->iteration_s;
}

} // namespace shardscope
