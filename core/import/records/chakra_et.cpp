// Chakra execution traces: protobuf messages of et_def.proto, each led by its length, or the JSON form of
// them.
#include "core/base/protobuf.h"
#include "core/import/json/json_fields.h"
#include "core/import/rank_from_name.h"
#include "core/import/records/call_tally.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <array>
#include <limits>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

constexpr std::size_t largest_trace = std::size_t{4} << 30;

// Fields of a Node and its types.
constexpr std::uint32_t node_type = 3;
constexpr std::uint32_t node_duration_us = 7;
constexpr std::uint32_t node_attribute = 10;
constexpr std::uint64_t type_send = 5;
constexpr std::uint64_t type_receive = 6;
constexpr std::uint64_t type_collective = 7;

// CollectiveCommType.
constexpr std::array<std::string_view, 10> collectives{
    "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
    "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};

struct Attribute {
    std::string_view name;
    std::uint64_t number = 0;
    std::string_view text;
};

// The value may be of any of the integer types; all but sint64 are plain varints.
Attribute attributeOf(std::string_view message)
{
    constexpr std::uint32_t sint32 = 15;
    constexpr std::uint32_t sint64 = 17;
    Attribute attribute;
    while (const auto field = takeField(message)) {
        if (field->number == 1)
            attribute.name = field->bytes;
        else if (field->is_bytes)
            attribute.text = field->bytes;
        else if (field->number == sint32 || field->number == sint64)
            attribute.number = (field->value >> 1) ^ (~(field->value & 1) + 1);
        else
            attribute.number = field->value;
    }
    return attribute;
}

std::int64_t toSize(std::uint64_t number)
{
    return number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
               ? -1
               : static_cast<std::int64_t>(number);
}

// What a node tells of its communication.
struct Communication {
    std::uint64_t node_type = 0;
    std::uint64_t collective = collectives.size();
    std::int64_t bytes = -1;
    std::int64_t peer_from = -1;
    std::int64_t peer_to = -1;
};

// Nothing for nodes that do not communicate, and collectives that do not say which.
std::optional<SizedCall> callOf(const Communication& node, SizedCall call)
{
    const bool is_send = node.node_type == type_send;
    if (!is_send && node.node_type != type_receive && node.node_type != type_collective)
        return std::nullopt;
    if (node.node_type == type_collective && node.collective >= collectives.size())
        return std::nullopt;
    call.name = is_send ? "send" : node.node_type == type_receive ? "recv" : collectives[node.collective];
    call.peer = is_send ? node.peer_to : node.node_type == type_receive ? node.peer_from : -1;
    call.in_bytes = node.bytes;
    return call;
}

// A node's communication; nothing for other nodes.
std::optional<SizedCall> callOf(std::string_view node)
{
    Communication told;
    SizedCall call;
    while (const auto field = takeField(node)) {
        if (field->number == node_type && !field->is_bytes)
            told.node_type = field->value;
        else if (field->number == node_duration_us && !field->is_bytes && field->value > 0)
            call.time_s = static_cast<double>(field->value) * 1e-6;
        if (field->number != node_attribute || !field->is_bytes)
            continue;
        const Attribute attribute = attributeOf(field->bytes);
        if (attribute.name == "comm_type")
            told.collective = attribute.number;
        else if (attribute.name == "comm_size")
            told.bytes = toSize(attribute.number);
        else if (attribute.name == "comm_src")
            told.peer_from = toSize(attribute.number);
        else if (attribute.name == "comm_dst")
            told.peer_to = toSize(attribute.number);
        else if (attribute.name == "pg_name")
            call.group = attribute.text;
    }
    return callOf(told, std::move(call));
}

void addTimed(std::vector<SizedCall>& timed, CallTally& tally, const SizedCall& call)
{
    if (call.time_s >= 0.0)
        timed.push_back(call);
    else
        tally.add(call);
}

// The traces do not say whose they are.
void takeRankFromName(TraceFile& file)
{
    const auto rank = rankBeforeEndings(std::filesystem::path(file.path).filename().string());
    file.rank_is_known = rank.has_value();
    file.rank = rank.value_or(0);
}

} // namespace

