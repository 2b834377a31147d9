#include "widgets/panels/timeline/schedule_passes.h"

#include "core/base/nanoseconds.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

namespace
{

constexpr std::string_view forward = "forward";
constexpr std::string_view backward = "backward";
constexpr double longest_s = 1e9; // what is damaged beyond is left out: nanoseconds stay in range

bool canBeDrawn(const ScheduleSpan& span)
{
    return span.start_s >= 0.0 && span.end_s >= span.start_s && span.end_s <= longest_s;
}

bool hasEvents(const TraceFile& file)
{
    return file.store && file.store->size() > 0;
}

struct Iteration {
    double first_s = longest_s;
    double last_s = 0.0;
    double length_s() const { return last_s - first_s; }
};

} // namespace

std::optional<DrawnIteration> drawnIteration(const TraceSet& traces)
{
    if (std::ranges::any_of(traces.files, hasEvents))
        return std::nullopt;
    std::map<std::int64_t, Iteration> iterations; // all stages begin to count at the same moment
    for (const TraceFile& file : traces.files)
        for (const ScheduleSpan& span : file.schedule)
            if (canBeDrawn(span)) {
                Iteration& its = iterations[span.iteration];
                its.first_s = std::min(its.first_s, span.start_s);
                its.last_s = std::max(its.last_s, span.end_s);
            }
    if (iterations.empty())
        return std::nullopt;
    std::vector<std::pair<double, std::int64_t>> by_length;
    for (const auto& [number, iteration] : iterations)
        by_length.emplace_back(iteration.length_s(), number);
    const auto median = by_length.begin() + static_cast<std::ptrdiff_t>((by_length.size() - 1) / 2);
    std::ranges::nth_element(by_length, median);
    return DrawnIteration{median->second, static_cast<std::int64_t>(by_length.size())};
}

std::shared_ptr<const TraceStore> passesOf(const TraceFile& file, std::int64_t iteration)
{
    std::vector<ScheduleSpan> spans;
    for (const ScheduleSpan& span : file.schedule)
        if (span.iteration == iteration && canBeDrawn(span))
            spans.push_back(span);
    if (spans.empty())
        return nullptr;
    std::ranges::stable_sort(spans, {}, &ScheduleSpan::start_s);
    TraceBuilder builder;
    Track track;
    track.pid = "0";
    track.tid = "passes";
    track.thread_name = "passes";
    const TrackIndex passes = builder.addTrack(std::move(track));
    int forwards = 0;
    int backwards = 0;
    for (const ScheduleSpan& span : spans) {
        const std::string_view direction = span.is_forward ? forward : backward;
        const int place = span.is_forward ? ++forwards : ++backwards;
        const TraceTime start = nanoseconds(span.start_s);
        builder.addEvent(passes, start, nanoseconds(span.end_s) - start,
                         std::string{direction} + ' ' + std::to_string(place), direction);
    }
    return builder.finish();
}

LanePaint paintOfPass(const TraceStore& passes, EventIndex pass)
{
    return passes.category(pass) == forward ? LanePaint::forward : LanePaint::backward;
}

} // namespace shardscope
