#pragma once

#include "core/analysis/calls/shown_message.h"
#include "core/scenario/rank_order.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// What a comparison's numbers stand under, in sentences.

// How a backend shows calls that it has no operation for; empty where it shows them as they are.
std::string sentenceOf(Shown shown);

std::string noteOfMapping(const RankOrder& order, const RankOrder& of_run);

// Measured ranks that a scenario of `world_size` does not have; at least one.
std::string noteOfLeftOut(const std::vector<std::int64_t>& ranks, std::int64_t world_size);

std::string noteOfForwardOnly();

} // namespace shardscope
