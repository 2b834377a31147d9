#pragma once

#include "core/analysis/calls/call.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

// "[0, 1, 2]" as numbers, none below 0; nothing where the list is cut ("[0, 1, ...]"), empty or no list.
std::optional<std::vector<std::int64_t>> numbersFromText(std::string_view text);

// Gives calls their group's members: from the ranks written beside the call, else from the file's list of
// groups by name; a group of the world's size is everyone. Fills an unknown group size.
void findGroupMembers(const TraceSet& traces, CallList& list);

// Turns the peers of sends and receives into ranks of the world. PyTorch writes the place within the group,
// other writers the rank: the reading that contradicts the groups less often holds for the whole set,
// PyTorch's on a tie. In a group of two the peer is the other one, told or not.
void findPeers(const TraceSet& traces, CallList& list);

} // namespace shardscope
