#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// What a picture or a table is of, in a line: "GPT-3B · 32 GPUs, p 4 · t 2 · d 4 · ZeRO 0 · s 2 048 · b 4 ·
// gb 512 · fp16 · A100-SXM4-80GB, 8 a node".
std::string scenarioLine(const Scenario& scenario);

} // namespace shardscope
