#include "core/report/timeline/timeline_events.h"

#include "core/base/json_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace shardscope
{

namespace
{

constexpr const char* kernel = "kernel"; // the category of what importers count

ExportedLane laneOf(Activity activity)
{
    switch (activity) {
    case Activity::communication:
        return ExportedLane::communication;
    case Activity::bubble:
        return ExportedLane::waiting;
    default:
        return ExportedLane::compute;
    }
}

ExportedLane laneOf(CallsOf calls)
{
    switch (calls) {
    case CallsOf::stages:
        return ExportedLane::stages;
    case CallsOf::sends:
        return ExportedLane::sends;
    case CallsOf::replicas:
        return ExportedLane::replicas;
    case CallsOf::step:
        break;
    }
    return ExportedLane::communication;
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

// Which the rules of classification know.
std::string nameOf(Kind kind, Phase phase)
{
    return "predicted:" + std::string{word(kind)} + ' ' + std::string{word(phase)};
}

// "forward 3", where viewers colour by the name without its number; "predicted:tp backward", which the rules
// of classification know.
std::string nameOf(const TimelineSpan& span)
{
    if (span.activity == Activity::communication)
        return nameOf(span.kind, span.phase);
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

// "attention 12 backward" of layer 12; messages as those of nameOf().
std::string nameOf(const PassPart& part)
{
    if (part.is_message)
        return nameOf(part.kind, part.phase);
    return std::string{part.what} + (part.layer < 0 ? "" : ' ' + std::to_string(part.layer)) + ' '
           + std::string{word(part.phase)};
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

// What tells importers the size of one call.
void writeCall(std::string_view name, std::string_view dtype, std::int64_t in, std::int64_t out,
               int group_size, JsonWriter& json)
{
    json.member("Collective name", name);
    json.member("dtype", dtype);
    json.member("In msg nelems", in);
    json.member("Out msg nelems", out);
    json.member("Group size", group_size);
}

// Of an all_gather a part goes in and the whole comes out, of a reduce_scatter the other way round.
void writeCall(Op op, Dtype dtype, std::int64_t message_bytes, int group_size, JsonWriter& json)
{
    const std::int64_t elements = message_bytes / bytesPerElement(dtype);
    const std::int64_t shard = elements / std::max(1, group_size);
    writeCall(profilerName(op), profilerName(dtype), op == Op::all_gather ? shard : elements,
              op == Op::reduce_scatter ? shard : elements, group_size, json);
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
        if (span.bucket >= 0)
            json.member("bucket", span.bucket);
        if (span.all_count > 0) {
            json.member("calls_of_all_sizes", span.all_count);
            json.member("bytes_of_all_sizes", span.all_bytes);
        }
        if (span.group_size > 0) // a message by itself; its bytes are what is known of it
            writeCall(profilerName(span.op), "Byte", span.message_bytes, span.message_bytes, span.group_size,
                      json);
    }
    if (span.activity == Activity::bubble)
        json.member("cause", word(span.cause));
    json.endObject();
    return json.take();
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
        writeCall(part.op, part.dtype, part.message_bytes, part.group_size, json);
    }
    json.endObject();
    return json.take();
}

std::string argumentsOf(const Message& message, int stage, int micro_batch)
{
    JsonWriter json{-1};
    json.beginObject();
    json.member("stage", stage);
    if (micro_batch >= 0)
        json.member("micro_batch", micro_batch);
    json.member("kind", word(message.kind));
    json.member("what", message.what);
    writeCall(message.op, message.dtype, message.message_bytes, message.group_size, json);
    json.endObject();
    return json.take();
}

// Writes the events of a stage.
class StageEvents
{
public:
    StageEvents(std::vector<EventText>& events, double load) : m_events{events}, m_load{load} {}

    // Spans and passes begin where the ones before them end, to the nanosecond.
    void add(ExportedLane lane, const char* category, const std::string& name, double start_s, double end_s,
             const std::string& arguments)
    {
        if (nanoseconds(end_s) > nanoseconds(start_s))
            addAny(lane, category, name, start_s, end_s, arguments);
    }
    void add(ExportedLane lane, const TimelineSpan& span)
    {
        add(lane, lane == ExportedLane::waiting ? "bubble" : kernel, nameOf(span), span.start_s, span.end_s(),
            argumentsOf(span));
    }
    // Calls that take no time of their own are there all the same.
    void add(const TimelineCall& call, int stage)
    {
        const Message& message = *call.message;
        addAny(laneOf(call.of), kernel, nameOf(message.kind, message.phase), call.start_s, call.end_s,
               argumentsOf(message, stage, call.micro_batch));
    }
    void add(const PassParts& pass, const TimelineSpan& span)
    {
        const auto addPart = [&](ExportedLane lane, PassPart part) {
            if (part.follows_load)
                part.message_bytes = std::llround(static_cast<double>(part.message_bytes) * m_load);
            const auto calls = std::max<std::int64_t>(1, std::llround(part.calls));
            const double each_s = part.duration_s / static_cast<double>(calls);
            const double start_s = span.start_s + part.start_s;
            const std::string arguments = argumentsOf(part, span);
            const bool is_call = part.is_message && part.message_bytes > 0 && !part.is_rest;
            const char* category = is_call || !part.is_message ? kernel : "rest";
            for (std::int64_t i = 0; i < calls; ++i) {
                const double from_s = start_s + static_cast<double>(i) * each_s;
                const double to_s = start_s + static_cast<double>(i + 1) * each_s;
                if (is_call) // even where it takes no time
                    addAny(lane, category, nameOf(part), from_s, to_s, arguments);
                else
                    add(lane, category, nameOf(part), from_s, to_s, arguments);
            }
            if (part.op == Op::send && !part.is_rest)
                addReceipts(lane, part, span, calls);
        };
        for (const PassPart& part : pass.in_turn)
            addPart(part.is_message ? ExportedLane::communication : ExportedLane::compute, part);
        for (const PassPart& part : pass.beside)
            addPart(ExportedLane::beneath, part);
    }

private:
    // Around a ring who sends receives as much, in the same time.
    void addReceipts(ExportedLane lane, PassPart part, const TimelineSpan& span, std::int64_t calls)
    {
        part.op = Op::recv;
        const double end_s = span.start_s + part.end_s();
        for (std::int64_t i = 0; i < calls; ++i)
            addAny(lane, kernel, nameOf(part), end_s, end_s, argumentsOf(part, span));
    }

    void addAny(ExportedLane lane, const char* category, const std::string& name, double start_s,
                double end_s, const std::string& arguments)
    {
        const std::int64_t start_ns = nanoseconds(start_s);
        const std::int64_t end_ns = std::max(start_ns, nanoseconds(end_s));
        EventText text;
        text.before = R"({"ph":"X","cat":")" + std::string{category} + R"(","name":")" + name + R"(","pid":)";
        text.after = R"(,"tid":)" + std::to_string(static_cast<int>(lane)) + R"(,"ts":)"
                     + microseconds(start_ns) + R"(,"dur":)" + microseconds(end_ns - start_ns) + R"(,"args":)"
                     + arguments + '}';
        m_events.push_back(std::move(text));
    }

    std::vector<EventText>& m_events;
    double m_load;
};

} // namespace

std::vector<std::vector<EventText>> eventsOf(const PredictedTimeline& timeline, TimelineDetail detail,
                                             const std::vector<bool>& is_wanted, const TimelineCalls* calls,
                                             double load)
{
    std::vector<std::vector<EventText>> stages(static_cast<std::size_t>(timeline.stages));
    double pass_end_s = 0.0; // spans before are in the parts of a pass
    int stage = -1;
    for (const TimelineSpan& span : timeline.spans) {
        if (span.stage != stage) {
            stage = span.stage;
            pass_end_s = 0.0;
        }
        const auto index = static_cast<std::size_t>(stage);
        if (!is_wanted[index] || span.start_s + 0.5 * span.duration_s < pass_end_s
            || (calls && TimelineCalls::replace(span)))
            continue;
        if (detail == TimelineDetail::passes || span.pass < 0) {
            StageEvents{stages[index], load}.add(laneOf(span.activity), span);
            continue;
        }
        const PassParts& pass = timeline.passes[static_cast<std::size_t>(span.pass)];
        StageEvents{stages[index], load}.add(pass, span);
        pass_end_s = span.start_s + pass.duration_s;
    }
    for (std::size_t index = 0; calls && index < stages.size(); ++index)
        if (is_wanted[index])
            for (const TimelineCall& call : calls->ofStage(static_cast<int>(index)))
                StageEvents{stages[index], load}.add(call, static_cast<int>(index));
    for (const TimelineSpan& span : timeline.hidden)
        if (!calls && is_wanted[static_cast<std::size_t>(span.stage)])
            StageEvents{stages[static_cast<std::size_t>(span.stage)], load}.add(ExportedLane::replicas, span);
    for (const TimelineSpan& span : sendsInTurn(timeline))
        if (!calls && is_wanted[static_cast<std::size_t>(span.stage)])
            StageEvents{stages[static_cast<std::size_t>(span.stage)], load}.add(ExportedLane::sends, span);
    return stages;
}

std::size_t eventCount(const PredictedTimeline& timeline, TimelineDetail detail)
{
    std::size_t count = timeline.spans.size() + timeline.hidden.size() + timeline.sends.size();
    if (detail == TimelineDetail::layers)
        for (const TimelineSpan& span : timeline.spans)
            if (span.pass >= 0) {
                const PassParts& pass = timeline.passes[static_cast<std::size_t>(span.pass)];
                count += pass.in_turn.size() + pass.beside.size() + 2; // and what it receives and sends
            }
    return count;
}

} // namespace shardscope
