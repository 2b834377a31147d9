// PyTorch execution traces: a graph of operators without times; its record_param_comms nodes tell what is
// sent.
#include "core/import/chrome/chrome_header.h"
#include "core/import/chrome/collective_arguments.h"
#include "core/import/json/json_fields.h"
#include "core/import/json/json_members.h"
#include "core/import/json/json_repair.h"
#include "core/import/json/json_scan.h"
#include "core/import/rank_from_name.h"
#include "core/import/records/call_tally.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <array>
#include <vector>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

constexpr std::size_t largest_pytorch_trace = std::size_t{4} << 30;
constexpr std::size_t largest_node = std::size_t{16} << 20;
constexpr std::string_view world_group = "default_pg";

std::string textOf(const JsonValue& value)
{
    return value.has_escapes ? unescaped(value.text) : std::string(value.text);
}

std::vector<JsonValue> elementsOf(const JsonValue& array)
{
    std::vector<JsonValue> elements;
    if (array.kind != JsonKind::array)
        return elements;
    JsonReader reader(array.text);
    JsonMember member;
    while (reader.next(member))
        elements.push_back(member.value);
    return elements;
}

JsonValue memberOf(const JsonValue& object, std::string_view key)
{
    if (object.kind != JsonKind::object)
        return {};
    JsonReader reader(object.text);
    JsonMember member;
    while (reader.next(member)) {
        if (member.key == key)
            return member.value;
    }
    return {};
}

// What goes into a node or comes out of it: from version 1.0.2 one object, before that three lists beside
// each other.
struct Operands {
    std::vector<JsonValue> values;
    std::vector<JsonValue> shapes;
    std::vector<JsonValue> types;
};

Operands operandsOf(const JsonValue& node, const std::string& which)
{
    const JsonValue all = memberOf(node, which + "s");
    if (all.kind == JsonKind::object)
        return {elementsOf(memberOf(all, "values")), elementsOf(memberOf(all, "shapes")),
                elementsOf(memberOf(all, "types"))};
    return {elementsOf(all), elementsOf(memberOf(node, which + "_shapes")),
            elementsOf(memberOf(node, which + "_types"))};
}

// "GenericList[Tensor(c10::Half)]" -> "c10::Half"
std::string_view tensorType(std::string_view type)
{
    const std::size_t begin = type.find("Tensor(");
    const std::size_t end = type.find(')', begin);
    return begin == std::string_view::npos || end == std::string_view::npos
               ? std::string_view{}
               : type.substr(begin + 7, end - begin - 7);
}

// Bytes of the first operand, if it is a tensor or a list of them; -1 else.
std::int64_t tensorBytes(const Operands& operands, std::string& dtype)
{
    if (operands.types.empty() || operands.shapes.empty())
        return -1;
    const std::string_view type = tensorType(operands.types[0].text);
    std::int64_t elements = -1;
    std::int64_t bytes = -1;
    if (elementBytes(type) == 0 || !countElements(operands.shapes[0], elements)
        || __builtin_mul_overflow(elements, elementBytes(type), &bytes))
        return -1;
    dtype = type;
    return bytes;
}

class ExecutionTrace
{
public:
    void takeNode(const JsonValue& node);
    void fill(TraceFile& file);

private:
    void takeCommunication(const JsonValue& node);
    static bool takeAttributes(const JsonValue& attributes, SizedCall& call);
    static void takeTensors(const Operands& inputs, const Operands& outputs, SizedCall& call);
    void takeRank(const Operands& inputs, const SizedCall& call);
    void takeGroups(const JsonValue& node);

    CallTally m_calls;
    std::vector<ProcessGroup> m_groups;
    std::int64_t m_rank = -1; // in the group of all ranks
};

void ExecutionTrace::takeNode(const JsonValue& node)
{
    const JsonValue name = memberOf(node, "name");
    if (name.text == "record_param_comms")
        takeCommunication(node);
    else if (name.text == "## process_group:init ##")
        takeGroups(node);
}

