#include "core/analysis/run_difference.h"

#include "core/analysis/iteration_times.h"
#include "core/base/format.h"
#include "core/trace/rank_claims.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace shardscope
{

namespace
{

using CallKey = std::tuple<Kind, Op, std::int64_t, std::int64_t>; // and bytes, group size
using KernelKey = std::pair<std::string_view, EventClass>;
using PartKey = std::pair<IterationPart, Kind>;

// Ours: so much of the counted events may lie outside the steps before it is said.
constexpr double noted_outside = 0.01;

// A run, added up for one rank in one iteration.
class RunSums
{
public:
    RunSums(const AnalysedRun& run, const std::vector<std::int64_t>& ranks)
        : m_each_rank{1.0 / static_cast<double>(std::max<std::size_t>(1, ranks.size()))}
    {
        for (const RankMeasurement& rank : run.measurement.ranks)
            if (std::ranges::binary_search(ranks, rank.rank))
                add(rank, iterationsOf(run.traces, run.measurement, rank.rank));
        for (const TransferRow& row : run.measurement.cross_rank.transfers)
            transfer_s[{row.kind, row.op, row.message_bytes, row.group_size}] =
                1e-9 * static_cast<double>(row.median_ns);
        for (const MeasuredTimer& timer : run.measurement.timers)
            timers_s[timer.name] = timer.median_s;
        if (iteration_s == 0.0)
            takeUndivided(run.measurement);
    }

    double iteration_s = 0.0;
    std::int64_t iterations = 0;
    bool is_by_steps = true;    // every rank's work is told by marked steps
    double outside_steps = 0.0; // of the counted events
    std::map<PartKey, double> parts_s;
    std::map<CallKey, IterationAmount> calls;
    std::map<KernelKey, IterationAmount> kernels; // names are the measurement's
    std::map<CallKey, double> transfer_s;
    std::map<std::string, double> timers_s;

private:
    void add(const RankMeasurement& rank, std::int64_t recorded)
    {
        const bool by_steps = isToldBySteps(rank);
        const std::int64_t its_iterations =
            by_steps ? static_cast<std::int64_t>(rank.steps.size()) : recorded;
        iterations = std::max(iterations, its_iterations);
        m_each = m_each_rank / static_cast<double>(its_iterations);
        addCalls(rank);
        for (const KernelRow& row : rank.kernels)
            addTo(kernels[{row.name, row.of}], row.count, row.own_ns(), 0.0);
        if (!rank.has_timeline)
            return;
        is_by_steps = is_by_steps && by_steps;
        addParts(iterationTimes(rank, recorded));
        if (by_steps)
            addOutside(rank);
    }

    void addTo(IterationAmount& amount, std::int64_t calls_made, std::int64_t sum_ns, double exposed_ns)
    {
        amount.calls += m_each * static_cast<double>(calls_made);
        amount.seconds += m_each * 1e-9 * static_cast<double>(sum_ns);
        amount.exposed_s += m_each * 1e-9 * exposed_ns;
    }

    void addCalls(const RankMeasurement& rank)
    {
        const double in_steps = exposedShareOfSteps(rank);
        for (const MeasuredCollective& each : rank.collectives)
            if (each.countInSteps() > 0)
                addTo(calls[{each.kind, each.op, each.message_bytes, each.group_size}], each.countInSteps(),
                      each.sum_ns - each.outside_ns, in_steps * static_cast<double>(each.exposed_ns));
    }

    void addParts(const IterationTimes& times)
    {
        const auto part = [&](IterationPart of, Kind kind, double seconds) {
            if (seconds > 0.0)
                parts_s[{of, kind}] += m_each_rank * seconds;
        };
        iteration_s += m_each_rank * times.length_s;
        part(IterationPart::compute, Kind::unknown, times.compute_s - times.overlap_s);
        part(IterationPart::overlapped, Kind::unknown, times.overlap_s);
        for (int kind = 0; kind < kind_count; ++kind)
            part(IterationPart::communication, static_cast<Kind>(kind),
                 times.exposed_s[static_cast<std::size_t>(kind)]);
        part(IterationPart::copies, Kind::unknown, times.memory_s);
        part(IterationPart::idle, Kind::unknown, times.idle_s);
    }

    void addOutside(const RankMeasurement& rank)
    {
        std::int64_t within = 0;
        for (const StepMeasurement& step : rank.steps)
            within += step.times.compute_count + step.times.communication_count;
        const std::int64_t all = rank.compute_count + rank.communication_count;
        if (all > 0)
            outside_steps =
                std::max(outside_steps, 1.0 - static_cast<double>(within) / static_cast<double>(all));
    }

    // Of a log, or of a schedule that was written down.
    void takeUndivided(const Measurement& run)
    {
        if (const auto told = timers_s.find(std::string{iteration_timer}); told != timers_s.end())
            iteration_s = told->second;
        else if (run.bubble)
            iteration_s = run.bubble->iteration_s;
    }

    double m_each_rank;
    double m_each = 1.0; // of the rank that is being added, and an iteration of it
};

// Ranks that tell as much as others of the run: what lists calls alone has no times, and beside it stands
// what has.
std::vector<std::int64_t> ranksOf(const Measurement& run, const std::string& which,
                                  std::vector<std::string>& notes)
{
    const bool has_timelines = std::ranges::any_of(run.ranks, &RankMeasurement::has_timeline);
    std::vector<std::int64_t> ranks;
    for (const RankMeasurement& rank : run.ranks)
        if (rank.has_timeline == has_timelines && hasWhatCounts(run, rank))
            ranks.push_back(rank.rank);
    std::ranges::sort(ranks);
    if (const auto left_out = static_cast<std::int64_t>(run.ranks.size() - ranks.size()); left_out > 0)
        notes.push_back(
            which + ": "
            + countedSentence(left_out, "one rank is left out, which has", "# ranks are left out, which have")
            + (run.step ? " not recorded this step" : " calls alone, without times"));
    return ranks;
}

// Of which ranks the means are, in either run.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>
ranksToCompare(const AnalysedRun& before, const AnalysedRun& after, std::vector<std::string>& notes)
{
    const std::vector<std::int64_t> ranks_before = ranksOf(before.measurement, "Before", notes);
    const std::vector<std::int64_t> ranks_after = ranksOf(after.measurement, "After", notes);
    const std::int64_t size_before = worldSizeOf(before.traces);
    const std::int64_t size_after = worldSizeOf(after.traces);
    if (size_before > 0 && size_after > 0 && size_before != size_after) {
        notes.push_back("The runs are of " + countedSentence(size_before, "one GPU", "# GPUs") + " and of "
                        + std::to_string(size_after) + ": their ranks do not do the same work");
        return {ranks_before, ranks_after};
    }
    std::vector<std::int64_t> both;
    std::ranges::set_intersection(ranks_before, ranks_after, std::back_inserter(both));
    if (both.empty() && !ranks_before.empty() && !ranks_after.empty())
        notes.emplace_back("No rank was read of both runs: other ranks may do other work");
    if (both.empty() || (both.size() == ranks_before.size() && both.size() == ranks_after.size()))
        return {ranks_before, ranks_after};
    notes.push_back(countedSentence(static_cast<std::int64_t>(both.size()),
                                    "Means are over the one rank that was read of both runs",
                                    "Means are over the # ranks that were read of both runs"));
    return {both, both};
}

std::optional<double> valueOf(const auto& map, const auto& key)
{
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional{found->second};
}

// Every key of both, with what each has of it.
template<class Map>
auto joined(const Map& before, const Map& after)
{
    using Value = typename Map::mapped_type;
    std::map<typename Map::key_type, std::pair<Value, Value>> both;
    for (const auto& [key, value] : before)
        both[key].first = value;
    for (const auto& [key, value] : after)
        both[key].second = value;
    return both;
}

// The greatest difference first.
template<class Row>
void sortByDifference(std::vector<Row>& rows, auto difference_s)
{
    std::ranges::stable_sort(rows, std::greater{},
                             [&](const Row& row) { return std::abs(difference_s(row)); });
}

std::vector<PartChange> partsOf(const RunSums& before, const RunSums& after)
{
    std::vector<PartChange> parts;
    for (const auto& [key, seconds] : joined(before.parts_s, after.parts_s))
        parts.push_back({key.first, key.second, seconds.first, seconds.second});
    return parts;
}

std::vector<CallsChange> callsOf(const RunSums& before, const RunSums& after)
{
    std::vector<CallsChange> calls;
    for (const auto& [key, amounts] : joined(before.calls, after.calls)) {
        const auto& [kind, op, bytes, group_size] = key;
        calls.push_back({kind,
                         op,
                         bytes,
                         group_size,
                         {amounts.first, amounts.second},
                         valueOf(before.transfer_s, key),
                         valueOf(after.transfer_s, key)});
    }
    sortByDifference(calls, [](const CallsChange& row) { return row.amount.added_s(); });
    return calls;
}

std::vector<KernelChange> kernelsOf(const RunSums& before, const RunSums& after)
{
    std::vector<KernelChange> kernels;
    for (const auto& [key, amounts] : joined(before.kernels, after.kernels))
        kernels.push_back({std::string{key.first}, key.second, {amounts.first, amounts.second}});
    sortByDifference(kernels, [](const KernelChange& row) { return row.amount.added_s(); });
    return kernels;
}

void add(const IterationAmount& amount, IterationAmount& sum)
{
    sum.calls += amount.calls;
    sum.seconds += amount.seconds;
}

std::vector<KernelClassChange> classesOf(const std::vector<KernelChange>& kernels)
{
    std::map<KernelClass, AmountChange> sums;
    for (const KernelChange& kernel : kernels) {
        if (kernel.of != EventClass::compute)
            continue;
        AmountChange& sum = sums[kernelClassOf(kernel.name)];
        add(kernel.amount.before, sum.before);
        add(kernel.amount.after, sum.after);
    }
    std::vector<KernelClassChange> classes;
    for (const auto& [of, amount] : sums)
        classes.push_back({of, amount});
    sortByDifference(classes, [](const KernelClassChange& row) { return row.amount.added_s(); });
    return classes;
}

std::vector<TimerChange> timersOf(const RunSums& before, const RunSums& after)
{
    std::vector<TimerChange> timers;
    for (const auto& [name, unused] : joined(before.timers_s, after.timers_s))
        timers.push_back({name, valueOf(before.timers_s, name), valueOf(after.timers_s, name)});
    sortByDifference(timers, [](const TimerChange& row) {
        return row.before_s && row.after_s ? *row.after_s - *row.before_s : 0.0;
    });
    return timers;
}

std::optional<std::int64_t> peakOf(const Measurement& run, std::int64_t RankMemory::*bytes)
{
    std::int64_t peak = -1;
    for (const RankMemory& rank : run.memory)
        peak = std::max(peak, rank.*bytes);
    return peak >= 0 ? std::optional{peak} : std::nullopt;
}

PeakChange peaksOf(const Measurement& before, const Measurement& after, std::int64_t RankMemory::*bytes)
{
    return {peakOf(before, bytes), peakOf(after, bytes)};
}

// "Before" or "After" what holds of that run alone.
void addNotesOf(const RunSums& run, const std::string& which, std::vector<std::string>& notes)
{
    if (!run.calls.empty() && run.parts_s.empty())
        notes.push_back(which + ": calls alone were recorded, and all of them count as one iteration");
    if (!run.parts_s.empty() && !run.is_by_steps)
        notes.push_back(which + ": no marks of steps tell all ranks' work, so what was recorded counts as "
                        + countedSentence(run.iterations, "one iteration", "# iterations"));
    if (run.outside_steps > noted_outside)
        notes.push_back(which + ": " + formatRatio(run.outside_steps)
                        + " of the kernels ran outside the marked steps; the kernels' rows count them too");
}

void addWarningsOf(const AnalysedRun& run, const std::string& which, std::vector<std::string>& notes)
{
    for (const ImportWarning& warning : run.traces.warnings)
        notes.push_back(which + ": " + warning.sentence);
    const std::int64_t rejected =
        std::ranges::count(run.traces.files, FileStatus::rejected, &TraceFile::status);
    if (rejected > 0)
        notes.push_back(which + ": "
                        + countedSentence(rejected, "one file was not read", "# files were not read"));
}

} // namespace

std::string_view word(IterationPart part)
{
    switch (part) {
    case IterationPart::compute:
        return "compute";
    case IterationPart::overlapped:
        return "compute with communication beside it";
    case IterationPart::communication:
        return "exposed communication";
    case IterationPart::copies:
        return "copies and fills";
    case IterationPart::idle:
        break;
    }
    return "idle";
}

RunDifference differenceOf(const AnalysedRun& before, const AnalysedRun& after)
{
    RunDifference difference;
    const auto [ranks_before, ranks_after] = ranksToCompare(before, after, difference.notes);
    const RunSums sums_before{before, ranks_before};
    const RunSums sums_after{after, ranks_after};
    difference.before_iteration_s = sums_before.iteration_s;
    difference.after_iteration_s = sums_after.iteration_s;
    difference.before_ranks = static_cast<std::int64_t>(ranks_before.size());
    difference.after_ranks = static_cast<std::int64_t>(ranks_after.size());
    difference.before_iterations = sums_before.iterations;
    difference.after_iterations = sums_after.iterations;
    if (!sums_before.parts_s.empty() && !sums_after.parts_s.empty()) // a log divides nothing
        difference.parts = partsOf(sums_before, sums_after);
    difference.calls = callsOf(sums_before, sums_after);
    difference.kernels = kernelsOf(sums_before, sums_after);
    difference.classes = classesOf(difference.kernels);
    difference.timers = timersOf(sums_before, sums_after);
    difference.allocated = peaksOf(before.measurement, after.measurement, &RankMemory::peak_allocated_bytes);
    difference.reserved = peaksOf(before.measurement, after.measurement, &RankMemory::peak_reserved_bytes);
    addNotesOf(sums_before, "Before", difference.notes);
    addNotesOf(sums_after, "After", difference.notes);
    addWarningsOf(before, "Before", difference.notes);
    addWarningsOf(after, "After", difference.notes);
    return difference;
}

} // namespace shardscope
