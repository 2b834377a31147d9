#include "core/report/timeline/timeline_events.h"

#include "core/base/json_writer.h"

#include <algorithm>
#include <cstdio>

namespace shardscope
{

namespace
{

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

std::string argumentsOf(const StageEvent& event)
{
    if (!event.part && !event.message)
        return argumentsOf(*event.span);
    JsonWriter json{-1};
    json.beginObject();
    json.member("stage", event.stage);
    if (event.micro_batch >= 0)
        json.member("micro_batch", event.micro_batch);
    if (event.part && event.part->layer >= 0)
        json.member("layer", event.part->layer);
    if (event.isOneCall()) {
        json.member("kind", word(event.kind()));
        json.member("what", event.message ? event.message->what : event.part->what);
        writeCall(event.op, event.message ? event.message->dtype : event.part->dtype, event.message_bytes,
                  event.message ? event.message->group_size : event.part->group_size, json);
    }
    json.endObject();
    return json.take();
}

std::string nameOf(const StageEvent& event)
{
    if (event.message)
        return nameOf(event.message->kind, event.message->phase);
    return event.part ? nameOf(*event.part) : nameOf(*event.span);
}

// That of what importers count, else one of its own.
std::string_view categoryOf(const StageEvent& event)
{
    if (event.is_counted)
        return "kernel";
    return event.lane == EventLane::waiting ? "bubble" : "rest";
}

EventText textOf(std::string_view category, std::string_view name, EventLane lane, std::int64_t start_ns,
                 std::int64_t end_ns, std::string_view arguments)
{
    EventText text;
    text.before.append(R"({"ph":"X","cat":")").append(category).append(R"(","name":")").append(name);
    text.before += R"(","pid":)";
    text.after = R"(,"tid":)" + std::to_string(static_cast<int>(lane)) + R"(,"ts":)" + microseconds(start_ns)
                 + R"(,"dur":)" + microseconds(end_ns - start_ns);
    arguments.remove_suffix(1); // the brace: a peer may follow
    text.after.append(R"(,"args":)").append(arguments);
    return text;
}

} // namespace

std::vector<EventText> textsOf(const std::vector<StageEvent>& events, const StageStep& step,
                               const Scenario& scenario)
{
    std::vector<EventText> texts;
    texts.reserve(events.size() + 1);
    texts.push_back(
        textOf("user_annotation", "ProfilerStep#0", EventLane::steps, step.start_ns, step.end_ns, "{}"));
    std::size_t messages = 0;
    for (const StageEvent& event : events) {
        texts.push_back(textOf(categoryOf(event), nameOf(event), event.lane, event.start_ns, event.end_ns,
                               argumentsOf(event)));
        texts.back().peer = peerSideOf(event, scenario);
        texts.back().place = texts.back().peer == PeerSide::none ? 0 : messages++;
    }
    return texts;
}

std::string textOf(const MessagePeer& peer, Op op)
{
    std::string text = R"(,"Process Group Ranks":"[)";
    for (const std::int64_t& member : peer.group)
        text += (&member == peer.group.data() ? "" : ", ") + std::to_string(member);
    return text + R"(]",")" + (op == Op::send ? "Dst" : "Src") + R"( Rank":)" + std::to_string(peer.place);
}

std::string textOf(const ArrowEnd& arrow, const StageEvent& event, std::int64_t rank, std::int64_t id)
{
    return std::string{event.op == Op::send ? R"({"ph":"s")" : R"({"ph":"f","bp":"e")"}
           + R"(,"cat":"message","name":"message","id":)" + std::to_string(id) + R"(,"pid":)"
           + std::to_string(rank) + R"(,"tid":)" + std::to_string(static_cast<int>(event.lane)) + R"(,"ts":)"
           + microseconds(arrow.at_ns) + '}';
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
