#pragma once

#include "core/scenario/scenario.h"

#include <span>
#include <string>

namespace shardscope
{

// What a picture or a table is of, in a line: "GPT-3B · 32 GPUs, p 4 · t 2 · d 4 · ZeRO 0 · s 2 048 · b 4 ·
// gb 512 · fp16 · A100-SXM4-80GB, 8 a node". An edited one bears the name of a scenario that it is not any
// more: its model stands in place of it. What `variations` of it, drawn beside it, do not have in common is
// left out.
std::string scenarioLine(const Scenario& scenario, bool is_edited = false,
                         std::span<const Scenario> variations = {});

} // namespace shardscope
