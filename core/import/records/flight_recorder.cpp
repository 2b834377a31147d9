// Dumps of PyTorch's flight recorder: a pickle, or the same as JSON.
#include "core/import/chrome/chrome_header.h"
#include "core/import/chrome/collective_arguments.h"
#include "core/import/json/json_fields.h"
#include "core/import/rank_from_name.h"
#include "core/import/records/pickle.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

constexpr std::size_t largest_dump = std::size_t{1} << 30;

// Bytes of all tensors: their sizes ([[4096, 1, 5120], ...]) times their types; -1 where something is
// unknown.
std::int64_t bytesOf(const Json& sizes, const Json& dtypes)
{
    if (!sizes.is_array() || !dtypes.is_array() || dtypes.size() < sizes.size())
        return -1;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::int64_t bytes =
            dtypes[i].is_string() ? elementBytes(dtypes[i].get_ref<const std::string&>()) : 0;
        if (bytes == 0 || !sizes[i].is_array())
            return -1;
        for (const Json& dimension : sizes[i]) {
            const std::int64_t length = integerOf(dimension).value_or(-1);
            if (length < 0 || __builtin_mul_overflow(bytes, length, &bytes))
                return -1;
        }
        if (__builtin_add_overflow(sum, bytes, &sum))
            return -1;
    }
    return sum;
}

// Bytes of each tensor, "[128, 384]", where there are several: an all_to_all of a list has one for each
// member.
std::string splitsOf(const Json& sizes, const Json& dtypes)
{
    if (bytesOf(sizes, dtypes) < 0 || sizes.size() < 2)
        return {};
    std::string splits;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        splits += (i == 0 ? "[" : ", ")
                  + std::to_string(bytesOf(Json::array({sizes[i]}), Json::array({dtypes[i]})));
    return splits + ']';
}

// "nccl:send 0->3", "nccl:recv 0<-3": the name without its backend, and the place of the peer within the
// group.
std::pair<std::string, std::int64_t> nameAndPeer(std::string text)
{
    text.erase(0, text.find(':') + 1); // npos + 1 is 0
    std::int64_t peer = -1;
    if (const std::size_t blank = text.find(' '); blank != std::string::npos) {
        const std::size_t number = text.find_last_of(">-") + 1;
        std::from_chars(text.data() + number, text.data() + text.size(), peer);
        text.resize(blank);
    }
    return {text, peer};
}

// "[0, 3]", or a list.
std::vector<std::int64_t> membersOf(const Json& ranks)
{
    if (ranks.is_string())
        return ranksOf(ranks.get_ref<const std::string&>());
    std::vector<std::int64_t> members;
    for (std::size_t i = 0; ranks.is_array() && i < ranks.size(); ++i)
        members.push_back(integerOf(ranks[i]).value_or(-1));
    return std::ranges::find(members, -1) == members.end() ? members : std::vector<std::int64_t>();
}

std::map<std::string, ProcessGroup> groupsOf(const Json& config)
{
    std::map<std::string, ProcessGroup> groups;
    if (!config.is_object())
        return groups;
    for (const auto& [key, entry] : config.items()) {
        ProcessGroup group;
        group.name = textIn(entry, "name").empty() ? key : textIn(entry, "name");
        group.description = textIn(entry, "desc");
        group.ranks = membersOf(memberIn(entry, "ranks"));
        group.size = static_cast<std::int64_t>(group.ranks.size());
        groups[group.name] = std::move(group);
    }
    return groups;
}

bool isPointToPoint(const Json& entry, const std::string& name)
{
    const Json& told = memberIn(entry, "is_p2p");
    return (told.is_boolean() && told.get<bool>()) || name == "send" || name == "recv";
}

