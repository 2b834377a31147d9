#include "widgets/panels/timeline/timeline_lanes.h"

#include "widgets/panels/timeline/schedule_passes.h"
#include "widgets/session/shown_text.h"

#include "core/analysis/calls/cross_rank.h"
#include "core/analysis/calls/traffic_rate.h"
#include "core/analysis/classification/classification.h"
#include "core/analysis/classification/kernel_class.h"
#include "core/trace/path_differences.h"
#include "core/trace/step_mark.h"

#include <algorithm>
#include <limits>
#include <map>

namespace shardscope
{

namespace
{

// Clocks that differ by more than thirty years are not drawn to their end; sums of times then stay in range.
constexpr TraceTime longest_run_ns = 1'000'000'000'000'000'000;

LanePaint paintOf(KernelClass kernel_class)
{
    switch (kernel_class) {
    case KernelClass::matrix:
        return LanePaint::matrix;
    case KernelClass::attention:
        return LanePaint::attention;
    case KernelClass::reduction:
        return LanePaint::reduction;
    case KernelClass::elementwise:
        return LanePaint::elementwise;
    case KernelClass::other:
        break;
    }
    return LanePaint::compute;
}

// What computations are drawn as, each name looked at once.
class ComputePaints
{
public:
    explicit ComputePaints(const TraceStore& store) : m_store{store}, m_paints(store.names().size()) {}
    LanePaint of(EventIndex event)
    {
        std::optional<LanePaint>& paint = m_paints[static_cast<std::size_t>(m_store.nameId(event))];
        if (!paint)
            paint = paintOf(kernelClassOf(m_store.name(event)));
        return *paint;
    }

private:
    const TraceStore& m_store;
    std::vector<std::optional<LanePaint>> m_paints; // by NameId
};

LanePaint paintOf(EventClass event_class)
{
    switch (event_class) {
    case EventClass::compute:
        return LanePaint::compute;
    case EventClass::communication:
        return paintOf(Kind::unknown);
    case EventClass::memory:
        return LanePaint::memory;
    case EventClass::cpu:
        return LanePaint::cpu;
    case EventClass::runtime:
        return LanePaint::runtime;
    case EventClass::annotation:
        return LanePaint::annotation;
    case EventClass::other:
        break;
    }
    return LanePaint::other;
}

// From the first event to the last one, without the profiler's own: its span reaches over what it does before
// it records and afterwards.
TimeRange extentOf(const TraceStore& store)
{
    constexpr std::string_view own = "PyTorch Profiler (";
    std::vector<bool> is_own(store.names().size());
    bool has_own = false;
    for (std::size_t id = 0; id < is_own.size(); ++id) {
        is_own[id] = store.names().text(static_cast<NameId>(id)).starts_with(own);
        has_own = has_own || is_own[id];
    }
    TraceTime first = std::numeric_limits<TraceTime>::max();
    TraceTime last = std::numeric_limits<TraceTime>::min();
    for (std::size_t i = 0; has_own && i < store.size(); ++i)
        if (!is_own[static_cast<std::size_t>(store.nameIds()[i])]) {
            first = std::min(first, store.starts()[i]);
            last = std::max(last, store.starts()[i] + store.durations()[i]);
        }
    if (first > last) // it is all there is, or there is none
        return {store.firstStart(), store.lastEnd() - store.firstStart()};
    return {first, last - first};
}

// Where the iteration begins: the first ProfilerStep annotation, else the first event.
TraceTime iterationStart(const TraceStore& store)
{
    std::vector<bool> is_step(store.names().size());
    for (std::size_t id = 0; id < is_step.size(); ++id)
        is_step[id] = isStepMark(store.names().text(NameId{static_cast<std::uint32_t>(id)}));
    TraceTime first = std::numeric_limits<TraceTime>::max();
    if (std::find(is_step.begin(), is_step.end(), true) != is_step.end())
        for (std::size_t i = 0; i < store.size(); ++i)
            if (is_step[static_cast<std::size_t>(store.nameIds()[i])])
                first = std::min(first, store.starts()[i]);
    return first == std::numeric_limits<TraceTime>::max() ? extentOf(store).start_ns : first;
}

// The kinds and waits of the calls of one file, to be asked in any order.
class CallsOfFile
{
public:
    CallsOfFile(const Measurement& measurement, std::size_t file)
    {
        const auto [first, last] = std::ranges::equal_range(measurement.calls, file, {}, &MeasuredCall::file);
        m_calls = {first, last};
    }
    Kind of(EventIndex event) const
    {
        const auto call = std::ranges::lower_bound(m_calls, event, {}, &MeasuredCall::event);
        return call != m_calls.end() && call->event == event ? call->kind : Kind::unknown;
    }

