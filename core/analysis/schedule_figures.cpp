#include "core/analysis/schedule_figures.h"

#include "core/base/median.h"

#include <algorithm>
#include <map>

namespace shardscope
{

namespace
{

// One stage's passes of one iteration.
struct StagePasses {
    double first_s = 0.0;
    double last_s = 0.0;
    double busy_s = 0.0;
    int forwards = 0;
    int passes = 0;

    void add(const ScheduleSpan& span)
    {
        first_s = passes ? std::min(first_s, span.start_s) : span.start_s;
        last_s = passes ? std::max(last_s, span.end_s) : span.end_s;
        busy_s += span.end_s - span.start_s;
        forwards += span.is_forward;
        ++passes;
    }
};

} // namespace

std::vector<MeasuredTimer> timerFigures(const TraceSet& traces)
{
    std::vector<std::string> order;
    std::map<std::string, std::vector<double>> values;
    for (const TraceFile& file : traces.files)
        for (const TimerRecord& timer : file.timers) {
            const auto [known, is_new] = values.try_emplace(timer.name);
            if (is_new)
                order.push_back(timer.name);
            known->second.insert(known->second.end(), timer.values_s.begin(), timer.values_s.end());
        }
    std::vector<MeasuredTimer> timers;
    for (const std::string& name : order)
        if (const auto& all = values[name]; !all.empty())
            timers.push_back({name, static_cast<std::int64_t>(all.size()), median(all)});
    return timers;
}

std::optional<MeasuredBubble> bubbleFigures(const TraceSet& traces)
{
    std::map<std::int64_t, std::map<std::int64_t, StagePasses>> iterations; // by iteration, rank
    for (const TraceFile& file : traces.files)
        for (const ScheduleSpan& span : file.schedule)
            iterations[span.iteration][file.rank].add(span);
    std::vector<double> measured;
    std::vector<double> ideal;
    std::vector<double> lengths_s;
    std::map<std::int64_t, std::vector<double>> busy_of_rank_s;
    for (const auto& [iteration, stages] : iterations) {
        double longest_s = 0.0;
        double busy_s = 0.0;
        int forwards = 0;
        for (const auto& [rank, passes] : stages) {
            longest_s = std::max(longest_s, passes.last_s - passes.first_s);
            busy_s += passes.busy_s;
            forwards = std::max(forwards, passes.forwards);
        }
        const double p = static_cast<double>(stages.size());
        if (longest_s <= 0.0)
            continue;
        measured.push_back(1.0 - busy_s / p / longest_s);
        ideal.push_back((p - 1.0) / (p - 1.0 + forwards));
        lengths_s.push_back(longest_s);
        for (const auto& [rank, passes] : stages)
            busy_of_rank_s[rank].push_back(passes.busy_s);
    }
    if (measured.empty())
        return std::nullopt;
    MeasuredBubble bubble{
        median(measured), median(ideal), static_cast<std::int64_t>(measured.size()), median(lengths_s), {}};
    for (const auto& [rank, busy_s] : busy_of_rank_s)
        bubble.ranks.push_back({rank, median(busy_s)});
    return bubble;
}

} // namespace shardscope