SizedCall callOf(const Json& entry, const std::map<std::string, ProcessGroup>& groups)
{
    SizedCall call;
    std::int64_t peer = -1;
    std::tie(call.name, peer) = nameAndPeer(textIn(entry, "profiling_name"));
    const Json& dtypes = memberIn(entry, "input_dtypes");
    if (dtypes.is_array() && !dtypes.empty() && dtypes[0].is_string())
        call.dtype = dtypes[0].get<std::string>();
    call.in_bytes = bytesOf(memberIn(entry, "input_sizes"), dtypes);
    call.out_bytes = bytesOf(memberIn(entry, "output_sizes"), memberIn(entry, "output_dtypes"));
    if (call.name.starts_with("all_to_all") || call.name.starts_with("alltoall"))
        call.in_splits = splitsOf(memberIn(entry, "input_sizes"), dtypes);
    if (const auto duration_ms = numberIn(entry, "duration_ms"))
        call.time_s = *duration_ms / 1000.0;
    call.state = textIn(entry, "state");
    if (!isPointToPoint(entry, call.name))
        call.sequence = integerIn(entry, "collective_seq_id").value_or(-1);
    const Json& group = memberIn(entry, "process_group");
    if (group.is_array() && group.size() == 2 && group[0].is_string() && group[1].is_string()) {
        call.group = group[0].get<std::string>();
        call.group_description = group[1].get<std::string>();
    }
    if (const auto known = groups.find(call.group); known != groups.end()) {
        call.group_size = known->second.size;
        if (peer >= 0 && peer < known->second.size)
            call.peer = known->second.ranks[static_cast<std::size_t>(peer)];
    }
    return call;
}

std::optional<std::int64_t> numberOf(const std::string& text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
    return is_number ? std::optional(number) : std::nullopt;
}

// The process numbers the groups that its rank is in; names count all groups. Entries have both. Groups
// without an entry are told by their place, as both counts grow with each group that is made.
std::map<std::int64_t, std::string> namesByNumber(const Json& entries, const Json& status,
                                                  const std::map<std::string, ProcessGroup>& groups)
{
    std::map<std::int64_t, std::string> told;
    for (const Json& entry : entries) {
        const Json& group = memberIn(entry, "process_group");
        const auto number = integerIn(entry, "pg_id");
        if (number && group.is_array() && !group.empty() && group[0].is_string())
            told[*number] = group[0].get<std::string>();
    }
    std::set<std::int64_t> numbers;
    for (const auto& member : status.items())
        if (const auto number = numberOf(member.key()))
            numbers.insert(*number);
    std::map<std::int64_t, std::string> names; // by themselves, so that 9 comes before 10
    for (const auto& [name, group] : groups)
        if (const auto number = numberOf(name))
            names[*number] = name;
    if (numbers.size() != groups.size() || names.size() != groups.size())
        return told;
    std::map<std::int64_t, std::string> paired;
    for (auto name = names.begin(); const std::int64_t number : numbers)
        paired[number] = (name++)->second;
    const bool agrees = std::ranges::all_of(told, [&](const auto& known) {
        const auto found = paired.find(known.first);
        return found != paired.end() && found->second == known.second;
    });
    return agrees ? paired : told;
}

// How far each group had come.
void addStatus(const Json& dump, const Json& entries, std::map<std::string, ProcessGroup>& groups)
{
    const Json& status = memberIn(dump, "pg_status");
    if (!status.is_object())
        return;
    const auto names = namesByNumber(entries, status, groups);
    for (const auto& [key, counts] : status.items()) {
        const auto name = names.find(numberOf(key).value_or(-1));
        const auto group = name == names.end() ? groups.end() : groups.find(name->second);
        if (group == groups.end())
            continue;
        group->second.last_called = integerIn(counts, "last_enqueued_collective").value_or(-1);
        group->second.last_completed = integerIn(counts, "last_completed_collective").value_or(-1);
    }
}

// A dump has the groups of its own rank alone, so that rank is in all of them.
std::vector<std::int64_t> ranksInAll(const std::vector<ProcessGroup>& groups)
{
    std::vector<std::int64_t> common;
    bool is_first = true;
    for (const ProcessGroup& group : groups) {
        if (group.ranks.empty())
            continue;
        if (std::exchange(is_first, false))
            common = group.ranks;
        else
            std::erase_if(common, [&](std::int64_t rank) {
                return std::ranges::find(group.ranks, rank) == group.ranks.end();
            });
    }
    return common;
}

