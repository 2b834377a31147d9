#pragma once

#include "core/scenario/scenario.h"

#include <span>
#include <string>

namespace shardscope
{

class Presets;

// What a picture or a table is of, in a line: "GPT-3B · 32 GPUs, p 4 · t 2 · d 4 · 1F1B · ZeRO 0 · s 2 048 ·
// b 4 · gb 512 · fp16 · A100-SXM4-80GB, 8 a node, 200 GB/s between nodes · detailed time model". An edited
// one bears the name of a scenario that it is not any more: its model stands in place of it, by the title
// that `presets` give it. What `variations` of it, drawn beside it, do not have in common is left out.
std::string scenarioLine(const Scenario& scenario, bool is_edited = false,
                         std::span<const Scenario> variations = {}, const Presets* presets = nullptr);

} // namespace shardscope
