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

constexpr const char* kernel = "kernel"; // the category of what importers count

enum class Lane : int { compute = 1, communication, waiting, beneath };

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

// "attention 12 backward" of layer 12; messages as those of nameOf().
std::string nameOf(const PassPart& part)
{
    std::string name;
    if (part.is_message)
        name = "predicted:" + std::string{word(part.kind)};
    else
        name = std::string{part.what} + (part.layer < 0 ? "" : ' ' + std::to_string(part.layer));
    return name + ' ' + std::string{word(part.phase)};
}

// PyTorch's names, as its profiler writes them.
std::string_view profilerName(Op op)
{
    switch (op) {
    case Op::all_reduce:
        return "allreduce";
    case Op::all_gather:
        return "_allgather_base";
    case Op::reduce_scatter:
        return "_reduce_scatter_base";
    default:
        return word(op);
    }
}

std::string_view profilerName(Dtype dtype)
{
    switch (dtype) {
    case Dtype::fp32:
        return "Float";
    case Dtype::fp16:
        return "Half";
    case Dtype::bf16:
        return "BFloat16";
    case Dtype::fp8:
        return "Float8_e4m3fn";
    case Dtype::int64:
        break;
    }
    return "Long";
}

// What tells importers the size of one call: the part of an all_gather that goes in, the whole that comes
// out.
void writeCall(const PassPart& part, JsonWriter& json)
{
    const std::int64_t elements = part.message_bytes / bytesPerElement(part.dtype);
    const std::int64_t shard = elements / std::max(1, part.group_size);
    json.member("Collective name", profilerName(part.op));
    json.member("dtype", profilerName(part.dtype));
    json.member("In msg nelems", part.op == Op::all_gather ? shard : elements);
    json.member("Out msg nelems", part.op == Op::reduce_scatter ? shard : elements);
    json.member("Group size", part.group_size);
}

std::string argumentsOf(const PassPart& part, const TimelineSpan& span)
{
    JsonWriter json{-1};
    json.beginObject();
    json.member("stage", span.stage);
    json.member("micro_batch", span.micro_batch);
    if (part.layer >= 0)
        json.member("layer", part.layer);
    if (part.is_message) {
        json.member("kind", word(part.kind));
        json.member("what", part.what);
        writeCall(part, json);
    }
    json.endObject();
    return json.take();
}

// An event but for the process that it stands in.
struct EventText {
    std::string before; // up to "pid":
    std::string after;
};

// The events of a stage as text. Ranks of a stage do the same.
class StageEvents
{
public:
    // Spans and passes begin where the ones before them end, to the nanosecond.
    void add(Lane lane, const char* category, const std::string& name, double start_s, double end_s,
             const std::string& arguments)
    {
        const std::int64_t start_ns = nanoseconds(start_s);
        const std::int64_t end_ns = nanoseconds(end_s);
        if (end_ns <= start_ns)
            return;
        EventText text;
        text.before = R"({"ph":"X","cat":")" + std::string{category} + R"(","name":")" + name + R"(","pid":)";
        text.after = R"(,"tid":)" + std::to_string(static_cast<int>(lane)) + R"(,"ts":)"
                     + microseconds(start_ns) + R"(,"dur":)" + microseconds(end_ns - start_ns) + R"(,"args":)"
                     + arguments + '}';
        m_events.push_back(std::move(text));
    }
    void add(Lane lane, const TimelineSpan& span)
    {
        add(lane, lane == Lane::waiting ? "bubble" : kernel, nameOf(span), span.start_s, span.end_s(),
            argumentsOf(span));
    }
    void add(const PassParts& pass, const TimelineSpan& span)
    {
        const auto addPart = [&](Lane lane, const PassPart& part) {
            const auto calls = std::max<std::int64_t>(1, std::llround(part.calls));
            const double each_s = part.duration_s / static_cast<double>(calls);
            const double start_s = span.start_s + part.start_s;
            const std::string arguments = argumentsOf(part, span);
            const char* category = part.is_rest ? "rest" : kernel; // counted once
            for (std::int64_t i = 0; i < calls; ++i)
                add(lane, category, nameOf(part), start_s + static_cast<double>(i) * each_s,
                    start_s + static_cast<double>(i + 1) * each_s, arguments);
        };
        for (const PassPart& part : pass.in_turn)
            addPart(part.is_message ? Lane::communication : Lane::compute, part);
        for (const PassPart& part : pass.beside)
            addPart(Lane::beneath, part);
    }

    const std::vector<EventText>& texts() const { return m_events; }

private:
    std::vector<EventText> m_events;
};