// The recorder itself names a file by a prefix and the rank; people add endings. Where a number can not be
// the rank, it is of something else.
std::optional<std::int64_t> rankOf(const Json& dump, const std::string& file_name,
                                   const std::vector<ProcessGroup>& groups)
{
    const std::vector<std::int64_t> possible = ranksInAll(groups);
    std::optional<std::int64_t> first_told;
    for (const auto rank : {integerIn(dump, "rank"), rankAtEnd(file_name), rankBeforeEndings(file_name),
                            rankFromName(file_name)}) {
        if (!rank || *rank < 0)
            continue;
        if (possible.empty() || std::ranges::find(possible, *rank) != possible.end())
            return rank;
        first_told = first_told ? first_told : rank;
    }
    return possible.size() == 1 ? std::optional(possible[0]) : first_told;
}

// Torch 2.2 wrote the list of entries alone.
const Json& entriesOf(const Json& dump)
{
    const bool is_list = dump.is_array() && !dump.empty() && memberIn(dump[0], "profiling_name").is_string();
    return is_list ? dump : memberIn(dump, "entries");
}

std::optional<Rejection> fill(const Json& dump, ReadJob& job, TraceFile& file)
{
    const Json& entries = entriesOf(dump);
    if (!entries.is_array())
        return Rejection{"this holds no \"entries\", so it is no dump of the flight recorder", true};
    file.format = "flight_recorder";
    auto groups = groupsOf(memberIn(dump, "pg_config"));
    addStatus(dump, entries, groups);
    for (const auto& [name, group] : groups) {
        file.groups.push_back(group);
        for (const std::int64_t rank : group.ranks)
            file.world_size = std::max(file.world_size, rank + 1);
    }
    for (const Json& entry : entries) {
        if (entry.is_object() && !textIn(entry, "profiling_name").empty())
            file.calls.push_back(callOf(entry, groups));
        else
            job.warnings.add("entry without a name");
    }
    const auto rank = rankOf(dump, job.path.filename().string(), file.groups);
    file.rank_is_known = rank.has_value();
    file.rank = rank.value_or(0);
    return std::nullopt;
}

} // namespace

bool looksLikePickle(std::string_view head)
{
    return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

std::optional<Rejection> readPickledFlightRecorder(ReadJob& job, TraceFile& file)
{
    const auto bytes = readWholeForTree(job.stream, largest_dump);
    if (!bytes)
        return Rejection{"the dump is larger than 1 GiB, or than memory suffices for"};
    file.bytes_uncompressed = static_cast<std::int64_t>(bytes->size());
    Json dump;
    const Result<PickleOutcome> outcome = readPickle(*bytes, dump);
    if (!outcome)
        return Rejection{outcome.error().sentence};
    if (outcome.value().is_cut)
        job.warnings.add("the dump is cut off", file.bytes_uncompressed);
    return fill(dump, job, file);
}

bool looksLikeFlightRecorder(std::string_view head)
{
    const bool is_object = head.find_first_not_of(" \n\r\t") == head.find('{');
    const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
    return is_object && !has("\"traceEvents\"")
           && (has("\"profiling_name\"")
               || (has("\"pg_config\"") && (has("\"pg_status\"") || has("\"entries\""))));
}

std::optional<Rejection> readFlightRecorder(ReadJob& job, TraceFile& file)
{
    const auto text = readWholeForTree(job.stream, largest_dump);
    if (!text)
        return Rejection{"the dump is larger than 1 GiB, or than memory suffices for"};
    file.bytes_uncompressed = static_cast<std::int64_t>(text->size());
    const Json dump = parsedJson(*text);
    if (dump.is_discarded())
        return Rejection{"this looks like a dump of the flight recorder, but its JSON is damaged"};
    return fill(dump, job, file);
}

} // namespace shardscope