void ExecutionTrace::takeCommunication(const JsonValue& node)
{
    SizedCall call;
    const Operands inputs = operandsOf(node, "input");
    if (!takeAttributes(memberOf(node, "attrs"), call))
        takeTensors(inputs, operandsOf(node, "output"), call);
    if (call.name.empty() || call.name == "wait" || call.name == "init")
        return;
    takeRank(inputs, call);
    m_calls.add(call);
}

// Version 1.1.0 names everything. False where it does not.
bool ExecutionTrace::takeAttributes(const JsonValue& attributes, SizedCall& call)
{
    std::int64_t in_elements = -1;
    std::int64_t out_elements = -1;
    for (const JsonValue& attribute : elementsOf(attributes)) {
        const std::string_view name = memberOf(attribute, "name").text;
        const JsonValue value = memberOf(attribute, "value");
        if (name == "collective_name")
            call.name = textOf(value);
        else if (name == "dtype")
            call.dtype = textOf(value);
        else if (name == "in_msg_nelems")
            in_elements = toInteger(value).value_or(-1);
        else if (name == "out_msg_nelems")
            out_elements = toInteger(value).value_or(-1);
        else if (name == "in_split_size")
            call.in_splits = textOf(value);
        else if (name == "pg_name")
            call.group = textOf(value);
        else if (name == "pg_desc")
            call.group_description = textOf(value);
        else if (name == "pg_size")
            call.group_size = std::max<std::int64_t>(toInteger(value).value_or(0), 0);
    }
    const int width = elementBytes(call.dtype);
    const auto bytes = [width](std::int64_t elements) {
        std::int64_t product = -1;
        return width == 0 || elements < 0 || __builtin_mul_overflow(elements, width, &product) ? -1 : product;
    };
    call.in_bytes = bytes(in_elements);
    call.out_bytes = bytes(out_elements);
    return !call.name.empty();
}

// Older versions: tensors, sequence, group, rank, name, splits, and at the end the number of ranks.
void ExecutionTrace::takeTensors(const Operands& inputs, const Operands& outputs, SizedCall& call)
{
    for (std::size_t i = 0; i < inputs.types.size() && i < inputs.values.size(); ++i) {
        if (inputs.types[i].text == "String" && call.name.empty()) {
            call.name = textOf(inputs.values[i]);
            if (call.name.starts_with("all_to_all") && i + 1 < inputs.values.size()
                && inputs.values[i + 1].kind == JsonKind::array)
                call.in_splits = inputs.values[i + 1].text;
        }
        const std::vector<JsonValue> group = inputs.types[i].text.starts_with("Tuple[String")
                                                 ? elementsOf(inputs.values[i])
                                                 : std::vector<JsonValue>();
        if (group.size() == 2) {
            call.group = textOf(group[0]);
            call.group_description = textOf(group[1]);
        }
    }
    if (!inputs.types.empty() && inputs.types.back().text == "Int" && !inputs.values.empty())
        call.group_size = std::max<std::int64_t>(toInteger(inputs.values.back()).value_or(0), 0);
    call.in_bytes = tensorBytes(inputs, call.dtype);
    call.out_bytes = tensorBytes(outputs, call.dtype);
}

// The rank stands before the operation's name and counts within the group. Where an operation has a root, its
// rank stands there instead.
void ExecutionTrace::takeRank(const Operands& inputs, const SizedCall& call)
{
    constexpr std::array<std::string_view, 4> rooted{"broadcast", "reduce", "gather", "scatter"};
    if (call.group_description != world_group || std::ranges::find(rooted, call.name) != rooted.end())
        return;
    for (std::size_t i = 1; i < inputs.types.size() && i < inputs.values.size(); ++i) {
        if (inputs.types[i].text == "String" && inputs.types[i - 1].text == "Int")
            m_rank = toInteger(inputs.values[i - 1]).value_or(-1);
    }
}

