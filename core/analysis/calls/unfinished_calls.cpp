#include "core/analysis/calls/unfinished_calls.h"

#include "core/analysis/calls/unfinished_order.h"
#include "core/analysis/classification/collective_name.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace shardscope
{

namespace
{

// What one rank's dump tells of a group.
struct Member {
    const TraceFile* dump = nullptr;
    std::map<std::int64_t, std::size_t> calls; // by sequence: rows in the dump's calls
    std::int64_t last_called = -1;             // -1: not told
    std::int64_t last_completed = -1;

    const SizedCall* callAt(std::int64_t sequence) const
    {
        const auto call = calls.find(sequence);
        return call == calls.end() ? nullptr : &dump->calls[call->second];
    }
    bool hasOpen(std::int64_t sequence) const
    {
        const SizedCall* call = callAt(sequence);
        return call != nullptr && isOpen(*call);
    }
    // The recorder drops calls that have completed.
    bool hasCompleted(std::int64_t sequence) const { return last_called >= sequence && !hasOpen(sequence); }
    // A damaged dump may have lost its last calls.
    bool mayHaveMore() const { return last_called < 0 && dump->status != FileStatus::ok; }
    std::optional<std::int64_t> firstOpen() const
    {
        const auto open = std::ranges::find_if(calls, [&](const auto& call) { return hasOpen(call.first); });
        return open == calls.end() ? std::nullopt : std::optional(open->first);
    }
};

struct CallGroup {
    std::string_view name;
    std::string_view description;
    std::vector<std::int64_t> ranks;
    std::map<std::int64_t, Member> members; // those with a dump, by rank
    bool has_messages = false;              // sends and receives, which the recorder counts by themselves

    // The calls that one member at least has open.
    std::set<std::int64_t> open() const
    {
        std::set<std::int64_t> sequences;
        for (const auto& [rank, member] : members)
            for (const auto& [sequence, call] : member.calls)
                if (member.hasOpen(sequence))
                    sequences.insert(sequence);
        return sequences;
    }
};

// Groups may share a name where several were made without all ranks.
class CallGroups
{
public:
    void add(std::int64_t rank, const TraceFile& dump)
    {
        std::map<std::string_view, std::size_t> rows; // of this dump, by name
        for (const ProcessGroup& told : dump.groups) {
            const std::size_t row = rowOf(told.name, told.ranks);
            rows[told.name] = row;
            m_groups[row].description = told.description;
            m_groups[row].members[rank] = {&dump, {}, told.last_called, told.last_completed};
        }
        for (std::size_t i = 0; i < dump.calls.size(); ++i) {
            const SizedCall& call = dump.calls[i];
            if (call.group.empty())
                continue;
            const auto [known, is_new] = rows.try_emplace(call.group, 0);
            if (is_new)
                known->second = rowOf(call.group, {});
            addCall(m_groups[known->second], rank, dump, i);
        }
    }

    std::vector<CallGroup> take()
    {
        for (CallGroup& group : m_groups)
            settle(group);
        return std::move(m_groups);
    }

private:
    std::size_t rowOf(const std::string& name, std::vector<std::int64_t> ranks)
    {
        std::ranges::sort(ranks);
        const auto [row, is_new] = m_rows.try_emplace({name, ranks}, m_groups.size());
        if (is_new)
            m_groups.push_back({row->first.first, {}, std::move(ranks), {}});
        return row->second;
    }

    // Of calls that were sent as one and share a number, an open one stands for all.
    static void addCall(CallGroup& group, std::int64_t rank, const TraceFile& dump, std::size_t row)
    {
        const SizedCall& call = dump.calls[row];
        group.has_messages = group.has_messages || call.sequence < 0;
        if (group.description.empty())
            group.description = call.group_description;
        Member& member = group.members[rank];
        member.dump = &dump;
        if (call.sequence < 0)
            return;
        const auto [known, is_new] = member.calls.try_emplace(call.sequence, row);
        if (!is_new && isOpen(call) && !isOpen(dump.calls[known->second]))
            known->second = row;
    }

    // A count that goes beyond every call that any dump lists is one of messages.
    static void settle(CallGroup& group)
    {
        std::int64_t newest = -1;
        for (const auto& [rank, member] : group.members)
            if (!member.calls.empty())
                newest = std::max(newest, member.calls.rbegin()->first);
        for (auto& [rank, member] : group.members) {
            if (group.has_messages || member.last_called > newest)
                member.last_called = member.last_completed = -1;
            if (!member.calls.empty())
                member.last_called = std::max(member.last_called, member.calls.rbegin()->first);
            if (const auto open = member.firstOpen())
                member.last_completed = *open - 1;
            else if (!member.calls.empty())
                member.last_completed = member.last_called;
        }
        if (group.ranks.empty())
            for (const auto& [rank, member] : group.members)
                group.ranks.push_back(rank);
    }

    std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> m_rows;
    std::vector<CallGroup> m_groups;
};

// The first open call that a member did not come to, else the first open one.
std::optional<std::int64_t> stuckAt(const CallGroup& group)
{
    const std::set<std::int64_t> open = group.open();
    if (open.empty())
        return std::nullopt;
    std::optional<std::int64_t> least;
    for (const auto& [rank, member] : group.members)
        if (!member.mayHaveMore())
            least = std::min(least.value_or(member.last_called), member.last_called);
    const auto awaited = least ? open.upper_bound(*least) : open.end();
    return awaited != open.end() ? *awaited : *open.begin();
}

void addStates(const CallGroup& group, UnfinishedRow& row)
{
    UnfinishedCollective& found = row.found;
    for (const std::int64_t rank : group.ranks) {
        const auto known = group.members.find(rank);
        if (known == group.members.end() || known->second.mayHaveMore()) {
            found.no_dump.push_back(rank);
            continue;
        }
        const Member& member = known->second;
        if (member.last_called < found.sequence)
            found.missing.push_back(rank);
        else if (!member.hasOpen(found.sequence))
            found.completed.push_back(rank);
        else {
            const std::size_t place = member.calls.at(found.sequence);
            const bool is_running = member.dump->calls[place].state == "started";
            (is_running ? found.started : found.scheduled).push_back(rank);
            row.places[rank] = place;
        }
    }
}

// What is called, and by whom something else.
void addOperation(const CallGroup& group, UnfinishedRow& row)
{
    UnfinishedCollective& found = row.found;
    std::map<std::string_view, int> names;
    for (const auto& [rank, member] : group.members)
        if (const SizedCall* call = member.callAt(found.sequence))
            ++names[call->name];
    found.name = std::ranges::max_element(names, {}, [](const auto& name) { return name.second; })->first;
    for (const auto& [rank, member] : group.members)
        if (const SizedCall* call = member.callAt(found.sequence); call && call->name != found.name)
            found.differing.push_back(rank);
    for (const auto& [rank, place] : row.places) {
        const SizedCall& call = group.members.at(rank).dump->calls[place];
        if (call.name != found.name)
            continue;
        found.dtype = call.dtype;
        found.in_bytes = call.in_bytes;
        found.out_bytes = call.out_bytes;
        break;
    }
    found.message_bytes = messageBytes(opFromName(found.name), found.in_bytes, found.out_bytes,
                                       static_cast<std::int64_t>(found.ranks.size()));
}

std::vector<std::int64_t> laggingRanks(const CallGroup& group)
{
    std::vector<std::int64_t> lagging;
    std::map<std::int64_t, bool> is_completed; // by a member, by sequence: thousands have the same one open
    for (const auto& [rank, member] : group.members) {
        const auto open = member.firstOpen();
        if (!open)
            continue;
        const auto [known, is_new] = is_completed.try_emplace(*open, false);
        if (is_new)
            known->second = std::ranges::any_of(
                group.members, [&](const auto& other) { return other.second.hasCompleted(*open); });
        if (known->second)
            lagging.push_back(rank);
    }
    return lagging;
}

std::optional<std::int64_t> lastCompletedByAll(const CallGroup& group)
{
    std::optional<std::int64_t> last;
    for (const auto& [rank, member] : group.members)
        if (member.last_completed >= 0)
            last = std::min(last.value_or(member.last_completed), member.last_completed);
    return last;
}

std::optional<UnfinishedRow> unfinishedIn(const CallGroup& group)
{
    const auto sequence = stuckAt(group);
    if (!sequence)
        return std::nullopt;
    UnfinishedRow row;
    row.found.group = group.name;
    row.found.description = group.description;
    row.found.ranks = group.ranks;
    row.found.sequence = *sequence;
    row.found.last_completed = lastCompletedByAll(group).value_or(-1);
    row.found.lagging = laggingRanks(group);
    addStates(group, row);
    addOperation(group, row);
    return row;
}

} // namespace

std::vector<UnfinishedCollective> unfinishedCollectives(const TraceSet& traces,
                                                        std::vector<std::string>& notes)
{
    DumpsByRank dumps;
    for (const TraceFile& file : traces.files) {
        if (file.sourceFormat() != "flight_recorder" || file.status == FileStatus::rejected
            || !file.rank_is_known)
            continue;
        if (!dumps.try_emplace(file.rank, &file).second) {
            notes.push_back("several dumps of the flight recorder claim rank " + std::to_string(file.rank)
                            + ", so what did not complete is not told");
            return {};
        }
    }
    CallGroups groups;
    for (const auto& [rank, dump] : dumps)
        groups.add(rank, *dump);
    std::vector<UnfinishedRow> rows;
    for (const CallGroup& group : groups.take())
        if (auto row = unfinishedIn(group))
            rows.push_back(std::move(*row));
    return orderedByCause(std::move(rows), dumps);
}

} // namespace shardscope