std::vector<StageEvents> eventsOf(const PredictedTimeline& timeline, TimelineDetail detail,
                                  const std::vector<bool>& is_wanted)
{
    std::vector<StageEvents> stages(static_cast<std::size_t>(timeline.stages));
    double pass_end_s = 0.0; // spans before are in the parts of a pass
    int stage = -1;
    for (const TimelineSpan& span : timeline.spans) {
        if (span.stage != stage) {
            stage = span.stage;
            pass_end_s = 0.0;
        }
        const auto index = static_cast<std::size_t>(stage);
        if (!is_wanted[index] || span.start_s + 0.5 * span.duration_s < pass_end_s)
            continue;
        if (detail == TimelineDetail::passes || span.pass < 0) {
            stages[index].add(laneOf(span.activity), span);
            continue;
        }
        const PassParts& pass = timeline.passes[static_cast<std::size_t>(span.pass)];
        stages[index].add(pass, span);
        pass_end_s = span.start_s + pass.duration_s;
    }
    for (const TimelineSpan& span : timeline.hidden)
        if (is_wanted[static_cast<std::size_t>(span.stage)])
            stages[static_cast<std::size_t>(span.stage)].add(Lane::beneath, span);
    return stages;
}

// Of all stages together, at most.
std::size_t eventCount(const PredictedTimeline& timeline, TimelineDetail detail)
{
    std::size_t count = timeline.spans.size() + timeline.hidden.size();
    if (detail == TimelineDetail::layers)
        for (const TimelineSpan& span : timeline.spans)
            if (span.pass >= 0) {
                const PassParts& pass = timeline.passes[static_cast<std::size_t>(span.pass)];
                count += pass.in_turn.size() + pass.beside.size();
            }
    return count;
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
                                     {Lane::waiting, "waiting"},
                                     {Lane::beneath, "communication beneath"}}) {
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

void writeTimelineTrace(const Scenario& scenario, const PredictedTimeline& timeline, TimelineDetail detail,
                        std::span<const std::int64_t> ranks,
                        const std::function<void(std::string_view)>& write)
{
    const RankLayout layout{scenario.parallel};
    std::vector<bool> is_wanted(static_cast<std::size_t>(timeline.stages));
    for (const std::int64_t rank : ranks)
        is_wanted[static_cast<std::size_t>(layout.coordinates(rank).pp)] = true;
    const std::vector<StageEvents> stages = eventsOf(timeline, detail, is_wanted);
    write(opening(scenario, ranks));
    std::string text;
    for (const std::int64_t rank : ranks) {
        const RankCoordinates place = layout.coordinates(rank);
        text = rank == ranks.front() ? "" : ",\n";
        text += describe(rank, place, scenario.parallel);
        const std::string pid = std::to_string(rank);
        for (const EventText& event : stages[static_cast<std::size_t>(place.pp)].texts())
            text.append(",\n").append(event.before).append(pid).append(event.after);
        write(text);
    }
    write("\n]}\n");
}

namespace
{

Result<bool> saveFile(const std::filesystem::path& file, const Scenario& scenario,
                      const PredictedTimeline& timeline, TimelineDetail detail,
                      std::span<const std::int64_t> ranks)
{
    Result<GzipFile> output = GzipFile::create(file);
    if (!output)
        return Error{file.string() + ": " + output.error().sentence};
    writeTimelineTrace(scenario, timeline, detail, ranks,
                       [&](std::string_view text) { output.value().write(text); });
    Result<bool> finished = output.value().finish();
    if (!finished)
        return Error{file.string() + ": " + finished.error().sentence};
    return finished;
}

} // namespace

Result<bool> saveTimelineTrace(const std::filesystem::path& file, const Scenario& scenario,
                               const PredictedTimeline& timeline, TimelineDetail detail,
                               std::span<const std::int64_t> ranks)
{
    constexpr std::size_t most_events = 20'000'000;
    const std::size_t each =
        eventCount(timeline, detail) / static_cast<std::size_t>(std::max(1, timeline.stages));
    if (each > 0 && ranks.size() > most_events / each)
        return Error{file.string() + ": " + std::to_string(ranks.size()) + " ranks with "
                     + std::to_string(each)
                     + " events each are more than any viewer takes; choose some of the ranks"};
    std::error_code ignored;
    if (!std::filesystem::is_directory(file, ignored))
        return saveFile(file, scenario, timeline, detail, ranks);
    for (const std::int64_t& rank : ranks)
        if (auto saved = saveFile(file / ("rank-" + std::to_string(rank) + ".json.gz"), scenario, timeline,
                                  detail, {&rank, 1});
            !saved)
            return saved;
    return true;
}

} // namespace shardscope