    std::vector<CallWait> waits() const
    {
        std::vector<CallWait> waits;
        for (const MeasuredCall& call : m_calls)
            if (call.wait_ns > 0)
                waits.push_back({call.event, call.wait_ns});
        return waits;
    }

private:
    std::span<const MeasuredCall> m_calls; // by event
};

// What stands in brackets at the end of a thread's name, "(python3)", when every thread has the same: it
// tells nothing.
std::string commonRemark(const std::vector<Track>& tracks)
{
    std::string remark;
    for (const Track& track : tracks) {
        const std::size_t bracket = track.thread_name.rfind(" (");
        if (track.is_gpu || track.thread_name.empty())
            continue;
        if (bracket == std::string::npos)
            return {};
        const std::string its = track.thread_name.substr(bracket);
        if (!remark.empty() && its != remark)
            return {};
        remark = its;
    }
    return remark;
}

// PyTorch before 1.10 wrote "stream 7" where others have 7.
QString nameOfTid(const Track& track)
{
    const QString prefix = track.is_gpu ? QStringLiteral("stream ") : QStringLiteral("thread ");
    const QString tid = toQString(track.tid);
    return tid.startsWith(prefix) ? tid : prefix + tid;
}

MeasuredTrack trackOf(const Track& track, const TraceStore& store, const EventPaints& paints,
                      const std::string& remark)
{
    MeasuredTrack result;
    bool counts = false;
    bool one_kind = true;
    std::optional<Kind> kind;
    const auto first = static_cast<std::size_t>(track.first);
    for (std::size_t event = first; event < first + track.count; ++event) {
        const LanePaint paint = paints.paint(event);
        counts = counts || isWork(paint);
        if (const std::optional<Kind> its = kindOf(paint)) {
            one_kind = one_kind && (!kind || kind == its);
            kind = its;
        }
    }
    result.is_of_interest = track.is_gpu || counts;
    result.name = toQString(track.thread_name);
    if (!remark.empty() && track.thread_name.ends_with(remark))
        result.name.chop(toQString(remark).size());
    if (result.name.isEmpty())
        result.name = nameOfTid(track);
    if (kind && one_kind && kind != Kind::unknown)
        result.name += QStringLiteral(" · ") + toQString(word(*kind));
    result.rows = TraceRow::rowsOf(store, paints, track);
    return result;
}

MeasuredRank namedRank(const TraceFile& file, std::size_t index, std::shared_ptr<const TraceStore> store)
{
    MeasuredRank rank;
    rank.rank = file.rank;
    rank.file = index;
    rank.store = std::move(store);
    rank.name =
        QStringLiteral("rank %1").arg(file.rank) + (file.rank_is_known ? QString{} : QStringLiteral("?"));
    return rank;
}

void addTracks(MeasuredRank& rank)
{
    const std::string remark = commonRemark(rank.store->tracks());
    for (const Track& track : rank.store->tracks())
        rank.tracks.push_back(trackOf(track, *rank.store, *rank.paints, remark));
    std::ranges::stable_partition(rank.tracks,
                                  [](const MeasuredTrack& track) { return track.is_of_interest; });
}

MeasuredRank rankOf(const TraceFile& file, std::size_t index, const Measurement& measurement,
                    const ClassificationRules& rules)
{
    MeasuredRank rank = namedRank(file, index, file.store);
    const EventClasses classes{*file.store, rules};
    const CallsOfFile kinds{measurement, index};
    ComputePaints compute{*file.store};
    rank.paints = std::make_unique<const EventPaints>(*file.store, [&](EventIndex event) {
        const LanePaint paint = paintOf(classes.of(event));
        if (paint == LanePaint::compute)
            return compute.of(event);
        return kindOf(paint) ? paintOf(kinds.of(event)) : paint;
    });
    rank.overlaps = PaintOverlaps{*file.store, *rank.paints};
    rank.worked = WorkedTime{*file.store, *rank.paints};
    rank.waits = kinds.waits();
    for (const Counter& counter : file.store->counters())
        rank.counters.push_back({toQString(counter.name), CounterCurve{counter}});
    addTracks(rank);
    return rank;
}

MeasuredRank rankOfPasses(const TraceFile& file, std::size_t index,
                          const std::shared_ptr<const TraceStore>& passes)
{
    MeasuredRank rank = namedRank(file, index, passes);
    rank.paints = std::make_unique<const EventPaints>(
        *passes, [&](EventIndex event) { return paintOfPass(*passes, event); });
    rank.worked = WorkedTime{*passes, *rank.paints};
    addTracks(rank);
    return rank;
}

// In the order of the files; those that show nothing over time have none.
std::vector<MeasuredRank> ranksOf(const MeasuredRun& run, const std::optional<DrawnIteration>& iteration)
{
    std::vector<MeasuredRank> ranks;
    for (std::size_t i = 0; i < run.traces.files.size(); ++i) {
        const TraceFile& file = run.traces.files[i];
        if (file.store && file.store->size() > 0)
            ranks.push_back(rankOf(file, i, run.measurement, run.rulesOrShipped()));
        else if (const auto passes = iteration ? passesOf(file, iteration->number) : nullptr)
            ranks.push_back(rankOfPasses(file, i, passes));
    }
    return ranks;
}

QString noteOf(const DrawnIteration& iteration)
{
    return iteration.count == 1 ? QString{}
                                : QStringLiteral("iteration %1, of median length among %2")
                                      .arg(groupedText(iteration.number), groupedText(iteration.count));
}

RankShape shapeOf(const MeasuredRank& rank)
{
    RankShape shape;
    for (const MeasuredTrack& track : rank.tracks)
        shape.tracks.push_back({static_cast<int>(track.rows.size()), track.is_of_interest});
    shape.counters = rank.counters.size();
    return shape;
}

// Files that say they are of the same rank: of several runs, or of several iterations.
void nameApart(std::vector<MeasuredRank>& ranks, const TraceSet& traces)
{
    std::map<QString, std::vector<MeasuredRank*>> alike;
    for (MeasuredRank& rank : ranks)
        alike[rank.name].push_back(&rank);
    for (const auto& [name, those] : alike) {
        if (those.size() < 2)
            continue;
        std::vector<std::string> paths;
        for (const MeasuredRank* rank : those)
            paths.push_back(traces.files[rank->file].path);
        const std::vector<std::string> differences = pathDifferences(paths);
        for (std::size_t i = 0; i < those.size(); ++i)
            if (!differences[i].empty())
                those[i]->name += QStringLiteral(" · ") + toQString(differences[i]);
    }
}

CumulativeBytes measuredTraffic(const MeasuredRun& run, const ClockOffsets& ahead, TraceTime origin_ns)
{
    TrafficRate rate = run.measurement.traffic_rate;
    if (!ahead.empty())
        rate = trafficRate(run.measurement.calls, run.traces, ahead, static_cast<int>(rate.amounts.size()));
    CumulativeBytes curve;
    double sum = 0.0;
    TraceTime time = rate.start_ns - origin_ns;
    if (!rate.amounts.empty())
        curve.add(time, 0.0);
    for (const double amount : rate.amounts) {
        sum += amount;
        curve.add(time += rate.bin_ns, sum);
    }
    return curve;
}

} // namespace

std::shared_ptr<const MeasuredLanes> measuredLanes(std::shared_ptr<const MeasuredRun> source, bool one_clock)
{
    auto lanes = std::make_shared<MeasuredLanes>();
    const MeasuredRun& run = *source;
    lanes->run = std::move(source);
    const auto ahead = one_clock ? offsetsToTakeOut(run.measurement.cross_rank) : ClockOffsets{};
    lanes->has_one_clock = !ahead.empty();
    const std::optional<DrawnIteration> iteration = drawnIteration(run.traces);
    lanes->shows_passes = iteration.has_value();
    lanes->iteration_note = iteration ? noteOf(*iteration) : QString{};
    lanes->ranks = ranksOf(run, iteration);
    TraceTime origin = std::numeric_limits<TraceTime>::max();
    TraceTime first = origin;
    TraceTime last = std::numeric_limits<TraceTime>::min();
    for (MeasuredRank& rank : lanes->ranks) {
        if (const auto offset = ahead.find(rank.rank); offset != ahead.end())
            rank.clock_ahead_ns = offset->second;
        else if (!ahead.empty())
            ++lanes->ranks_apart;
        origin = std::min(origin, iterationStart(*rank.store) - rank.clock_ahead_ns);
        const TimeRange extent = extentOf(*rank.store);
        first = std::min(first, extent.start_ns - rank.clock_ahead_ns);
        last = std::max(last, extent.end_ns() - rank.clock_ahead_ns);
    }
    if (lanes->ranks.empty())
        return nullptr;
    nameApart(lanes->ranks, run.traces);
    for (const MeasuredRank& rank : lanes->ranks)
        lanes->shapes.push_back(shapeOf(rank));
    for (const MeasuredRank& rank : lanes->ranks)
        for (std::size_t event = 0; event < rank.store->size(); ++event)
            lanes->paints[static_cast<std::size_t>(rank.paints->paint(event))] = true;
    lanes->origin_ns = origin;
    first = std::max(first, origin - longest_run_ns);
    lanes->whole = {first - origin, std::clamp<TraceTime>(last - first, 1, longest_run_ns)};
    lanes->traffic = measuredTraffic(run, ahead, origin);
    lanes->traffic_is_bytes = run.measurement.traffic_rate.of == TrafficOf::bytes_sent;
    return lanes;
}

std::int64_t eventsOf(const MeasuredRun& run)
{
    std::int64_t events = 0;
    for (const TraceFile& file : run.traces.files)
        if (file.store)
            events += static_cast<std::int64_t>(file.store->size());
    return events;
}

} // namespace shardscope
