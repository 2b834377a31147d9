#include "core/analysis/analyze.h"

#include "core/analysis/calls/call_kinds.h"
#include "core/analysis/calls/cross_rank.h"
#include "core/analysis/calls/layout_choice.h"
#include "core/analysis/calls/measured_matrix.h"
#include "core/analysis/calls/message_rows.h"
#include "core/analysis/calls/repeated_calls.h"
#include "core/analysis/calls/traffic_rate.h"
#include "core/analysis/calls/transfer_rows.h"
#include "core/analysis/calls/unfinished_calls.h"
#include "core/analysis/digest/digest_rank.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/analysis/measured_memory.h"
#include "core/analysis/rank_figures.h"
#include "core/analysis/schedule_figures.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

std::vector<EventClasses> classify(const TraceSet& traces, const AnalysisOptions& options)
{
    const std::shared_ptr<const TraceStore> nothing = TraceBuilder{}.finish();
    std::vector<EventClasses> classes;
    for (const TraceFile& file : traces.files)
        classes.emplace_back(file.store ? *file.store : *nothing, options.rulesOrShipped());
    for (std::size_t f = 0; f < traces.files.size() && options.step; ++f)
        if (traces.files[f].store)
            keepStep(*traces.files[f].store, *options.step, classes[f]);
    return classes;
}

LayoutChoice findKinds(const TraceSet& traces, const std::vector<EventClasses>& classes,
                       const AnalysisOptions& options, CallList& list, std::vector<std::string>& notes)
{
    findToldKinds(traces, classes, options.rulesOrShipped(), list);
    const LayoutChoice layout = findKindsByLayouts(traces, options, list, notes);
    findKindsOfOnlyGroup(traces, list);
    findGroupOfAllRanks(traces, list, notes);
    return layout;
}

// The calls that stand on a timeline, with what the other ranks' share of them tells.
std::vector<MeasuredCall> timedCalls(const CallList& list, const std::vector<MatchedCall>& matched)
{
    std::vector<std::int32_t> match(list.calls.size(), -1);
    std::vector<std::int64_t> wait_ns(list.calls.size(), -1);
    for (std::size_t m = 0; m < matched.size(); ++m)
        for (const Call* call : matched[m].calls) {
            const auto row = static_cast<std::size_t>(call - list.calls.data());
            match[row] = static_cast<std::int32_t>(m);
            wait_ns[row] = call->duration_ns - transferTime(matched[m]);
        }
    std::vector<MeasuredCall> timed;
    for (std::size_t row = 0; row < list.calls.size(); ++row)
        if (const Call& call = list.calls[row]; call.is_timed)
            timed.push_back({call.file, call.event, call.kind, call.op, call.message_bytes, call.group_size,
                             call.exposed_ns, wait_ns[row], match[row]});
    std::ranges::sort(timed, {}, [](const MeasuredCall& call) { return std::pair{call.file, call.event}; });
    return timed;
}

void keepStep(std::vector<RankMeasurement>& ranks, std::int64_t number)
{
    for (RankMeasurement& rank : ranks)
        std::erase_if(rank.steps, [&](const StepMeasurement& step) { return step.number != number; });
}

std::vector<std::int64_t> ranksWithTimeline(const std::vector<RankMeasurement>& measured)
{
    std::vector<std::int64_t> ranks;
    for (const RankMeasurement& rank : measured)
        if (rank.has_timeline)
            ranks.push_back(rank.rank);
    return ranks;
}

// The tables of all files, numbered one after the other.
std::vector<BandwidthPoint> bandwidthPoints(const TraceSet& traces)
{
    std::vector<BandwidthPoint> points;
    int tables = 0; // of the files before
    for (const TraceFile& file : traces.files) {
        for (BandwidthPoint point : file.points) {
            point.table += tables;
            points.push_back(std::move(point));
        }
        tables = points.empty() ? 0 : points.back().table + 1;
    }
    return points;
}

} // namespace

Measurement analyze(const TraceSet& traces, const AnalysisOptions& options)
{
    Measurement result;
    result.step = options.step;
    const std::vector<EventClasses> classes = classify(traces, options);
    CallList list = communicationCalls(traces, classes);
    if (options.step)
        result.notes.push_back("only what belongs to ProfilerStep#" + std::to_string(*options.step)
                               + " is counted");
    noteRepeatedCalls(traces, list.is_repeated, result.notes);
    const LayoutChoice layout = findKinds(traces, classes, options, list, result.notes);
    result.is_of_known_layout = layout.scenario != nullptr && layout.scenario == options.known_layout;
    result.other_order = layout.other_order;
    result.knows_all_kinds =
        std::ranges::none_of(list.calls, [](const Call& call) { return call.kind == Kind::unknown; });
    result.ranks = measureRanks(traces, classes, options, list, result.notes);
    noteDigests(traces, options, result.notes);
    if (options.step)
        keepStep(result.ranks, *options.step);
    const std::vector<std::int64_t> ranks = ranksWithTimeline(result.ranks);
    std::vector<MatchedCall> matched;
    if (ranks.size() > 1)
        matched = matchCalls(traces, list, result.notes);
    result.cross_rank = measureAcrossRanks(matched, ranks);
    noteImpossibleClocks(result.cross_rank, result.notes);
    result.message_histogram = messageHistogram(list, result.notes);
    result.matrix = measuredMatrix(
        traces, list, layout.scenario != nullptr ? &layout.scenario->parallel : nullptr, result.notes);
    result.calls = timedCalls(list, matched);
    if (const auto note = partlyReadNote(result.calls); note && !matched.empty())
        result.notes.push_back(*note);
    result.traffic_rate = trafficRate(list, options.traffic_bins);
    result.timers = timerFigures(traces);
    result.bubble = bubbleFigures(traces);
    result.memory = measuredMemory(traces);
    result.points = bandwidthPoints(traces);
    result.unfinished = unfinishedCollectives(traces, result.notes);
    return result;
}

} // namespace shardscope
