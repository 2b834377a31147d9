#include "core/report/timeline_trace.h"

#include "core/base/gzip_file.h"
#include "core/base/json_writer.h"
#include "core/prediction/rank_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

namespace shardscope
{

namespace
{

enum class Lane : int { compute = 1, communication, waiting };

Lane laneOf(Activity activity)
{
    switch (activity) {
    case Activity::communication:
        return Lane::communication;
    case Activity::bubble:
        return Lane::waiting;
    default:
        return Lane::compute;
    }
}

std::string_view workWord(const TimelineSpan& span)
{
    switch (span.activity) {
    case Activity::forward:
        return "forward";
    case Activity::weight_gradient:
        return "weight gradient";
    case Activity::bubble:
        return "bubble";
    default:
        return span.isOptimizer() ? "optimizer" : "backward";
    }
}

// "forward 3", where viewers colour by the name without its number; "predicted:tp backward", which the rules
// of classification know.
std::string nameOf(const TimelineSpan& span)
{
    if (span.activity == Activity::communication)
        return "predicted:" + std::string{word(span.kind)} + ' ' + std::string{word(span.phase)};
    std::string name{workWord(span)};
    if (span.micro_batch >= 0)
        name += ' ' + std::to_string(span.micro_batch);
    return name;
}

std::int64_t nanoseconds(double seconds)
{
    return std::llround(seconds * 1e9);
}

std::string microseconds(std::int64_t ns)
{
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                  static_cast<long long>(ns % 1000));
    return text;
}

// What a viewer shows of a span that is clicked.
std::string argumentsOf(const TimelineSpan& span)
{
    JsonWriter json{-1};
    json.beginObject();
    json.member("stage", span.stage);
    if (span.micro_batch >= 0)
        json.member("micro_batch", span.micro_batch);
    if (span.activity == Activity::communication) {
        json.member("kind", word(span.kind));
        json.member("phase", word(span.phase));
        json.member("message_bytes", span.message_bytes);
        json.member("calls", span.count);
    }
    if (span.activity == Activity::bubble)
        json.member("cause", word(span.cause));
    json.endObject();
    return json.take();
}

// An event but for the process that it stands in.
struct EventText {
    std::string before; // up to "pid":
    std::string after;
};

EventText textOf(const TimelineSpan& span, std::int64_t start_ns, std::int64_t end_ns)
{
    const bool counted = span.activity != Activity::bubble;
    EventText text;
    text.before = R"({"ph":"X","cat":")" + std::string{counted ? "kernel" : "bubble"} + R"(","name":")"
                  + nameOf(span) + R"(","pid":)";
    text.after = R"(,"tid":)" + std::to_string(static_cast<int>(laneOf(span.activity))) + R"(,"ts":)"
                 + microseconds(start_ns) + R"(,"dur":)" + microseconds(end_ns - start_ns) + R"(,"args":)"
                 + argumentsOf(span) + '}';
    return text;
}

// The spans of every stage as text. Ranks of a stage do the same.
std::vector<std::vector<EventText>> textsOf(const PredictedTimeline& timeline)
{
    std::vector<std::vector<EventText>> stages(static_cast<std::size_t>(timeline.stages));
    for (const TimelineSpan& span : timeline.spans) {
        const std::int64_t start = nanoseconds(span.start_s);
        const std::int64_t end = nanoseconds(span.start_s + span.duration_s);
        if (end > start)
            stages[static_cast<std::size_t>(span.stage)].push_back(textOf(span, start, end));
    }
    return stages;
}

std::string metadata(std::string_view what, std::int64_t rank, int lane, const auto& value)
{
    JsonWriter json{-1};
    json.beginObject();
    json.member("ph", "M");
    json.member("name", what);
    json.member("pid", rank);
    if (lane > 0)
        json.member("tid", lane);
    json.key("args");
    json.beginObject();
    json.member(what.ends_with("sort_index") ? "sort_index" : "name", value);
    json.endObject();
    json.endObject();
    return json.take();
}