// The groups are JSON in a string.
void ExecutionTrace::takeGroups(const JsonValue& node)
{
    const Operands inputs = operandsOf(node, "input");
    if (inputs.values.empty())
        return;
    const Json groups = parsedJson(textOf(inputs.values[0]));
    if (!groups.is_array())
        return;
    for (const Json& entry : groups) {
        ProcessGroup group{textIn(entry, "pg_name"),
                           textIn(entry, "pg_desc"),
                           {},
                           integerIn(entry, "group_size").value_or(0)};
        const Json& ranks = memberIn(entry, "ranks");
        for (std::size_t i = 0; ranks.is_array() && i < ranks.size(); ++i)
            group.ranks.push_back(integerOf(ranks[i]).value_or(-1));
        m_groups.push_back(std::move(group));
    }
}

void ExecutionTrace::fill(TraceFile& file)
{
    file.calls = m_calls.take();
    file.groups = std::move(m_groups);
    for (const ProcessGroup& group : file.groups) {
        if (group.description == world_group)
            file.world_size = std::max<std::int64_t>(group.size, 0);
    }
    const auto named = rankBeforeEndings(std::filesystem::path(file.path).filename().string());
    file.rank = m_rank >= 0 ? m_rank : named.value_or(0);
    file.rank_is_known = m_rank >= 0 || named.has_value();
}

// Walks the nodes of an array from its bracket on. Files are often damaged: a node that cannot be read is
// skipped. False where the array has no end.
template<class Take>
bool walkNodes(std::string_view text, std::size_t bracket, WarningLog& warnings, const Take& take)
{
    for (std::size_t at = bracket + 1;;) {
        at = text.find_first_not_of(", \n\r\t", at);
        if (at == std::string_view::npos)
            return false;
        if (text[at] == ']')
            return true;
        JsonReader reader(text.substr(at - 1, largest_node)); // as if the byte before were a bracket
        JsonMember node;
        if (text[at] == '{' && reader.next(node) && node.value.kind == JsonKind::object) {
            take(node.value);
            at += node.value.text.size();
            continue;
        }
        const std::size_t next = findEventStart(text, at + 1);
        if (next == std::string_view::npos)
            return false;
        warnings.add("node that cannot be read", static_cast<std::int64_t>(at));
        at = next;
    }
}

} // namespace

bool looksLikePytorchEt(std::string_view head)
{
    const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
    return head.find_first_not_of(" \n\r\t") == head.find('{') && has("\"nodes\"")
           && (has("\"schema\"") || has("\"rf_id\"")) && !has("\"traceEvents\"");
}

std::optional<Rejection> readPytorchEt(ReadJob& job, TraceFile& file)
{
    auto text = readWhole(job.stream, largest_pytorch_trace);
    if (!text)
        return Rejection{"the execution trace is larger than 4 GiB: record fewer iterations"};
    file.bytes_uncompressed = static_cast<std::int64_t>(text->size());
    const std::size_t key = text->find("\"nodes\"");
    const std::size_t bracket = key == std::string::npos ? key : text->find('[', key);
    if (bracket == std::string::npos)
        return Rejection{"this execution trace has no nodes"};
    const std::size_t size = text->size();
    text->append(scan_padding, ' ');
    const std::string_view nodes_text(text->data(), size);
    ExecutionTrace trace;
    std::int64_t nodes = 0;
    const bool is_whole = walkNodes(nodes_text, bracket, job.warnings, [&](const JsonValue& node) {
        trace.takeNode(node);
        ++nodes;
    });
    if (!is_whole)
        job.warnings.add("the execution trace is cut off", file.bytes_uncompressed);
    trace.fill(file);
    if (nodes == 0)
        return Rejection{"not one node of this execution trace could be read"};
    return std::nullopt;
}

} // namespace shardscope
