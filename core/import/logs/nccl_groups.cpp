#include "core/import/logs/nccl_groups.h"

#include <algorithm>
#include <string_view>

namespace shardscope
{

namespace
{

// By the number that all members of a communicator know; PyTorch's groups have short names, which each rank
// gives to others.
bool isNcclName(std::string_view group)
{
    return group.starts_with("0x");
}

// In the group of all, places are ranks.
bool isEveryone(const ProcessGroup& group, const TraceFile& file)
{
    return group.size == file.world_size;
}

} // namespace

void placeNcclMembers(const NcclMembers& members, TraceFile& file)
{
    for (ProcessGroup& group : file.groups) {
        const auto known = members.find(group.name);
        if (!group.ranks.empty() || known == members.end()
            || static_cast<std::int64_t>(known->second.size()) != group.size)
            continue;
        group.ranks.assign(known->second.begin(), known->second.end());
        for (SizedCall& call : file.calls)
            if (call.group == group.name && call.peer >= 0 && !isEveryone(group, file))
                call.peer = call.peer < group.size ? group.ranks[static_cast<std::size_t>(call.peer)] : -1;
    }
}

void findMembersOfNcclGroups(TraceSet& traces)
{
    NcclMembers members;
    for (const TraceFile& file : traces.files)
        for (const ProcessGroup& group : file.groups)
            if (file.rank_is_known && isNcclName(group.name))
                members[group.name].insert(file.rank);
    for (TraceFile& file : traces.files) {
        placeNcclMembers(members, file);
        const auto isKnown = [&](const SizedCall& call) {
            const auto group = std::ranges::find(file.groups, call.group, &ProcessGroup::name);
            return call.group_size == file.world_size
                   || (group != file.groups.end() && !group->ranks.empty());
        };
        for (SizedCall& call : file.calls)
            if (call.peer >= 0 && isNcclName(call.group) && !isKnown(call))
                call.peer = -1;
    }
}

} // namespace shardscope