std::string processName(std::int64_t rank, const RankCoordinates& place, const Parallel& parallel)
{
    std::string name = "rank " + std::to_string(rank) + ": stage " + std::to_string(place.pp);
    const auto add = [&](const char* axis, std::int64_t size, int where) {
        if (size > 1)
            name += std::string{", "} + axis + ' ' + std::to_string(where);
    };
    add("tp", parallel.tensor, place.tp);
    add("cp", parallel.context, place.cp);
    add("dp", parallel.data, place.dp);
    add("ep", parallel.expert, place.ep);
    return name;
}

// Names and order of a rank's process and lanes.
std::string describe(std::int64_t rank, const RankCoordinates& place, const Parallel& parallel)
{
    std::string text = metadata("process_name", rank, 0, processName(rank, place, parallel)) + ",\n"
                       + metadata("process_sort_index", rank, 0, rank);
    for (const auto& [lane, name] : {std::pair{Lane::compute, "compute"},
                                     {Lane::communication, "communication"},
                                     {Lane::waiting, "waiting"}}) {
        const int number = static_cast<int>(lane);
        text += ",\n" + metadata("thread_name", rank, number, name) + ",\n"
                + metadata("thread_sort_index", rank, number, number);
    }
    return text;
}

// The document up to its first event.
std::string opening(const Scenario& scenario, std::span<const std::int64_t> ranks)
{
    JsonWriter json{-1};
    json.beginObject();
    if (ranks.size() == 1) {
        json.key("distributedInfo");
        json.beginObject();
        json.member("rank", ranks.front());
        json.member("world_size", scenario.worldSize());
        json.endObject();
    }
    json.member("displayTimeUnit", "ns");
    json.key("otherData");
    json.beginObject();
    json.member("what", "predicted timeline of one iteration");
    json.member("scenario", scenario.name);
    json.endObject();
    json.key("traceEvents");
    json.beginArray();
    return json.take();
}

} // namespace

void writeTimelineTrace(const Scenario& scenario, const PredictedTimeline& timeline,
                        std::span<const std::int64_t> ranks,
                        const std::function<void(std::string_view)>& write)
{
    const RankLayout layout{scenario.parallel};
    const auto stages = textsOf(timeline);
    write(opening(scenario, ranks));
    std::string text;
    for (const std::int64_t rank : ranks) {
        const RankCoordinates place = layout.coordinates(rank);
        text = rank == ranks.front() ? "" : ",\n";
        text += describe(rank, place, scenario.parallel);
        const std::string pid = std::to_string(rank);
        for (const EventText& event : stages[static_cast<std::size_t>(place.pp)])
            text.append(",\n").append(event.before).append(pid).append(event.after);
        write(text);
    }
    write("\n]}\n");
}

namespace
{

Result<bool> saveFile(const std::filesystem::path& file, const Scenario& scenario,
                      const PredictedTimeline& timeline, std::span<const std::int64_t> ranks)
{
    Result<GzipFile> output = GzipFile::create(file);
    if (!output)
        return Error{file.string() + ": " + output.error().sentence};
    writeTimelineTrace(scenario, timeline, ranks, [&](std::string_view text) { output.value().write(text); });
    Result<bool> finished = output.value().finish();
    if (!finished)
        return Error{file.string() + ": " + finished.error().sentence};
    return finished;
}

} // namespace

Result<bool> saveTimelineTrace(const std::filesystem::path& file, const Scenario& scenario,
                               const PredictedTimeline& timeline, std::span<const std::int64_t> ranks)
{
    constexpr std::size_t most_events = 20'000'000;
    const std::size_t each = timeline.spans.size() / static_cast<std::size_t>(std::max(1, timeline.stages));
    if (each > 0 && ranks.size() > most_events / each)
        return Error{file.string() + ": " + std::to_string(ranks.size()) + " ranks with "
                     + std::to_string(each)
                     + " spans each are more than any viewer takes; choose some of the ranks"};
    std::error_code ignored;
    if (!std::filesystem::is_directory(file, ignored))
        return saveFile(file, scenario, timeline, ranks);
    for (const std::int64_t& rank : ranks)
        if (auto saved = saveFile(file / ("rank-" + std::to_string(rank) + ".json.gz"), scenario, timeline,
                                  {&rank, 1});
            !saved)
            return saved;
    return true;
}

} // namespace shardscope
