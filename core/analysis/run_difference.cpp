#include "core/analysis/run_difference.h"

#include "core/analysis/run_sums.h"
#include "core/base/format.h"
#include "core/trace/rank_claims.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

// Ours: so much of the counted events may lie outside the steps before it is said.
constexpr double noted_outside = 0.01;

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

std::vector<KernelClassChange> classesOf(const std::vector<KernelChange>& kernels)
{
    std::map<KernelClass, AmountChange> sums;
    for (const KernelChange& kernel : kernels) {
        if (kernel.of != EventClass::compute)
            continue;
        AmountChange& sum = sums[kernelClassOf(kernel.name)];
        addAmount(kernel.amount.before, sum.before);
        addAmount(kernel.amount.after, sum.after);
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

void uniteKindsOf(RunSums& before, RunSums& after, std::vector<std::string>& notes)
{
    if (before.calls.empty() || after.calls.empty())
        return;
    const bool before_tells = before.tellsMoreThan(after);
    const bool after_tells = after.tellsMoreThan(before);
    if (!before_tells && !after_tells)
        return;
    before.uniteKinds();
    after.uniteKinds();
    const std::string which = before_tells && after_tells
                                  ? "each run tells kinds of calls that the other does not"
                              : before_tells ? "the run before alone tells the kinds of its calls"
                                             : "the run after alone tells the kinds of its calls";
    notes.push_back("Communication is compared as one sum: " + which
                    + "; with the scenario of the runs both may tell them");
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
    RunSums sums_before{before, ranks_before};
    RunSums sums_after{after, ranks_after};
    uniteKindsOf(sums_before, sums_after, difference.notes);
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