// A message's length, then GlobalMetadata: attributes (field 1 or 2) or a version; or at once a Node with id
// and name.
bool looksLikeChakraEt(std::string_view head)
{
    int messages = 0;
    for (; messages < 3 && !head.empty(); ++messages) {
        auto message = takeDelimited(head);
        if (!message)
            return messages > 1; // the head may end within one
        if (message->empty() && messages > 0)
            return false; // a file of zeros
        while (!message->empty()) {
            const auto field = takeField(*message);
            if (!field || field->number == 0 || field->number > 32)
                return false;
        }
    }
    return messages > 1;
}

std::optional<Rejection> readChakraEt(ReadJob& job, TraceFile& file)
{
    const auto bytes = readWhole(job.stream, largest_trace);
    if (!bytes)
        return Rejection{"the execution trace is larger than 4 GiB: record fewer iterations"};
    file.bytes_uncompressed = static_cast<std::int64_t>(bytes->size());
    file.format = "chakra_et";
    takeRankFromName(file);
    std::string_view rest = *bytes;
    CallTally tally;
    std::int64_t messages = 0;
    while (!rest.empty()) {
        const auto message = takeDelimited(rest);
        if (!message) {
            job.warnings.add("the trace ends within a node",
                             static_cast<std::int64_t>(bytes->size() - rest.size()));
            break;
        }
        ++messages;
        if (const auto call = messages > 1 ? callOf(*message) : std::nullopt)
            addTimed(file.calls, tally, *call);
    }
    for (SizedCall& call : tally.take())
        file.calls.push_back(std::move(call));
    return messages > 1 ? std::nullopt : std::optional(Rejection{"this execution trace has no nodes"});
}

bool looksLikeChakraJson(std::string_view head)
{
    return head.find_first_not_of(" \n\r\t") == head.find('{')
           && head.find("\"workload_graph\"") != std::string_view::npos;
}

// Written for the simulator the JSON form has kinds, sizes and peers (Chakra's feeder, JSONNode.cpp);
// converted from PyTorch it has names and run times alone.
std::optional<Rejection> readChakraJson(ReadJob& job, TraceFile& file)
{
    const auto text = readWholeForTree(job.stream, std::size_t{1} << 30);
    const Json graph = text ? parsedJson(*text) : Json();
    const Json& nodes = memberIn(graph, "workload_graph");
    if (!nodes.is_array())
        return Rejection{"this looks like a Chakra execution trace, but its JSON is damaged"};
    file.bytes_uncompressed = static_cast<std::int64_t>(text->size());
    file.format = "chakra_et";
    takeRankFromName(file);
    for (const Json& node : nodes) {
        const auto type = integerIn(node, "NodeType");
        if (!type || *type < 0) {
            job.warnings.add("node without a type");
            continue;
        }
        const auto kind = static_cast<std::uint64_t>(*type);
        const bool is_cpu = memberIn(node, "is_cpu_op") == Json(true); // its kernel is a node of its own
        if ((kind != type_send && kind != type_receive && kind != type_collective) || is_cpu)
            continue;
        SizedCall call;
        if (const auto runtime_us = numberIn(node, "runtime"); runtime_us && *runtime_us > 0.0)
            call.time_s = *runtime_us * 1e-6;
        Communication told;
        told.node_type = kind;
        if (const auto collective = integerIn(node, "comm_type"); collective && *collective >= 0)
            told.collective = static_cast<std::uint64_t>(*collective);
        told.bytes = integerIn(node, "comm_size").value_or(-1);
        told.peer_from = integerIn(node, "comm_src").value_or(-1);
        told.peer_to = integerIn(node, "comm_dst").value_or(-1);
        if (auto known = told.bytes >= 0 ? callOf(told, call) : std::nullopt) {
            file.calls.push_back(std::move(*known));
            continue;
        }
        call.name = textIn(node, "Name");
        call.in_bytes = std::max<std::int64_t>(told.bytes, -1);
        file.calls.push_back(std::move(call));
    }
    return std::nullopt;
}

} // namespace shardscope
