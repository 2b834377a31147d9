#pragma once

#include "core/trace/trace_set.h"

#include <map>
#include <set>
#include <string>

namespace shardscope
{

// What NCCL writes tells each process its own place in a communicator alone, and all of them the same name
// for it. Until its members are known, the peers of sends and receives are places in it.
using NcclMembers = std::map<std::string, std::set<std::int64_t>>; // ranks by the group's name

// Fills the groups of which all members are there, in the order of their ranks, as PyTorch makes them.
void placeNcclMembers(const NcclMembers& members, TraceFile& file);

// The same for groups whose members wrote into files of their own. Peers in the others become unknown.
void findMembersOfNcclGroups(TraceSet& traces);

} // namespace shardscope
