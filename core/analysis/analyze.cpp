#include "core/analysis/analyze.h"

#include "core/analysis/breakdown.h"
#include "core/analysis/call_kinds.h"
#include "core/analysis/cross_rank.h"
#include "core/analysis/layout_kinds.h"
#include "core/analysis/measured_matrix.h"
#include "core/analysis/message_rows.h"
#include "core/analysis/schedule_figures.h"
#include "core/analysis/traffic_rate.h"
#include "core/prediction/prediction.h"

#include <algorithm>
#include <map>

namespace shardscope
{

namespace
{

std::vector<EventClasses> classify(const TraceSet& traces, const ClassificationRules& rules)
{
    const TraceStore nothing;
    std::vector<EventClasses> classes;
    for (const TraceFile& file : traces.files)
        classes.emplace_back(file.store ? *file.store : nothing, rules);
    return classes;
}

void findKinds(const TraceSet& traces, const std::vector<EventClasses>& classes,
               const AnalysisOptions& options, CallList& list, std::vector<std::string>& notes)
{
    findToldKinds(traces, classes, options.rules, list);
    if (options.layout) {
        const Result<Prediction> prediction = predict(*options.layout);
        if (prediction)
            findKindsByLayout(traces, *options.layout, prediction.value(), list, notes);
        else
            notes.push_back(std::string{"the scenario's layout does not tell kinds: "}.append(
                prediction.error().sentence));
    }
    findKindsOfOnlyGroup(traces, list);
}

std::vector<RankMeasurement> measureRanks(const TraceSet& traces, const std::vector<EventClasses>& classes,
                                          const CallList& list, std::vector<std::string>& notes)
{
    std::map<std::int64_t, RankMeasurement> ranks;
    std::map<std::int64_t, int> files;
    for (std::size_t f = 0; f < traces.files.size(); ++f) {
        const TraceFile& file = traces.files[f];
        const bool has_timeline = file.store && (file.store->size() > 0 || file.calls.empty());
        if (file.status == FileStatus::rejected || (!has_timeline && file.calls.empty()))
            continue;
        RankMeasurement& rank = ranks[file.rank];
        rank.rank = file.rank;
        ++files[file.rank];
        if (!has_timeline)
            continue;
        rank.has_timeline = true;
        addBreakdown(*file.store, classes[f], rank);
    }
    std::vector<RankMeasurement> measured;
    for (auto& [number, rank] : ranks) {
        rank.collectives = collectiveRows(list, number);
        measured.push_back(std::move(rank));
        if (files[number] > 1)
            notes.push_back(std::to_string(files[number]) + " files claim rank " + std::to_string(number)
                            + ": their times and calls are added up");
    }
    return measured;
}

std::vector<MeasuredCall> timedCalls(const CallList& list)
{
    std::vector<MeasuredCall> timed;
    for (const Call& call : list.calls)
        if (call.is_timed)
            timed.push_back({call.file, call.event, call.kind, call.op, call.message_bytes, call.group_size});
    std::ranges::sort(timed, {}, [](const MeasuredCall& call) { return std::pair{call.file, call.event}; });
    return timed;
}

} // namespace

Measurement analyze(const TraceSet& traces, const AnalysisOptions& options)
{
    Measurement result;
    const std::vector<EventClasses> classes = classify(traces, options.rules);
    CallList list = communicationCalls(traces, classes);
    findKinds(traces, classes, options, list, result.notes);
    result.ranks = measureRanks(traces, classes, list, result.notes);
    std::vector<std::int64_t> ranks;
    for (const RankMeasurement& rank : result.ranks)
        if (rank.has_timeline)
            ranks.push_back(rank.rank);
    if (ranks.size() > 1)
        result.cross_rank = measureAcrossRanks(matchCalls(traces, list, result.notes), ranks);
    result.message_histogram = messageHistogram(list, result.notes);
    result.matrix = measuredMatrix(traces, list, result.notes);
    result.calls = timedCalls(list);
    result.traffic_rate = trafficRate(list, options.traffic_bins);
    result.timers = timerFigures(traces);
    result.bubble = bubbleFigures(traces);
    for (const TraceFile& file : traces.files)
        result.points.insert(result.points.end(), file.points.begin(), file.points.end());
    return result;
}

} // namespace shardscope
